"""How the bones of a stick figure are turned, read from its particles (Jakobsen §6).

Three particles and more tell the whole turn of a part. A limb of two points somewhere: it is turned
as the part that it hangs on, by the shortest way to where it points, and when what hangs on it
bends, the cross product of the two says how it is twisted, so that knees and elbows bend about
their own axis. What the keyed pose has beyond that, the turn of a straight arm, is noted while it
is followed and kept (`Hold`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .skeleton import turn_about, turn_from_to, unit

if TYPE_CHECKING:
    from ..arrays import Floats
    from .figure import Figure, Limb

SLIGHT_BEND, CLEAR_BEND = math.sin(math.radians(5.0)), math.sin(math.radians(25.0))
"""Sine of the bend from which on it tells how a limb is twisted, and at which nothing else does."""


def limb_turns(figure: Figure, x: Floats) -> Floats:
    """How each limb is turned from rest (p, 3, 3), as the places x (n, 3) alone tell."""
    found = np.tile(np.eye(3), (len(figure.limbs), 1, 1))
    for row in figure.order:
        limb = figure.limbs[row]
        if limb.has_frame:
            found[row] = best_turn(figure.place[limb.particles], x[limb.particles])
            continue
        above = np.eye(3) if limb.parent < 0 else found[limb.parent]
        rest, now = _direction(limb, figure.place), _direction(limb, x)
        turn = turn_from_to(above @ rest, now) @ above
        if limb.bend >= 0:
            turn = _twist(limb, figure.limbs[limb.bend], turn, now, x) @ turn
        found[row] = turn
    return found


def _direction(limb: Limb, x: Floats) -> Floats:
    """Unit vector (3,) from a limb's joint to its end."""
    return unit(x[limb.end] - x[limb.particles[0]], np.array([0.0, 0.0, 1.0]))


def _twist(limb: Limb, child: Limb, turn: Floats, along: Floats, x: Floats) -> Floats:
    """The turn (3, 3) about a limb that brings the axis of its bend to where it bends."""
    across = np.cross(along, _direction(child, x))
    sine = float(np.linalg.norm(across))
    share = min(max((sine - SLIGHT_BEND) / (CLEAR_BEND - SLIGHT_BEND), 0.0), 1.0)
    if share == 0.0:
        return np.eye(3)
    axis = turn @ limb.bend_axis
    angle = math.atan2(float(np.cross(axis, across) @ along), float(axis @ across))
    if limb.bends_both_ways and abs(angle) > 0.5 * math.pi:
        angle -= math.copysign(math.pi, angle)
    return turn_about(along, share * share * (3.0 - 2.0 * share) * angle)


def best_turn(rest: Floats, now: Floats) -> Floats:
    """The rotation (3, 3) that brings points (m, 3) about their middle nearest to others (Kabsch).

    Of points in a plane, or nearly so, the normals go along.
    """
    a, b = rest - rest.mean(axis=0), now - now.mean(axis=0)
    u, _, vt = np.linalg.svd(b.T @ a)
    u[:, 2] *= np.sign(np.linalg.det(u @ vt))
    turn: Floats = u @ vt
    return turn


def note_hold(figure: Figure, x: Floats, turn: Floats, move: Floats) -> Floats:
    """What a pose has beyond what its particles tell: (p, 3, 4), turns and places at the joints.

    turn (p, 3, 3), move (p, 3) m: what carries the bone of each part from rest to the pose in which
    the particles are at x (n, 3).
    """
    hold = np.empty((len(figure.limbs), 3, 4))
    hold[:, :, :3] = np.swapaxes(limb_turns(figure, x), -1, -2) @ turn
    joint = [limb.particles[0] for limb in figure.limbs]
    away = np.einsum("pij,pj->pi", turn, figure.place[joint]) + move - x[joint]
    hold[:, :, 3] = np.einsum("pji,pj->pi", turn, away)
    return hold


def figure_pose(figure: Figure, x: Floats, hold: Floats) -> tuple[Floats, Floats]:
    """What carries the bone of each part from rest: turns (p, 3, 3) and moves (p, 3) m.

    x (n, 3): the particles; hold from `note_hold`.
    """
    turn = limb_turns(figure, x) @ hold[:, :, :3]
    joint = [limb.particles[0] for limb in figure.limbs]
    away = hold[:, :, 3] - figure.place[joint]
    return turn, x[joint] + np.einsum("pij,pj->pi", turn, away)
