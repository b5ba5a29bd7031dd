"""Grab: take hold with the mouse of anything that moves, pull it while it plays, let it fly."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import bpy
import numpy as np
from bpy_extras import view3d_utils
from mathutils import Vector

from ...core.arrays import Floats
from ...core.errors import VerletError
from .. import session
from ..blender import redraw
from ..blender.types import Result
from ..properties import participants
from ..session import Session
from .modes import in_object_or_pose_mode

if TYPE_CHECKING:
    from ..live.hand import Pick

PICK_DISTANCE = (
    18.0  # px, times Blender's scale of the interface: how near a rope has to be to be taken
)
FINER = 0.1  # share of the mouse's way that counts while Ctrl is down
PUSH = 0.05  # share of the distance that a notch of the wheel pushes
WAITING = (
    "Grab: press and drag what moves   |   Esc, right click, Enter: end   |   "
    "middle mouse: turn the view"
)
HOLDING = (
    "Release: let it fly   |   Esc, right click: put back   |   Ctrl: finer   |   "
    "wheel: nearer, farther"
)


class View(NamedTuple):
    """The 3D view that the mouse is over."""

    area: bpy.types.Area
    region: bpy.types.Region
    space: bpy.types.RegionView3D


class VERLET_OT_grab(bpy.types.Operator):
    """Take hold of anything that moves and pull it while it plays: cloth and ropes by a point,
    bodies where you click, ragdolls by a limb. It plays by itself; let go, and it flies on
    """

    bl_idname = "verlet.grab"
    bl_label = "Grab"
    bl_options = {"REGISTER"}

    is_running = False  # in some window
    _is_holding = False
    _has_started = False  # the playback
    _view: View
    _mouse: Vector  # px in the region, moved on by as much as counts
    _last: tuple[int, int]  # px in the window, where the mouse was last
    _depth: Vector  # m, a place as far away as the hand is
    _offset: Vector  # m, from where the mouse points to what is held

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not in_object_or_pose_mode(cls, context):
            return False
        scene = context.scene
        if not participants.bakeable_objects(scene, None):
            cls.poll_message_set(
                "Nothing moves that is not baked: press Cloth, Rigid Body or another verb first, "
                "or Free Bake"
            )
            return False
        running = session.of(scene)
        if running is not None and running.bake_progress is not None:
            cls.poll_message_set("A bake is running: press Esc to stop it")
            return False
        if running is not None and any(problem.is_error for problem in running.problems):
            cls.poll_message_set("It cannot be simulated: see the panel Simulate")
            return False
        screen = context.screen
        if bpy.app.background or context.window is None:
            cls.poll_message_set("Grabbing needs a window")
            return False
        if screen is None or all(area.type != "VIEW_3D" for area in screen.areas):
            cls.poll_message_set("There is no 3D view to grab anything in")
            return False
        if cls.is_running:
            cls.poll_message_set("Press and drag in the 3D view; Esc ends")
            return False
        return True

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        context.window_manager.modal_handler_add(self)
        VERLET_OT_grab.is_running = True
        self._show(context, WAITING)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        running = session.of(context.scene)
        if self._is_holding and not self._still_holds(context, running):
            self._is_holding = False
            self._show(context, WAITING)
        if event.type.startswith("TIMER") or event.type in {"NONE", "WINDOW_DEACTIVATE"}:
            return {"PASS_THROUGH"}
        if self._is_holding:
            assert running is not None
            return self._drag(context, event, running)
        return self._wait(context, event)

    def cancel(self, context: bpy.types.Context) -> None:
        """Blender ends it: another file is loaded, or a window closes."""
        self._end(context)

    # ------------------------------------------------------------------ nothing is held

    def _wait(self, context: bpy.types.Context, event: bpy.types.Event) -> Result:
        if event.value != "PRESS" or event.type not in {"LEFTMOUSE", "RIGHTMOUSE", "ESC", "RET"}:
            return {"PASS_THROUGH"}
        view = view_under(context, event)
        if event.type in {"ESC", "RET"} or (event.type == "RIGHTMOUSE" and view is not None):
            self._stop_playing(context)
            self._end(context)
            return {"FINISHED"}
        if view is None or event.type != "LEFTMOUSE":
            return {"PASS_THROUGH"}
        try:
            self._take(context, event, view)
        except VerletError as error:
            self.report({"WARNING"}, str(error))
        return {"RUNNING_MODAL"}

    def _take(self, context: bpy.types.Context, event: bpy.types.Event, view: View) -> None:
        """Take hold of what is under the mouse and play. Raises VerletError with the reason."""
        from ..live import hand  # loads the kernels

        scene = context.scene
        running = ready_session(scene)
        frame = scene.frame_current
        mouse = Vector((event.mouse_x - view.region.x, event.mouse_y - view.region.y))
        pick = pick_under(context, running, view, mouse)
        if pick is None:
            raise VerletError("Nothing that moves is under the mouse")
        hand.take(running, frame, pick)
        self._view, self._mouse = view, mouse
        self._last = event.mouse_x, event.mouse_y
        self._depth = Vector(pick.place)
        self._offset = Vector((0.0, 0.0, 0.0))
        self._offset = self._depth - self._pointed_at()
        self._is_holding = True
        self._show(context, f"{pick.name}   |   {HOLDING}")
        if not context.screen.is_animation_playing:
            self._has_started = True
            bpy.ops.screen.animation_play()

    # ------------------------------------------------------------------ something is held

    def _still_holds(self, context: bpy.types.Context, running: Session | None) -> bool:
        """Whether what was taken is held yet; lets go where playback began anew, or failed."""
        if running is None or running.hold is None:
            return False
        if running.failure or running.is_outdated or context.scene.frame_current < running.last:
            running.hold = None
            return False
        return True

    def _drag(self, context: bpy.types.Context, event: bpy.types.Event, running: Session) -> Result:
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            running.hold = None
            self._is_holding = False
            self._show(context, WAITING)
        elif event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            self._put_back(context, running)
        elif event.type in {"MOUSEMOVE", "INBETWEEN_MOUSEMOVE"}:
            share = FINER if event.ctrl else 1.0
            x, y = self._last
            self._mouse += share * Vector((event.mouse_x - x, event.mouse_y - y))
            self._last = event.mouse_x, event.mouse_y
            self._lead(running)
        elif event.type in {"WHEELUPMOUSE", "WHEELDOWNMOUSE"}:
            away = 1.0 if event.type == "WHEELUPMOUSE" else -1.0
            self._push(away * PUSH * (FINER if event.ctrl else 1.0))
            self._lead(running)
        return {"RUNNING_MODAL"}

    def _pointed_at(self) -> Vector:
        """Where the mouse points to, as far away as the hand is."""
        region, space = self._view.region, self._view.space
        place = view3d_utils.region_2d_to_location_3d(region, space, self._mouse, self._depth)
        return place + self._offset

    def _lead(self, running: Session) -> None:
        x, y, z = self._pointed_at()
        if np.isfinite((x, y, z)).all() and running.hold is not None:
            running.hold.target = (float(x), float(y), float(z))
        self._view.area.tag_redraw()

    def _push(self, share: float) -> None:
        """Move the hand along the view by a share of how far it is away."""
        region, space = self._view.region, self._view.space
        along = view3d_utils.region_2d_to_vector_3d(region, space, self._mouse)
        far = space.view_distance
        if space.is_perspective:
            origin = view3d_utils.region_2d_to_origin_3d(region, space, self._mouse)
            far = (self._depth - origin).length
        self._depth = self._depth + along * (share * far)

    def _put_back(self, context: bpy.types.Context, running: Session) -> None:
        """As it was when it was taken: that frame, and nothing simulated after it."""
        from ..live import hand

        self._stop_playing(context)
        context.scene.frame_set(hand.give_back(running))
        self._is_holding = False
        self._show(context, WAITING)

    # ------------------------------------------------------------------ the window

    def _stop_playing(self, context: bpy.types.Context) -> None:
        if self._has_started and context.screen.is_animation_playing:
            bpy.ops.screen.animation_cancel(restore_frame=False)
        self._has_started = False

    def _show(self, context: bpy.types.Context, text: str) -> None:
        context.window.cursor_modal_set("SCROLL_XY" if self._is_holding else "HAND")
        if context.workspace is not None:
            context.workspace.status_text_set(text)
        redraw.panels()

    def _end(self, context: bpy.types.Context) -> None:
        """Leave nothing behind."""
        VERLET_OT_grab.is_running = False
        running = session.of(context.scene) if context.scene is not None else None
        if running is not None:
            running.hold = None
        if context.window is not None:
            context.window.cursor_modal_restore()
        for workspace in bpy.data.workspaces:
            workspace.status_text_set(None)
        redraw.panels()


def view_under(context: bpy.types.Context, event: bpy.types.Event) -> View | None:
    """The 3D view that the mouse is over; None over anything else, its own sidebar too."""
    x, y = event.mouse_x, event.mouse_y
    for area in context.screen.areas:
        if area.type != "VIEW_3D" or not _is_in(area, x, y):
            continue
        if any(
            r.type != "WINDOW" and r.alignment != "NONE" and _is_in(r, x, y) for r in area.regions
        ):
            return None
        for region in area.regions:
            space = region.data
            if region.type == "WINDOW" and _is_in(region, x, y) and space is not None:
                return View(area, region, space)
    return None


def _is_in(box: bpy.types.Area | bpy.types.Region, x: int, y: int) -> bool:
    return box.x <= x < box.x + box.width and box.y <= y < box.y + box.height


def ready_session(scene: bpy.types.Scene) -> Session:
    """The scene's simulation, in a frame that it has simulated: the start where nothing else is.

    Raises VerletError with the reason why there is none.
    """
    from ..live import simulation
    from ..properties.scenes import start_frame

    running = session.of(scene)
    if running is not None and running.is_ready:
        simulation.settle(scene, running)
    if running is None or not running.is_sound or scene.frame_current < running.start:
        scene.frame_set(start_frame(scene))
        running = session.of(scene)
    if running is None or not running.is_ready or running.failure:
        problems = [] if running is None else [p.message for p in running.problems if p.is_error]
        reason = problems[0] if problems else running.failure if running is not None else ""
        raise VerletError(reason or "Nothing is set up: press Cloth or another verb first")
    if scene.frame_current > running.last:
        scene.frame_set(running.last)
    return running


def pick_under(
    context: bpy.types.Context, running: Session, view: View, mouse: Vector
) -> Pick | None:
    """What moves under the mouse: what a ray hits; else, or before it, what is thin and near."""
    from ..live import hand

    scene, frame = context.scene, context.scene.frame_current
    region, space = view.region, view.space
    origin = view3d_utils.region_2d_to_origin_3d(region, space, mouse)
    along = view3d_utils.region_2d_to_vector_3d(region, space, mouse)
    depsgraph = context.evaluated_depsgraph_get()
    is_hit, place, _, _, ob, _ = scene.ray_cast(depsgraph, origin, along)
    x, y, z = place
    hit = hand.pick_on(running, frame, ob.original, (x, y, z)) if is_hit else None
    behind = (place - origin).dot(along) if is_hit else np.inf
    near = PICK_DISTANCE * context.preferences.system.ui_scale

    def distances(places: Floats) -> Floats:
        away = _distances(view, places, mouse)
        depth = (places - np.array(origin)) @ np.array(along)
        reach = behind + 0.02 * abs(behind) if np.isfinite(behind) else np.inf
        return np.where((away <= near) & (depth <= reach), away, np.inf)

    return hand.pick_near(running, frame, distances, thin_only=hit is not None) or hit


def _distances(view: View, places: Floats, mouse: Vector) -> Floats:
    """How far places (n, 3) are from the mouse on the screen, px; ∞ behind the viewer."""
    matrix = np.array(view.space.perspective_matrix)
    seen = places @ matrix[:3, :3].T + matrix[:3, 3]
    w = places @ matrix[3, :3] + matrix[3, 3]
    with np.errstate(divide="ignore", invalid="ignore"):
        half = np.array([0.5 * view.region.width, 0.5 * view.region.height])
        pixel = (seen[:, :2] / w[:, None] + 1.0) * half
    away = np.hypot(pixel[:, 0] - mouse.x, pixel[:, 1] - mouse.y)
    return np.where(w > 0.0, away, np.inf)


CLASSES = (VERLET_OT_grab,)
