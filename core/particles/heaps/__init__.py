"""Balls: loose particles that meet each other, in heaps that bear and rest."""
