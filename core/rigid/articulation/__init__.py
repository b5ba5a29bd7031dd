"""How what hangs on joints answers an impulse as a whole."""
