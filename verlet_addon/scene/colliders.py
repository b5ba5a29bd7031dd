"""Colliders of a scene: as what each is taken hangs on what else takes part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ...core.arrays import Floats
from ...core.building.builder import ModelBuilder
from ...core.recipes.collider import add_collider, holds_any
from ...core.settings import ColliderSettings
from ..extract.steadiness import is_thin
from ..inputs.participant import Participant
from ..joints.ties import Holds
from ..transforms import affine

IN_A_FLOOR = 1e-3
"""m; the middle of what lies no deeper below a floor lies in it."""


@dataclass(frozen=True)
class Around:
    """What takes part beside the colliders."""

    bends: bool  # anything does
    lowest: float  # m, height of the lowest of the middles of all that takes part
    cloth_edge: float  # m, mean length of the edges of the coarsest cloth, 0 for none
    held: Floats  # (p, 3) m, vertices of cloth that are pinned or tied


def around(participants: tuple[Participant, ...], holds_of: Mapping[int, Holds]) -> Around:
    """What takes part, and by session id what holds that of it that bends."""
    longest, held = 0.0, [np.zeros((0, 3))]
    for p in participants:
        if p.kind != "CLOTH" or p.particles is None or not len(p.particles.edges):
            continue
        ends = p.world_points[p.particles.edges]
        longest = max(longest, float(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).mean()))
        holds = holds_of[p.uid]
        held.append(p.world_points[np.flatnonzero(holds.pin_weight)])
        held += [p.world_points[rows] for _, rows in holds.tied]
    return Around(bool(holds_of), _lowest_middle(participants), longest, np.concatenate(held))


def add(builder: ModelBuilder, p: Participant, others: Around) -> int:
    """Add a collider; returns its index among the model's colliders."""
    return add_collider(
        builder,
        p.name,
        p.solid_points,
        affine.local_axes(p.matrix),
        _following(p, others),
        p.outward_triangles,
        p.stays_level and not _stands_above(p, others.lowest),
        others.cloth_edge,
        others.held,
    )


def _following(p: Participant, others: Around) -> ColliderSettings:
    """Settings of a collider whose form or size changes, or that is thin and moves.

    Only a mesh follows the one; what bends slips through none, however fast it goes. But for what
    cloth is held in: see `add_collider`.
    """
    settings: ColliderSettings = p.settings
    if settings.shape != "AUTO" or (p.keeps_form and not (others.bends and _is_swift(p, others))):
        return settings
    return replace(settings, shape="MESH")


def _is_swift(p: Participant, others: Around) -> bool:
    """Whether a collider is thin and moves, and holds no cloth."""
    if p.stays_put or not is_thin(_extents(p)):
        return False
    return not holds_any(p.solid_points, affine.local_axes(p.matrix), others.held)


def _extents(p: Participant) -> Floats:
    """Extents (3,) m of a collider along its own axes."""
    axes = affine.rotation_of(affine.local_axes(p.matrix))
    return np.asarray(np.ptp(p.solid_points @ axes, axis=0))


def _lowest_middle(participants: tuple[Participant, ...]) -> float:
    """Height (m) of the lowest of the middles of all that takes part."""
    heights = [p.world_points[:, 2] for p in participants if len(p.points)]
    return min((0.5 * float(z.min() + z.max()) for z in heights), default=np.inf)


def _stands_above(floor: Participant, lowest: float) -> bool:
    """Whether the middle of anything that takes part, ``lowest`` (m), starts below a floor.

    Were all below that floor solid, it would be inside, be it beside its border or under it.
    """
    return lowest < float(floor.solid_points[:, 2].min()) - IN_A_FLOOR
