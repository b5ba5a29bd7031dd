"""One constraint a file: its formula, its source, and the loop that projects it."""
