"""Detection alone: shapes, the pairs that may touch, and where they touch."""
