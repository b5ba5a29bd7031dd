"""What keeps bodies of particles rigid: six sticks, or a frame of three axes (Jakobsen §5)."""

from __future__ import annotations

from ...kernels.jit import kernel
from .axis_frame import project_frame
from .four_particles import AXIS_FRAME
from .tetrahedron import project_sticks


@kernel
def relax_bodies(particles, first_particle, extent, form, passes):
    """Make every body rigid, ``passes`` times; bodies share no particle."""
    x, previous, inverse_mass = particles
    for body in range(first_particle.shape[0]):
        first = first_particle[body]
        if form[body] == AXIS_FRAME:
            project_frame(x, previous, first, extent[body], passes)
        else:
            project_sticks(x, previous, first, extent[body], inverse_mass, passes)
