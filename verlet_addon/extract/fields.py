"""Blender's force-field objects as the engine's fields, at the evaluated frame."""

from collections.abc import Iterator
from operator import attrgetter

import bpy
import numpy as np

from ...core.arrays import Floats
from ...core.errors import ModelError
from ...core.model.field import Field
from ..blender.data import choices_of
from ..transforms.affine import matrix_of

BLENDER_KINDS = ("WIND", "FORCE", "VORTEX", "TURBULENCE", "DRAG")
"""Field types that act here as they act in Blender; the others are named in a note."""

BLENDER_SHAPES = ("POINT", "LINE", "PLANE")

TURBULENCE_STRENGTH = 0.3
"""Root mean square of Blender's turbulence of strength 1, measured: it is no curl noise."""

FULL_DRAG = 2.0
"""Blender cuts both numbers of a Drag field there."""


def read_fields(
    depsgraph: bpy.types.Depsgraph, *, has_notes: bool = True
) -> tuple[tuple[Field, ...], list[str]]:
    """All force fields of the scene that act in the depsgraph's frame, and notes for the user.

    A note names each object whose field, or a part of it, does nothing here; ``has_notes``:
    whether anybody reads them.
    """
    found: list[Field] = []
    notes: list[str] = []
    for original in _enabled_objects(depsgraph, has_particles=has_notes):
        ob = original.evaluated_get(depsgraph)
        notes += _notes_on_particles(ob) if has_notes else []
        settings = ob.field
        if settings is None or settings.type == "NONE":
            continue
        if settings.type not in BLENDER_KINDS:
            notes.append(
                f"{ob.name}: force fields of type {_label(settings, 'type')} do not act on Verlet "
                "objects. Use Force, Wind, Vortex, Turbulence or Drag"
            )
        elif settings.apply_to_location:
            notes += _notes_on_details(ob.name, settings)
            try:
                found.append(_field(ob.name, settings, matrix_of(ob)))
            except ModelError as error:
                notes.append(str(error))
    return tuple(found), notes


def _enabled_objects(
    depsgraph: bpy.types.Depsgraph, *, has_particles: bool
) -> list[bpy.types.Object]:
    """Original objects with a field that may act on Blender's own simulations, by name.

    Those enabled in the view layer (in renders: enabled there). An object or collection that is
    only hidden with its eye still acts. Instances do not. ``has_particles``: those with particle
    systems too. Nearly everything is passed over at once: this runs in every frame.
    """
    switch = "hide_render" if depsgraph.mode == "RENDER" else "hide_viewport"
    enabled: dict[str, bpy.types.Object] = {}
    for collection in _enabled_collections(depsgraph.view_layer.layer_collection, switch):
        objects = collection.objects[:]
        for ob, field in zip(objects, map(attrgetter("field"), objects)):
            may_act = field is not None or (has_particles and len(ob.particle_systems) > 0)
            if may_act and not getattr(ob, switch):
                enabled[ob.name_full] = ob
    return [enabled[name] for name in sorted(enabled)]


def _enabled_collections(
    layer: bpy.types.LayerCollection, switch: str
) -> Iterator[bpy.types.Collection]:
    if getattr(layer.collection, switch):
        return
    if not layer.exclude:
        yield layer.collection
    for child in layer.children:
        yield from _enabled_collections(child, switch)


def _label(settings: bpy.types.FieldSettings, name: str) -> str:
    items = choices_of(settings.bl_rna.properties, name)
    return str(items[getattr(settings, name)].name)


def _notes_on_particles(ob: bpy.types.Object) -> list[str]:
    return [
        f"{ob.name}: the force field of its particles ({system.name}) does not act on Verlet "
        "objects. Use force-field objects"
        for system in ob.particle_systems
        for field in (system.settings.force_field_1, system.settings.force_field_2)
        if field is not None and field.type != "NONE"
    ]


def _notes_on_details(name: str, settings: bpy.types.FieldSettings) -> list[str]:
    notes = []
    if settings.shape not in BLENDER_SHAPES:
        notes.append(
            f"{name}: on Verlet objects its force field acts from the object's origin, not from "
            f"its {_label(settings, 'shape')}. Point, Line and Plane act as in Blender"
        )
    if settings.use_absorption:
        notes.append(f"{name}: nothing shields Verlet objects from its force field (Absorption)")
    return notes


def _field(name: str, settings: bpy.types.FieldSettings, matrix: Floats) -> Field:
    is_drag = settings.type == "DRAG"
    strength = settings.strength
    if settings.type == "TURBULENCE":
        strength *= TURBULENCE_STRENGTH
    return Field(
        name=name,
        kind=settings.type,
        position=(float(matrix[0, 3]), float(matrix[1, 3]), float(matrix[2, 3])),
        orientation=_turn_to(matrix[:3, 2]),
        strength=strength,
        flow=0.0 if is_drag else settings.flow,
        shape=settings.shape if settings.shape in BLENDER_SHAPES else "POINT",
        falloff=settings.falloff_type,
        power=settings.falloff_power,
        distance_min=settings.distance_min if settings.use_min_distance else 0.0,
        distance_max=settings.distance_max if settings.use_max_distance else None,
        radial_power=settings.radial_falloff,
        radial_min=settings.radial_min if settings.use_radial_min else 0.0,
        radial_max=settings.radial_max if settings.use_radial_max else None,
        side=settings.z_direction,
        inverse_square=settings.use_gravity_falloff,
        noise=settings.noise,
        seed=settings.seed,
        size=settings.size,
        is_global=settings.use_global_coords,
        # Blender brakes by linear_drag·v² and quadratic_drag·v, whatever their names say
        linear_drag=min(settings.quadratic_drag, FULL_DRAG) if is_drag else 0.0,
        quadratic_drag=min(settings.linear_drag, FULL_DRAG) if is_drag else 0.0,
        surface=settings.wind_factor,
    )


def _turn_to(z: Floats) -> tuple[float, float, float, float]:
    """The shortest rotation of the Z axis onto a vector of any length; fields need no more.

    Half-way between the two lies its axis: q = (1 + cos, Z × z). Numbers that are not finite
    pass through, for `Field` to name its object.
    """
    length = float(np.linalg.norm(z))
    if length == 0.0:
        return (1.0, 0.0, 0.0, 0.0)
    x, y, cosine = (float(value) / length for value in z)
    if cosine < -1.0 + 1e-12:
        return (0.0, 1.0, 0.0, 0.0)
    return (1.0 + cosine, -y, x, 0.0)
