"""What the panel says of a scene: why objects cannot take part, and what may not be as meant."""

from typing import Any

import bpy
import numpy as np

from ...core.errors import ModelError
from ...core.model import Model
from ...core.particles.integrators.carries import left_out
from ...core.settings import SolverSettings
from ..blender import control_points
from ..blender.compat import fcurves_of
from ..blender.data import curve_of
from ..extract import drawn_otherwise, garment, own_motion, steadiness
from ..problem import Problem
from ..properties.kinds import KINDS, RAGDOLL, can_be_tied, is_particles
from ..properties.participants import is_moved, simulated_objects
from ..ragdoll import bone_pins

# Modifiers that move vertices along with something else: after cloth they move them twice.
DEFORMING_MODIFIERS = (own_motion.CARRIERS | {"CLOTH", "SOFT_BODY"}) - {
    "MESH_CACHE",
    "SHRINKWRAP",
}


def problem_of(error: ModelError, uid: int = 0) -> Problem:
    """An error as the panel shows it, with a button to the object that it names."""
    named = bpy.data.objects.get(error.object_name)
    if not uid and named is not None:
        uid = named.session_uid
    return Problem(
        str(error), uid, "verlet.show_object" if uid else "", "Show Object", is_error=True
    )


def mendable(ob: bpy.types.Object) -> Problem | None:
    """An error that a button mends."""
    if ob.type != "CURVE" or control_points.automatic_spline(curve_of(ob)) is None:
        return None
    return Problem(
        f"{ob.name}: it has Automatic or Vector handles, which Blender places itself and no "
        "simulation can move",
        ob.session_uid,
        "verlet.free_handles",
        "Free Handles",
        is_error=True,
    )


def _keyed_in_vain(ob: bpy.types.Object) -> list[Problem]:
    """Keys and drivers of what is read once, which files of older versions may hold."""
    if ob.animation_data is None:
        return []
    curves = [*fcurves_of(ob), *ob.animation_data.drivers]
    names = sorted({name for curve in curves if (name := _read_once(ob, curve.data_path))})
    if not names:
        return []
    return [
        Problem(
            f"{ob.name}: {', '.join(names)} is keyed or driven, but read at the start frame only: "
            "the keys do nothing. Delete them, and key the factors under Animate",
            ob.session_uid,
            "verlet.show_object",
            "Show Object",
        )
    ]


def _read_once(ob: bpy.types.Object, path: str) -> str:
    """The label of a property of ours that may not be animated; "" for all other paths."""
    owner, _, name = path.rpartition(".")
    if "verlet" not in owner.split("."):
        return ""
    try:
        group: Any = ob.path_resolve(owner)
        about = group.bl_rna.properties.get(name)
    except ValueError:  # nothing of that name any more
        return ""
    return about.name if about is not None and not about.is_animatable else ""


def doubts(ob: bpy.types.Object, scene: bpy.types.Scene) -> list[Problem]:
    """What will work, but perhaps not as it was meant."""
    found = _keyed_in_vain(ob)
    found += _form_not_followed(ob) + _slips_through(ob, scene)
    if ob.verlet.kind == RAGDOLL:
        show = ob.session_uid, "verlet.show_object", "Show Object"
        found += [Problem(text, *show) for text in bone_pins.doubts(ob, scene)]
    if is_particles(ob.verlet.kind):
        own = own_motion.carriers(ob)
        found += [
            Problem(
                f"{ob.name}: its {modifier.name} modifier moves it a second time. Move it up, "
                "before all others, so that pins follow it",
                ob.session_uid,
                "verlet.show_object",
                "Show Object",
            )
            for modifier in ob.modifiers
            if modifier.type in DEFORMING_MODIFIERS
            and modifier.show_viewport
            and modifier not in own
        ]
        changers = drawn_otherwise.changers(ob)
        if any(modifier.type in drawn_otherwise.ADDS_SURFACE for modifier in changers):
            found.append(not_simulated(ob, changers))
        found += not_kept_free(ob)
        reason = _why_not_tied(ob)
        if reason:
            found.append(
                Problem(f"{ob.name}: {reason}", ob.session_uid, "verlet.show_object", "Show Object")
            )
    world = scene.rigidbody_world
    is_on = world is not None and world.enabled
    if is_on and ob.rigid_body is not None and ob.verlet.kind == "BODY":
        found.append(
            Problem(
                f"{ob.name}: Blender's own Rigid Body moves it too",
                ob.session_uid,
                "verlet.remove_own_rigid_body",
                "Remove That",
            )
        )
    return found


def _form_not_followed(ob: bpy.types.Object) -> list[Problem]:
    """What changes its form or size where only its place and turn are followed."""
    if ob.verlet.kind == "BODY":
        what = "a rigid body keeps what it starts with. Press Collider for what only its keys move"
    elif ob.verlet.kind == "COLLIDER" and ob.verlet.collider.shape not in ("AUTO", "MESH"):
        what = "its Shape does not. Set that to Automatic or Mesh"
    else:
        return []
    if steadiness.keeps_form(ob):
        return []
    text = f"{ob.name}: it is seen to change its form or size, and {what}"
    return [Problem(text, ob.session_uid, "verlet.show_object", "Show Object")]


def _slips_through(ob: bpy.types.Object, scene: bpy.types.Scene) -> list[Problem]:
    """A rigid body that only keys move, and so thin that what bends may slip through it."""
    if ob.verlet.kind != "BODY" or ob.verlet.body.type == "ACTIVE" or steadiness.stays_put(ob):
        return []
    extents = np.array(ob.dimensions)
    is_flat = extents.max() > 0.0 and extents.min() == 0.0
    if not (is_flat or steadiness.is_thin(extents)):
        return []
    if not any(is_particles(other.verlet.kind) for other in simulated_objects(scene)):
        return []
    text = (
        f"{ob.name}: it is thin and moves by its keys: what bends slips through it where it is "
        "fast. Press Collider, through which nothing does"
    )
    return [Problem(text, ob.session_uid, "verlet.show_object", "Show Object")]


def not_simulated(ob: bpy.types.Object, changers: list[bpy.types.Modifier]) -> Problem:
    """What is drawn of an object that is not what is simulated, by modifiers behind ours."""
    names = " and ".join(modifier.name for modifier in changers)
    does, them = ("draws", "it") if len(changers) == 1 else ("draw", "them")
    text = (
        f"{ob.name}: {names} {does} it otherwise than it is simulated, so what is seen may pass "
        f"through what it touches. Apply {them} to simulate what is seen"
    )
    return Problem(text, ob.session_uid, "verlet.apply_finer_mesh", f"Apply {them.title()}")


def not_kept_free(ob: bpy.types.Object) -> list[Problem]:
    """A thickness that is drawn of cloth, and reaches into what it touches."""
    modifier = drawn_otherwise.too_thick(ob)
    if modifier is None:
        return []
    reach = 1000.0 * drawn_otherwise.drawn_reach(ob, modifier)
    free = 1000.0 * drawn_otherwise.kept_free(ob)
    text = (
        f"{ob.name}: {modifier.name} draws it up to {reach:.2g} mm beside what is simulated, which "
        f"keeps {free:.2g} mm from others: what is seen passes through them. Count It has it drawn "
        "to both sides, and keep so far"
    )
    return [Problem(text, ob.session_uid, "verlet.count_thickness", "Count It")]


def _why_not_tied(ob: bpy.types.Object) -> str:
    """Why pins that follow what is simulated itself are no ties; "" where they are, or need not."""
    target, wearer = ob.verlet.pin_target, garment.wearer(ob)
    if garment.is_bone_missing(ob):
        return (
            f"it is pinned to bone {ob.verlet.pin_bone} of {target.name}, which has none of that "
            "name: choose another Bone below Pin To"
        )
    if wearer is not None:
        if not can_be_tied(ob.verlet.kind):
            what = f"a {KINDS[ob.verlet.kind].label.lower()} stands on roots"
        else:
            return ""
        return f"its pins follow the keys of {wearer.name} alone and do not hold it: {what}"
    if target is None:
        return ""
    if is_particles(target.verlet.kind):
        what = "which bends"
    elif target.verlet.kind != "BODY" or not is_moved(target):
        return ""
    elif not can_be_tied(ob.verlet.kind):
        what = f"and a {KINDS[ob.verlet.kind].label.lower()} stands on roots"
    elif target.verlet.body.model != "QUATERNION":
        what = "which is made of particles (its Model under Advanced)"
    else:
        return ""
    return (
        f"it is pinned to {target.name}, {what}: the pins follow it a frame late and do not hold it"
    )


def doubts_about_integrator(model: Model, solver: SolverSettings) -> list[Problem]:
    """What of the scene the chosen integrator leaves out."""
    missing = left_out(model, solver)
    if not missing:
        return []
    message = f"{solver.integrator_label} leaves out: {'; '.join(missing)}"
    return [Problem(message, 0, "verlet.use_position_verlet", "Use Position Verlet")]
