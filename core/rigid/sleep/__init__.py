"""Sleep: what may rest, and what wakes it."""
