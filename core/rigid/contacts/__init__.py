"""Contacts of bodies: rows of velocities and impulses, and the sweeps over them."""
