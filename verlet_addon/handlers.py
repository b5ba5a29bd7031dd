"""What happens by itself: frame changes, loading, saving, undo, rendering."""

import sys
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any

import bpy
import numpy as np
from bpy.app.handlers import persistent

from ..core.errors import VerletError
from . import cli, jobs, session
from .bake import cache_file
from .blender import point_cache, redraw, window_thread
from .extract import reading
from .live import delivery, mending, new_origin, preview, render_frames, rendering, solver
from .live.delivery import is_playing
from .properties import bake_record, overrides, participants, rest_pose
from .properties.scenes import frame_duration, note_first_frames, start_frame
from .ragdoll import bone_preview
from .scene import action_digests
from .session.phase import EventKind
from .session.playhead import Playhead, frame_to_show

_shown_while_saving: list[tuple[int, str, dict[str, tuple[float, ...]]]] = []


@persistent
def frame_change_pre(scene: bpy.types.Scene, *_: Any) -> None:
    """Leaving the start frame: what was changed there counts. Then bodies' own places."""
    if reading.is_reading():
        return
    running = session.of(scene)
    if rendering.is_rendering():
        if running is not None and running.is_ready:
            begin = rendering.start_of(scene)
            window_thread.do(lambda: preview.before_frame(scene, begin, running))
        return
    start = start_frame(scene)
    may_wait = _may_wait(sys._getframe().f_back)
    if running is not None:
        _settle_job(scene, running, may_wait=may_wait)
    if scene.frame_current > start:
        depsgraph = _evaluated(scene)
        if depsgraph is not None and _evaluated_frame(depsgraph) == start:
            _guarded(scene, depsgraph, "compare_at_start", may_wait=may_wait)
            _wait_for_model(scene, may_wait=may_wait)
    preview.before_frame(scene, start, session.of(scene))


def _may_wait(caller: FrameType | None) -> bool:
    """Whether the window asks for a frame, and not Python, which wants it at once.

    ``caller``: the Python that called the handler; there is none where Blender itself did.
    """
    return not bpy.app.background and (caller is None or delivery.is_at_work())


def _settle_job(scene: bpy.types.Scene, running: session.Session, *, may_wait: bool) -> None:
    """Hold the playhead where it waits for a frame; whoever goes elsewhere drops that frame."""
    asked, job = scene.frame_current, running.job
    is_waiting = may_wait and running.is_ready and delivery.takes_long(running)
    if is_waiting and not (running.failure or running.is_outdated or running.phase.is_held):
        is_playing_on = is_playing() and not delivery.is_scrubbing()
        simulating = None if job is None else job.frame
        ends = _played_frames(scene)
        playhead = Playhead(running.stood, running.last, simulating, is_playing_on, ends)
        shown = asked if scene.frame_subframe else frame_to_show(playhead, asked)
        if shown != asked:
            _put_playhead(scene, shown)
        if job is not None and shown != asked and is_playing_on:
            job.next_frame = min(asked, job.frame + 1)
    if job is not None and (scene.frame_current != job.frame or scene.frame_subframe):
        running.drop_job()
    running.stood = scene.frame_current


def _wait_for_model(scene: bpy.types.Scene, *, may_wait: bool) -> None:
    """What plays waits on the start frame while the model is built."""
    running = session.of(scene)
    is_built = running is None or running.building is None
    if not is_built and may_wait and is_playing() and not delivery.is_scrubbing():
        _put_playhead(scene, running.start)
        running.stood = running.start


def _played_frames(scene: bpy.types.Scene) -> tuple[int, int]:
    if scene.use_preview_range:
        return scene.frame_preview_start, scene.frame_preview_end
    return scene.frame_start, scene.frame_end


def _put_playhead(scene: bpy.types.Scene, frame: int) -> None:
    """Put it on a frame before Blender evaluates that; to set the property would do it twice."""
    frames = np.empty(len(bpy.data.scenes), dtype=np.int32)
    bpy.data.scenes.foreach_get("frame_current", frames)
    frames[list(bpy.data.scenes).index(scene)] = frame
    bpy.data.scenes.foreach_set("frame_current", frames)


def _evaluated(scene: bpy.types.Scene) -> bpy.types.Depsgraph | None:
    """What is evaluated of a scene now, without evaluating anything."""
    is_shown = scene == bpy.context.scene
    view_layer = bpy.context.view_layer if is_shown else scene.view_layers[0]
    return view_layer.depsgraph


def _evaluated_frame(depsgraph: bpy.types.Depsgraph) -> int | None:
    """The frame that a depsgraph was evaluated in; None where it never was, as in a new scene."""
    evaluated = depsgraph.scene_eval
    return evaluated.frame_current if isinstance(evaluated, bpy.types.Scene) else None


@persistent
def frame_change_post(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Simulate the frame if it is the next one, and show it."""
    if reading.is_reading():
        return
    if rendering.is_rendering():
        _show_to_render(scene, depsgraph)
        return
    may_wait = _may_wait(sys._getframe().f_back)
    if preview.time_of(scene) == start_frame(scene):
        _guarded(scene, depsgraph, "compare_at_start", may_wait=may_wait)
    elif session.of(scene) is not None:
        may_skip = bpy.app.background or is_playing()
        _guarded(scene, depsgraph, "visit_frame", may_skip=may_skip, may_wait=may_wait)
        _mend_preview(scene)
    redraw.panels()


def _show_to_render(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Show the frame, or the moment between two, in the depsgraph of a render."""
    rendering.note_lacking(scene)
    running = session.of(scene)
    if running is None or not running.is_ready:
        return
    if not window_thread.do(lambda: preview.show_now(scene, running, depsgraph)):
        print(f"Verlet Physics: the window was busy: frame {scene.frame_current} may be wrong")


def look_at_start(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Build the scene's simulation in its start frame, where it stands now; nobody waits for it."""
    _guarded(scene, depsgraph, "compare_at_start", may_wait=not bpy.app.background)


def _mend_preview(scene: bpy.types.Scene) -> None:
    """Where frames are looked at again, make sure that their files are there."""
    running = session.of(scene)
    if running is not None and running.is_ready and scene.frame_current < running.last:
        try:
            mending.mend_files(running)
        except VerletError as error:  # the disk has lost a frame
            _fail_with(scene, str(error))


def _guarded(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, task: str, **options: bool
) -> None:
    """Run a task of `simulation`, which loads kernels: only in scenes that simulate something."""
    running = session.of(scene)
    if running is None and not participants.has_any(scene):
        return
    if running is not None and running.phase.is_held and task == "compare_at_start":
        return  # a bake reads these frames
    if options["may_wait"] and not solver.is_loaded():
        if task == "compare_at_start" and running is None:
            _load_solver(scene)
        return
    from .live import simulation

    try:
        getattr(simulation, task)(scene, depsgraph, **options)
    except VerletError as error:
        _fail_with(scene, str(error))
    except Exception as error:  # a traceback for each frame would help nobody
        traceback.print_exc()
        _stop_with(scene, error)


def _load_solver(scene: bpy.types.Scene) -> None:
    """Have the solver loaded beside the window; the start frame is looked at when it is there."""
    running = session.begin(scene, start_frame(scene))
    running.building = job = solver.LoadJob()
    jobs.begin(job)
    delivery.expect()


def _stop_with(scene: bpy.types.Scene, error: Exception) -> None:
    """Show an unexpected error in the panel and simulate no further."""
    _fail_with(
        scene,
        f"{type(error).__name__}: {error}. Press Reset; if it comes again, please report it "
        "with the text in the system console",
    )


def _fail_with(scene: bpy.types.Scene, failure: str) -> None:
    """Show in the panel what keeps the simulation from going on."""
    running = session.of(scene) or session.begin(scene, start_frame(scene))
    running.happened(EventKind.FAILED, text=failure)
    running.problems = [p for p in running.problems if p.is_error]


@persistent
def depsgraph_update_post(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """Notice edits of meshes and actions while frames are kept; compared before going on.

    What the preview itself has tagged while it plays is no edit: comparing reads every weight.
    """
    running = session.of(scene)
    if running is None or running.inputs is None:
        return
    if reading.is_reading():
        return
    own = running.awaited if running.awaited and is_playing() else frozenset()
    for update in depsgraph.updates:
        if isinstance(update.id, bpy.types.Action):
            if _is_edited(running, update.id.original):
                running.happened(EventKind.ACTION_EDITED)
        elif update.is_updated_geometry and update.id.original.session_uid not in own:
            running.happened(EventKind.EDITED)
        if update.is_updated_transform and update.is_updated_geometry:
            _follow_origin(running, update.id.original, depsgraph)
        if update.is_updated_transform and _drives(running, update.id.original):
            running.improvise(update.id.original.session_uid)
    if _is_gravity_new(scene, running):
        running.improvise(scene.session_uid)
    if frame_duration(scene) != running.inputs.frame_duration and not running.is_outdated:
        running.happened(EventKind.EDITED)
    running.awaited.clear()


def _follow_origin(
    running: session.Session, datablock: bpy.types.ID, depsgraph: bpy.types.Depsgraph
) -> None:
    if isinstance(datablock, bpy.types.Object):
        new_origin.follow(running, datablock, depsgraph)


def _is_edited(running: session.Session, action: bpy.types.Action) -> bool:
    """Whether an action that Blender has tagged is another than where the simulation began."""
    if action.get(bake_record.BAKE_MARK):
        return False
    known = running.actions.get(action.session_uid)
    return known is None or known != action_digests.digest(action)


def _drives(running: session.Session, datablock: bpy.types.ID) -> bool:
    """Whether a datablock is an object that drives the simulation by where its user puts it.

    Not one that the preview moves, nor one that may follow such a one, but at the moment when any
    gets another parent: a bake begins where that puts it.
    """
    if not isinstance(datablock, bpy.types.Object):
        return False
    uid, parent = datablock.session_uid, participants.parent_uid(datablock)
    if running.hung_on.get(uid, parent) != parent:
        running.hung_on[uid] = parent
        return True
    if rest_pose.is_stored(datablock):
        return False
    if datablock.parent is not None or len(datablock.constraints):
        return False
    is_field = datablock.field is not None and datablock.field.type != "NONE"
    return is_field or datablock.verlet.is_impulse or uid in running.driving


def _is_gravity_new(scene: bpy.types.Scene, running: session.Session) -> bool:
    """Whether gravity is another than in the last simulated frame, which is shown."""
    last = running.newest_inputs
    if last is None or scene.frame_current != running.newest:
        return False
    now = tuple(scene.gravity) if scene.use_gravity else (0.0, 0.0, 0.0)
    return now != tuple(last.gravity)


@persistent
def undo_post(*_: Any) -> None:
    """Every datablock is a new one, perhaps with other settings: compare, then show the frame."""
    session.distrust_all()
    rest_pose.look_again()
    bone_preview.look_again()
    for scene in bpy.data.scenes:
        _show_again(scene)


def _show_again(scene: bpy.types.Scene) -> None:
    """Put the preview of the current frame back, where undo or saving took it away."""
    running = session.of(scene)
    if running is None or not running.is_ready or scene != bpy.context.scene:
        return
    if not rendering.is_rendering():
        preview.show_now(scene, running, bpy.context.evaluated_depsgraph_get(), is_new=True)


@persistent
def load_pre(*_: Any) -> None:
    """Nothing of the old file may be shown in the new one."""
    session.drop_all()
    rendering.forget()


@persistent
def load_post(blend: str, *_: Any) -> None:
    """A file that was saved behind our back (autosave, a crash) holds preview poses."""
    session.drop_all()
    cache_file.forget_undo()
    cache_file.note_saved(blend)
    note_first_frames()
    for ob in bpy.data.objects:
        if ob.library is None:
            for holder in rest_pose.holders(ob):
                rest_pose.adopt_after_load(holder)
            point_cache.detach(ob)


@persistent
def save_pre(*_: Any) -> None:
    """A saved file holds the user's own transforms and no preview."""
    overrides.prepare_linked()
    _shown_while_saving.clear()
    for ob in bpy.data.objects:
        if ob.library is not None:
            continue
        if rest_pose.is_stored(ob):
            _shown_while_saving.append((ob.session_uid, ob.name, rest_pose.shown(ob)))
        preview.clear(ob)


@persistent
def is_saved(blend: str, *_: Any) -> None:
    """What the file plays is on the disk now."""
    cache_file.note_saved(blend)


@persistent
def save_post(*_: Any) -> None:
    """Show the same as before saving."""
    for uid, name, values in _shown_while_saving:
        ob = participants.find_object(uid, name)
        if ob is not None:
            rest_pose.show_again(ob, values)
    _shown_while_saving.clear()
    for scene in bpy.data.scenes:
        running = session.of(scene)
        if running is not None and running.is_ready and scene.frame_current > running.start:
            preview.attach_files(running)
            preview.show_ragdolls(running, preview.time_of(scene))


@persistent
def render_begins(scene: bpy.types.Scene, *_: Any) -> None:
    """A render begins. A farm has no panel: say in its log what is not baked."""
    rendering.begin(scene)
    unbaked = [ob.name for ob in participants.bakeable_objects(scene, None)]
    if bpy.app.background and unbaked:
        print(
            "Verlet Physics: not baked, so simulated from the start for this render: "
            f"{', '.join(unbaked)}. A farm is faster with a bake: "
            f"blender -b FILE --command {cli.BAKE_COMMAND}",
            flush=True,
        )


@persistent
def frame_is_rendered(scene: bpy.types.Scene, *_: Any) -> None:
    """A frame of a render comes next."""
    render_frames.prepare_frame(scene)


@persistent
def render_ends(scene: bpy.types.Scene, *_: Any) -> None:
    """The viewport follows the timeline again."""
    rendering.end(scene)


_HANDLERS: tuple[tuple[str, Callable[..., None]], ...] = (
    ("frame_change_pre", frame_change_pre),
    ("frame_change_post", frame_change_post),
    ("depsgraph_update_post", depsgraph_update_post),
    ("undo_post", undo_post),
    ("redo_post", undo_post),
    ("load_pre", load_pre),
    ("load_post", load_post),
    ("save_pre", save_pre),
    ("save_post", is_saved),
    ("save_post", save_post),
    ("save_post_fail", save_post),
    ("render_init", render_begins),
    ("render_pre", frame_is_rendered),
    ("render_complete", render_ends),
    ("render_cancel", render_ends),
)


def register() -> None:
    """Register every handler."""
    for event, function in _HANDLERS:
        getattr(bpy.app.handlers, event).append(function)


def unregister() -> None:
    """Take the handlers and every preview away."""
    for event, function in _HANDLERS:
        functions = getattr(bpy.app.handlers, event)
        if function in functions:
            functions.remove(function)
    session.drop_all()
    rendering.forget()
    delivery.unregister()
    window_thread.unregister()
    if hasattr(bpy.data, "objects"):  # not while Blender starts or quits
        preview.clear_all()
