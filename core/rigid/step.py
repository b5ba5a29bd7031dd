"""One substep of everything rigid: the loop that the other files of this folder are the parts of."""

from __future__ import annotations

from ..jit import inline, kernel
from .contact_rows import aim_rows, solve_rows, warm_rows
from .owners import accelerate_bodies, drive_owners, move_bodies, take_momenta


@inline
def _begin(bodies, owners, drive, rows, row_count, passes, h, share_before, share):
    """Velocities of the substep: gravity and forces, then what contacts and joints make of it."""
    accelerate_bodies(owners, bodies, h)
    drive_owners(owners, drive, share_before, share, h)
    warm_rows(rows, row_count, owners, bodies.gravity, h)
    for _ in range(passes):
        solve_rows(rows, row_count, owners, h, True)


@inline
def _end(bodies, owners, rows, row_count, passes, h):
    """Places at the end of the substep, and velocities without what drove overlaps apart."""
    move_bodies(owners, bodies, h)
    aim_rows(rows, row_count, owners)
    for _ in range(passes):
        solve_rows(rows, row_count, owners, h, False)
    take_momenta(owners, bodies)


@kernel
def begin_substep(bodies, owners, drive, rows, row_count, passes, h, share_before, share):
    """First half of a substep, up to where particles meet the bodies."""
    _begin(bodies, owners, drive, rows, row_count, passes, h, share_before, share)


@kernel
def end_substep(bodies, owners, rows, row_count, passes, h):
    """Second half of a substep: what particles did has to agree with contacts and joints."""
    for _ in range(passes):
        solve_rows(rows, row_count, owners, h, True)
    _end(bodies, owners, rows, row_count, passes, h)


@kernel
def whole_substeps(bodies, owners, drive, rows, row_count, passes, h, first, last, substeps):
    """Substeps first … last − 1 of a frame's, for scenes in which nothing but bodies moves."""
    for substep in range(first, last):
        share_before = substep / substeps
        share = (substep + 1) / substeps
        _begin(bodies, owners, drive, rows, row_count, passes, h, share_before, share)
        _end(bodies, owners, rows, row_count, passes, h)
