"""Contacts: shapes, the pairs that may touch, where they touch, and what follows from it."""
