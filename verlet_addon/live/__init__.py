"""The simulation while it plays: simulates frames, keeps them and shows them."""
