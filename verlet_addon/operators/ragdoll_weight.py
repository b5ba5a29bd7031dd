"""Weigh: the mass of a ragdoll by its size."""

from __future__ import annotations

import bpy

from ...core.errors import ModelError
from ..extract import mesh
from ..properties.kinds import KINDS, RAGDOLL
from ..properties.objects import group_of
from ..ragdoll import armature
from ..transforms import affine
from .ragdoll_bones import OfRagdolls, plan_of


def weigh(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> float:
    """Give a ragdoll the mass (kg) of what its skin encloses, or of the shapes of its bodies.

    Raises ModelError where no ragdoll can be made of it.
    """
    from ...core.recipes.flesh import proposed_mass  # loads the kernels

    skins = []
    for skin in armature.flesh(ob):
        try:
            points, triangles = mesh.read_visible_surface(skin, depsgraph)
        except ModelError:  # the shapes of the bodies count
            continue
        matrix = affine.matrix_of(skin.evaluated_get(depsgraph))
        skins.append((affine.transformed(matrix, points), triangles))
    mass = proposed_mass(plan_of(ob, mesh.read_matrix(ob, depsgraph)), skins)
    settings = group_of(ob, KINDS[RAGDOLL])
    settings.mass_by, settings.mass = "MASS", mass
    return mass


def weigh_at_first(ob: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
    """The same for what has become a ragdoll and whose mass nobody has chosen yet."""
    settings = group_of(ob, KINDS[RAGDOLL])
    if settings.is_property_set("mass") or settings.mass_by != "MASS":
        return
    try:
        weigh(ob, depsgraph)
    except ModelError:  # which is named as soon as it is simulated
        return


class VERLET_OT_weigh(OfRagdolls):
    """Set the mass of the selected ragdolls by their size: what their skin encloses, or else the
    shapes of their bodies, times Density (flesh: 1000 kg/m³)
    """

    bl_idname = "verlet.weigh"
    bl_label = "Weigh"

    def change(self, context: bpy.types.Context, ob: bpy.types.Object) -> str:
        return f"{weigh(ob, context.evaluated_depsgraph_get()):g} kg"


CLASSES = (VERLET_OT_weigh,)
