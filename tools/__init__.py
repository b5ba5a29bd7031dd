"""What dev.py is made of; it needs nothing but Python."""
