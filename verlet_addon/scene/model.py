"""The model of all that takes part in a scene."""

from ...core.building.builder import ModelBuilder
from ...core.model import Model
from ...core.model.joint_table import End, OnBody, OnCollider
from ...core.recipes.all import RECIPES
from ...core.recipes.body import add_body
from ...core.recipes.geometry import Geometry
from ..inputs.scene_inputs import SceneInputs
from ..joints.joint_inputs import add_joint
from ..joints.ties import add_ties, what_holds
from ..properties.kinds import RAGDOLL
from ..ragdoll import bone_bodies, bone_pins, stick_figures
from ..transforms import affine
from . import colliders
from .named_errors import about


def build_model(inputs: SceneInputs) -> Model | None:
    """The model of everything that takes part; None when there is nothing that can move."""
    builder = ModelBuilder()
    ends = {}  # of joints
    by_uid = {p.uid: p for p in inputs.participants}
    holds_of = {}
    for p in inputs.participants:
        if p.particles is not None:
            with about(p.name):
                holds_of[p.uid] = what_holds(p, by_uid, inputs.ties)
    around = colliders.around(inputs.participants, holds_of)
    held = []  # what bends: its index, and what holds it
    figures = {}
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
                    index = colliders.add(builder, p, around)
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
                    holds = holds_of[p.uid]
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
