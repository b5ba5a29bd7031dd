"""A previewed body gets another origin, or its transform is applied: what is kept of it follows.

*Set Origin* and *Apply* change a mesh and its object at once, so that nothing is seen to move. What
the object had before the preview, and where frames have put it, belong to the old mesh: they are
multiplied by the same matrix as what is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import numpy as np
from mathutils import Matrix

from ..extract.mesh import visible_coordinates
from ..properties import rest_pose
from ..transforms.affine import inverse_or_nearest, matrix_of, transformed

if TYPE_CHECKING:
    from ...core.arrays import Floats
    from ..session import Session

UNMOVED = 1e-4  # of a mesh's size: vertices that are seen where they were before


def follow(session: Session, ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
    """Look whether an object that was changed together with its mesh is seen where it was."""
    row = session.inputs.row_of_body.get(ob.session_uid)
    shown = session.shown
    if row is None or shown is None or row not in shown.rows or not rest_pose.is_stored(ob):
        return
    number = shown.rows.index(row)
    change = inverse_or_nearest(shown.world[number]) @ matrix_of(ob.evaluated_get(depsgraph))
    points = session.participants("BODY")[row].points
    if np.allclose(change, np.eye(4), atol=UNMOVED) or not _is_seen_there(
        ob, depsgraph, points, change
    ):
        return
    beside = [name for name in shown.own if name == "scale" or name.startswith("delta_")]
    had = {name: shown.own[name][number].tolist() for name in beside}
    rest_pose.multiply(ob, had, Matrix(change.tolist()))
    places = {id(placement.bodies): placement.bodies for placement in session.placements}
    for bodies in places.values():
        bodies[row] = bodies[row] @ change
    session.held_bodies = None


def _is_seen_there(
    ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph, points: Floats, change: Floats
) -> bool:
    """Whether vertices that were at ``points`` (n, 3) are seen there still, with ``change``."""
    now = visible_coordinates(ob, depsgraph)
    if now.shape != points.shape:
        return False
    size = np.ptp(points, axis=0).max(initial=0.0)
    seen = transformed(change, now.astype(np.float64))
    return bool(np.allclose(seen, points, atol=UNMOVED * size))
