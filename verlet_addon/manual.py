"""Where F1 leads: to a page of the manual that the zip brings, which is right offline too."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import bpy

PACKAGE_FOLDER = Path(__file__).resolve().parents[1]
PAGES = PACKAGE_FOLDER / "manual"
"""The manual as web pages: the build of the zip puts it there."""

_SUBJECTS = {
    "manual/cloth.html#tearing": (
        *("ops:make_tearable", "types:verletobject.tear_group"),
        *("types:verletcloth.strength", "types:verletrope.strength"),
    ),
    "manual/cloth.html": ("ops:cloth", "ops:drape", "types:verletcloth"),
    "manual/rope.html": ("ops:rope", "ops:add_rope_bridge", "types:verletrope"),
    "manual/plant.html": ("ops:plant", "types:verletplant"),
    "manual/soft_body.html": ("ops:soft_body", "ops:add_jelly", "types:verletsoftbody"),
    "manual/particles.html": ("ops:particles", "types:verletparticles"),
    "manual/rigid_body.html": (
        *("ops:rigid_body", "ops:add_brick_wall", "ops:add_wrecking_ball"),
        *("ops:remove_own_rigid_body", "types:verletbody"),
    ),
    "manual/ragdoll.html#held-and-dragged": (
        *("ops:pin_bones", "ops:unpin_bones", "ops:drag_bone", "ops:free_handles"),
        "types:verletbone.pin",
    ),
    "manual/ragdoll.html#let-go-and-brought-back": ("ops:ragdoll_between",),
    "manual/ragdoll.html": (
        *("ops:ragdoll", "ops:add_ragdoll_dummy", "ops:weigh", "ops:scale_figure", "ops:*_limits"),
        *("types:verletragdoll", "types:verletbone"),
    ),
    "manual/collider.html": ("ops:collider", "ops:add_floor", "types:verletcollider"),
    "manual/pins.html": ("ops:pin_ends", "ops:pin_selected", "types:verletobject.pin"),
    "manual/joints.html": (
        *("ops:join", "ops:join_neighbours", "ops:remove_joint", "ops:select_joints"),
        "types:verletjoint",
    ),
    "manual/world.html#solver": ("ops:use_position_verlet", "types:verletsolver"),
    "manual/world.html": (
        *("ops:add_wind", "ops:add_explosion", "ops:add_hit", "types:verletwind"),
        *("types:verletimpulse", "types:verletobject.impulse", "types:verletobject.is_impulse"),
    ),
    "manual/playing.html#what-is-kept": ("ops:clear_frames",),
    "manual/playing.html#grab": ("ops:grab",),
    "manual/playing.html": (
        *("ops:play", "ops:play_every_frame", "ops:go_to_start", "ops:reset", "ops:record"),
        *("ops:unpin_all", "types:verletanimated", "types:verletscene.*own_start"),
    ),
    "manual/check.html": (
        *("ops:check_scene", "ops:forget_findings", "ops:mend_finding", "ops:show_*"),
        *("ops:merge_doubles", "ops:delete_loose", "ops:dissolve_flat_faces", "ops:part_bodies"),
        "ops:take_apart",
        *("ops:default_thickness", "ops:apply_finer_mesh", "ops:count_thickness"),
        *("ops:clear_skew_parent", "ops:fit_gravity", "ops:move_out"),
        *("ops:add_floor_below", "ops:unstretch_time", "ops:pose_position"),
    ),
    "manual/presets.html": ("ops:*preset", "ops:copy_to_selected", "ops:select_similar"),
    "manual/bake.html": (
        *("ops:bake", "ops:bake_selected", "ops:free_bake", "ops:free_bake_selected"),
        "types:verletscene",
    ),
    "manual/convert.html": ("ops:convert_*",),
    "manual/first_minute.html#when-it-does-not-move": ("ops:subdivide", "ops:close_holes"),
    "manual/first_minute.html": ("ops:add_*", "ops:example", "ops:remove"),
    "index.html": ("ops:*", "types:verlet", "types:*.verlet"),
}
"""Pages and their subjects, in small letters, what is particular before what is general.

``ops:`` stands before an operator's name, ``types:`` before that of a type or its property.
"""


def has_pages() -> bool:
    """Whether this copy brings the manual; a checkout does not."""
    return (PAGES / "index.html").is_file()


@cache
def address(page: str = "index.html") -> str:
    """Where a page is; the README where this copy brings none."""
    return f"{PAGES.as_uri()}/{page}" if has_pages() else (PACKAGE_FOLDER / "README.md").as_uri()


def _pattern(subject: str) -> str:
    """What Blender compares an operator's or a property's name with."""
    group, name = subject.split(":")
    return f"bpy.ops.verlet.{name}" if group == "ops" else f"bpy.types.{name}*"


def manual_map() -> tuple[str, tuple[tuple[str, str], ...]]:
    """What Blender's Online Manual (F1) opens for what is under the mouse: the first that fits."""
    pairs = [(_pattern(subject), page) for page, all_ in _SUBJECTS.items() for subject in all_]
    if not has_pages():
        return address(), tuple((pattern, "") for pattern, _ in pairs)
    return f"{PAGES.as_uri()}/", tuple(pairs)


def draw_button(layout: bpy.types.UILayout, text: str = "", page: str = "index.html") -> None:
    """A button that opens the manual."""
    button: Any = layout.operator("wm.url_open", text=text, icon="HELP")
    button.url = address(page)


def register() -> None:
    """Let F1 find the manual."""
    bpy.utils.register_manual_map(manual_map)


def unregister() -> None:
    """F1 finds it no more."""
    bpy.utils.unregister_manual_map(manual_map)
