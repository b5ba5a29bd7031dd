"""What of a ragdoll may not be as it was meant: parts that stay behind, and a size that is no size.

Cheap, for it asks the plan that the model was made from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import numpy as np

from ..problem import Problem
from . import armature

if TYPE_CHECKING:
    from ...core.recipes.skeleton import Skeleton, Skin
    from ..inputs.participant import Participant

LARGEST_FIGURE, SMALLEST_FIGURE = 20.0, 0.05
"""m of a figure that is in metres: between an elephant's five times over and a mouse's half."""

MOST_NAMED_PARTS = 3

SCALE = "verlet.scale_figure"
"""The operator that brings a figure to its size."""


def of(participant: Participant, ob: bpy.types.Object) -> list[Problem]:
    """What the panel says of one ragdoll."""
    texts = [*_without_body(participant), *_left_behind(participant, ob)]
    return [Problem(text, participant.uid, "verlet.show_object", "Show Object") for text in texts]


def _without_body(participant: Participant) -> list[str]:
    """Bones that deform and are in no body, though nobody has chosen that."""
    from . import bone_bodies  # loads the kernels: not at registration

    plan, choices = bone_bodies.plan_of(participant), participant.armature.choices
    bones = plan.skeleton
    names = [
        bones.name[bone]
        for bone in np.flatnonzero((plan.part_of_bone < 0) & bones.deforms)
        if choices[bone].part != "NONE"
    ]
    if not names:
        return []
    have = "has no body and does not fall" if len(names) == 1 else "have no body and do not fall"
    return [
        f"{participant.name}: {_listed(names)} {have}: no mesh hangs on what begins there. Parent "
        "meshes to the bones or give them weights, or set Body to Own Body"
    ]


def _left_behind(participant: Participant, ob: bpy.types.Object) -> list[str]:
    """Meshes that hang on a bone in no body, or on the armature itself."""
    from . import bone_bodies

    plan = bone_bodies.plan_of(participant)
    row = {name: number for number, name in enumerate(plan.skeleton.name)}
    found = []
    for mesh in armature.stiff_meshes(ob):
        hung = armature.hung_on(mesh, ob)
        bone = "" if hung is None else hung[0]
        if not bone or plan.part_of_bone[row[bone]] < 0:
            found.append(mesh.name)
    if not found:
        return []
    hang = "hangs" if len(found) == 1 else "hang"
    return [
        f"{participant.name}: {_listed(found)} {hang} on no bone that falls, and will be left "
        "behind. Parent it to such a bone (Ctrl P, Bone)"
    ]


def _listed(names: list[str]) -> str:
    if len(names) > MOST_NAMED_PARTS:
        return f"{', '.join(names[:MOST_NAMED_PARTS])} and {len(names) - MOST_NAMED_PARTS} more"
    return ", ".join(names)


# ---------------------------------------------------------------------------- size


def size(skeleton: Skeleton, skin: Skin) -> float:
    """The largest extent of a figure in its rest pose, in m."""
    points = np.concatenate([skeleton.head, skeleton.tail, skin.points])
    return float(np.ptp(points, axis=0).max())


def factor_for(extent: float) -> float:
    """What brings a figure of an extent (m) to a size that there is, 1 where it has one.

    Centimetres or millimetres that were taken for metres, and what was made so much smaller.
    """
    if SMALLEST_FIGURE <= extent <= LARGEST_FIGURE or not extent > 0.0:
        return 1.0
    if extent > LARGEST_FIGURE:
        return 0.01 if extent <= 500.0 else 0.001
    return 100.0 if extent >= 0.002 else 1000.0


def of_size(participant: Participant) -> list[Problem]:
    """What the panel says of a figure that is too large or too small to be one."""
    extent = size(participant.armature.skeleton, participant.armature.skin)
    factor = factor_for(extent)
    if factor == 1.0:
        return []
    weighs = ""
    if participant.settings.mass_by == "MASS":
        weighs = f" and weighs {in_kilograms(participant.settings.mass)}"
    unit = {0.01: "centimetres", 0.001: "millimetres"}.get(factor)
    if unit is None:
        looks, why = "jerks like an insect", "was it made too small on import?"
    else:
        looks, why = "falls in slow motion", f"was it made in {unit}?"
    return [
        Problem(
            f"{participant.name} is {in_metres(extent)} large{weighs}, so it {looks}: {why}",
            participant.uid,
            SCALE,
            f"Scale to {in_metres(extent * factor)}",
        )
    ]


def in_metres(length: float) -> str:
    """A length with a unit that suits it."""
    if length < 0.01:
        return f"{1000.0 * length:.2g} mm"
    if length < 1.0:
        return f"{100.0 * length:.2g} cm"
    return f"{length:.3g} m" if length < 100.0 else f"{length:,.0f} m"


def in_kilograms(mass: float) -> str:
    """A mass with a unit that suits it."""
    if mass < 1.0:
        return f"{1000.0 * mass:.2g} g"
    return f"{mass:,.0f} kg" if mass < 10_000.0 else f"{mass / 1000.0:,.0f} t"
