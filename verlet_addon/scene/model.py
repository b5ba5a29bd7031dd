"""The model of all that takes part in a scene."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...core.arrays import Floats
from ...core.building.builder import ModelBuilder
from ...core.model import Model
from ...core.model.joint_table import End, OnBody, OnCollider
from ...core.recipes.all import RECIPES
from ...core.recipes.body import add_body
from ...core.recipes.collider import add_collider
from ...core.recipes.geometry import Geometry
from ...core.settings import ColliderSettings
from ..extract.steadiness import is_thin
from ..inputs.participant import Participant
from ..inputs.scene_inputs import SceneInputs
from ..joints.joint_inputs import add_joint
from ..joints.ties import add_ties, what_holds
from ..properties.kinds import RAGDOLL
from ..ragdoll import bone_bodies, bone_pins, stick_figures
from ..transforms import affine
from .named_errors import about

IN_A_FLOOR = 1e-3
"""m; the middle of what lies no deeper below a floor lies in it."""


def build_model(inputs: SceneInputs) -> Model | None:
    """The model of everything that takes part; None when there is nothing that can move."""
    builder = ModelBuilder()
    ends = {}  # of joints
    by_uid = {p.uid: p for p in inputs.participants}
    held = []  # what bends: its index, and what holds it
    figures = {}
    lowest = _lowest_middle(inputs.participants)
    bends = bool(inputs.of_particles)
    for p in inputs.participants:
        with about(p.name):
            match p.kind:
                case "BODY":
                    index = add_body(
                        builder,
                        p.name,
                        p.solid_points,
                        affine.local_axes(p.matrix),
                        p.settings,
                        p.velocity,
                        p.angular_velocity,
                        p.outward_triangles,
                        p.matrix[:3, 3],
                    )
                    ends[p.uid] = p, index
                case "COLLIDER":
                    index = add_collider(
                        builder,
                        p.name,
                        p.solid_points,
                        affine.local_axes(p.matrix),
                        _following(p) if bends or not p.keeps_form else p.settings,
                        p.outward_triangles,
                        p.stays_level and not _stands_above(p, lowest),
                    )
                    ends[p.uid] = p, index
                case "RAGDOLL":
                    pass  # after everything else
                case _:
                    arrays = p.particles
                    assert arrays is not None
                    geometry = Geometry.of(
                        p.name,
                        p.world_points,
                        arrays.edges,
                        arrays.face_offsets,
                        arrays.face_vertices,
                        arrays.weld,
                    )
                    holds = what_holds(p, by_uid, inputs.ties)
                    held.append((len(builder.objects), holds))
                    RECIPES[p.kind](
                        builder, geometry, p.settings, pin_weight=holds.pin_weight, paint=p.paint
                    )
    for joint in inputs.joints:
        add_joint(builder, joint, ends)
    index_of = {(uid, 0): index for uid, (_, index) in ends.items()}
    hold: dict[int, End] = {
        uid: OnCollider(index) if p.kind == "COLLIDER" else OnBody(index)
        for uid, (p, index) in ends.items()
    }
    for handle in bone_pins.handles(inputs.participants):
        turn = affine.local_axes(handle.matrix)
        hold[handle.uid] = OnCollider(builder.add_handle(handle.name, handle.matrix[:3, 3], turn))
    for p in inputs.participants:
        with about(p.name):
            if p.kind == RAGDOLL:
                if bone_bodies.is_sticks(p):
                    figures[p.uid] = stick_figures.add(builder, p, inputs.frame_duration, ends)
                else:
                    made = bone_bodies.add(builder, p, inputs.frame_duration, hold)
                    index_of |= {(p.uid, row): index for row, index in enumerate(made.objects)}
    for index, holds in held:
        add_ties(builder, index, holds, index_of, figures)
    return builder.finalize() if builder.objects else None


def _following(p: Participant) -> ColliderSettings:
    """Settings of a collider whose form or size changes, or that is thin and moves.

    Only a mesh follows the one; what bends slips through none, however fast it goes.
    """
    settings: ColliderSettings = p.settings
    if settings.shape != "AUTO" or (p.keeps_form and (p.stays_put or not is_thin(_extents(p)))):
        return settings
    return replace(settings, shape="MESH")


def _extents(p: Participant) -> Floats:
    """Extents (3,) m of a collider along its own axes."""
    axes = affine.rotation_of(affine.local_axes(p.matrix))
    return np.asarray(np.ptp(p.solid_points @ axes, axis=0))


def _lowest_middle(participants: Sequence[Participant]) -> float:
    """Height (m) of the lowest of the middles of all that takes part."""
    heights = [p.world_points[:, 2] for p in participants if len(p.points)]
    return min((0.5 * float(z.min() + z.max()) for z in heights), default=np.inf)


def _stands_above(floor: Participant, lowest: float) -> bool:
    """Whether the middle of anything that takes part, ``lowest`` (m), starts below a floor.

    Were all below that floor solid, it would be inside, be it beside its border or under it.
    """
    return lowest < float(floor.solid_points[:, 2].min()) - IN_A_FLOOR
