"""What an object can be in the simulation: one entry for each verb, and nothing about it elsewhere.

The properties, the operators, the buttons, the panels, the preview and the bake read it here; the
recipe of a kind stands under the same name in ``core/recipes/all.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...core.settings import (
    BodySettings,
    ClothSettings,
    ColliderSettings,
    ParticleSettings,
    PlantSettings,
    RagdollSettings,
    RopeSettings,
    SoftBodySettings,
)
from ..blender.types import Icon

if TYPE_CHECKING:
    import bpy

MESH_ONLY = frozenset({"MESH"})
MESH_OR_CURVE = frozenset({"MESH", "CURVE"})
RAGDOLL = "RAGDOLL"
OF_CLOTH = ("pin", "stiffness", "drag", "friction", "wind", "fields")
KINDS_THAT_TEAR = frozenset({"CLOTH", "ROPE"})
"""What may tear, as long as it is a mesh."""


@dataclass(frozen=True)
class Kind:
    """One verb: what it makes of an object."""

    identifier: str
    number: int  # in saved files: never used for another kind
    label: str
    tooltip: str  # of the verb's button
    icon: Icon
    verb: str  # the operator verlet.<verb>
    group: str  # Object.verlet.<group> holds its settings
    settings: type
    moves: str  # PARTICLES: each vertex, BODY: the whole object, BONES: its bones, "": nothing
    object_types: frozenset[str] = MESH_ONLY
    needs_edges: bool = False
    needs_volume: bool = False  # a closed mesh, as long as its settings keep a volume
    animated: tuple[str, ...] = ()  # fields of AnimatedSettings that mean something to it

    @property
    def is_particles(self) -> bool:
        """Whether each vertex of the object is a particle."""
        return self.moves == "PARTICLES"


KINDS = {
    kind.identifier: kind
    for kind in (
        Kind(
            "CLOTH",
            1,
            "Cloth",
            "Turn the selected meshes into cloth: every vertex moves, every edge keeps its length",
            "MOD_CLOTH",
            "cloth",
            "cloth",
            ClothSettings,
            "PARTICLES",
            needs_edges=True,
            animated=(*OF_CLOTH, "strength"),
        ),
        Kind(
            "ROPE",
            4,
            "Rope",
            "Turn the selected curves, or meshes of edges, into ropes that hang, swing and collide",
            "OUTLINER_OB_CURVE",
            "rope",
            "rope",
            RopeSettings,
            "PARTICLES",
            object_types=MESH_OR_CURVE,
            needs_edges=True,
            animated=(*OF_CLOTH, "strength"),
        ),
        Kind(
            "PLANT",
            5,
            "Plant",
            "Turn the selected meshes into plants that bend and sway: edges are branches, "
            "faces leaves. Pin their roots",
            "STRANDS",
            "plant",
            "plant",
            PlantSettings,
            "PARTICLES",
            needs_edges=True,
            animated=OF_CLOTH,
        ),
        Kind(
            "SOFT_BODY",
            6,
            "Soft Body",
            "Turn the selected closed meshes into soft bodies that wobble and keep their volume",
            "MOD_SOFT",
            "soft_body",
            "soft_body",
            SoftBodySettings,
            "PARTICLES",
            needs_edges=True,
            needs_volume=True,
            animated=(*OF_CLOTH, "pressure"),
        ),
        Kind(
            "PARTICLES",
            7,
            "Particles",
            "Turn each vertex of the selected meshes into a particle of its own: dust, grains, "
            "a flock or smoke",
            "PARTICLES",
            "particles",
            "particles",
            ParticleSettings,
            "PARTICLES",
            animated=("pin", "drag", "friction", "fields"),
        ),
        Kind(
            "BODY",
            2,
            "Rigid Body",
            "Turn the selected meshes into rigid bodies that fall, tumble and pile up",
            "RIGID_BODY",
            "rigid_body",
            "body",
            BodySettings,
            "BODY",
            animated=("pin", "drag", "fields"),
        ),
        Kind(
            "RAGDOLL",
            8,
            "Ragdoll",
            "Turn the selected armatures into ragdolls: a body for each bone that deforms, joined "
            "by joints with limits. Of several meshes, the pieces of a robot: rigid bodies that "
            "are joined where they meet, or at selected empties",
            "ARMATURE_DATA",
            "ragdoll",
            "ragdoll",
            RagdollSettings,
            "BONES",
            object_types=frozenset({"ARMATURE"}),
            animated=("drag", "fields"),
        ),
        Kind(
            "COLLIDER",
            3,
            "Collider",
            "Let all others bump into the selected meshes, which only their animation moves",
            "MOD_PHYSICS",
            "collider",
            "collider",
            ColliderSettings,
            "",
        ),
    )
}
"""By identifier, in the order of the buttons."""


def is_ragdoll(ob: bpy.types.Object | None) -> bool:
    """Whether an object is an armature that is set up as a ragdoll."""
    return ob is not None and ob.type == "ARMATURE" and ob.verlet.kind == RAGDOLL


def is_particles(identifier: str) -> bool:
    """Whether each vertex of an object of this kind is a particle; False for NONE."""
    return identifier in KINDS and KINDS[identifier].is_particles


def can_be_tied(identifier: str) -> bool:
    """Whether rigid bodies may hold vertices of it: plants stand on roots that do not move."""
    return is_particles(identifier) and identifier != "PLANT"


def may_tear(ob: bpy.types.Object) -> bool:
    """Whether an object is of a kind and a type that can be made tearable."""
    return ob.type == "MESH" and ob.verlet.kind in KINDS_THAT_TEAR
