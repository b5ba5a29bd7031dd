"""Simulated frames on the disk, whoever has simulated them."""
