"""Small scenes that reach everything the engine has, and what they end with, bit for bit."""
