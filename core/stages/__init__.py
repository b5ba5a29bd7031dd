"""The stages of a substep: each file is one box of the table in docs/ARCHITECTURE.md."""
