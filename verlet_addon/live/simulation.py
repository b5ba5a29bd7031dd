"""Goes on with a scene's simulation: builds it at the start frame, adds frames, shows them."""

from collections.abc import Mapping
from operator import attrgetter

import bpy
import numpy as np

from ...core.arrays import Floats
from ...core.cache import FrameCache
from ...core.coupling.tying import Tying, ties_of
from ...core.errors import ModelError, VerletError
from ...core.geometry.affine import inverse
from ...core.model import FrameInputs, State
from ...core.particles.particle_bodies.four_particles import body_poses
from ...core.settings import SolverSettings
from .. import jobs, session
from ..blender import window_thread
from ..inputs.participant import Participant
from ..inputs.scene_inputs import SceneInputs
from ..problem import Problem
from ..properties import bake_record, participants
from ..properties.kinds import RAGDOLL
from ..properties.scenes import frame_duration, start_frame
from ..ragdoll import bone_bodies, doubts, stick_figures
from ..scene import action_digests
from ..scene.frame_inputs import factors_at_start, read_frame
from ..scene.problems import doubts_about_integrator, problem_of
from ..scene.reading import read_inputs
from ..scene.timeless import timeless_digests
from ..session import Placement, Session
from ..session.frame_job import FrameJob
from ..session.phase import EventKind
from ..transforms import affine
from . import delivery, hand, keeping, preview, takes
from .build_job import BuildJob
from .frame_blend import between, differ
from .moved import Moved, moved_in, parent_matrix, world_matrix

MOMENT = 0.05
"""s: what takes no longer to build is there at once."""


@participants.listed_once()
def visit_frame(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, *, may_skip: bool, may_wait: bool
) -> None:
    """After a frame was evaluated: simulate it if it is next, and show it.

    ``may_skip``: frames that playback left out are simulated on the way. ``may_wait``: nobody needs
    it at once, so what takes long is simulated in a thread and shown when it is visited again.
    """
    frame = scene.frame_current
    running = session.of(scene)
    if running is None or not running.is_ready:
        return
    last = running.last
    limit = last + (_longest_gap(running) if may_skip else 1)
    is_whole = not scene.frame_subframe  # what drives a frame is that of its own moment
    if running.job is not None:
        _collect(running, depsgraph, may_wait=may_wait)
    elif is_whole and last < frame <= limit and _may_go_on(scene, running):
        if not (may_wait and delivery.takes_long(running)):
            _simulate(scene, running, depsgraph, frame)
        elif frame == last + 1:
            _hand_over(scene, running, depsgraph)
    preview.show_now(scene, running, depsgraph, is_new=frame > last)


def _longest_gap(running: Session) -> int:
    """Frames that may be simulated at one go: a second's worth while somebody waits."""
    return 1_000_000 if bpy.app.background else round(1.0 / running.inputs.frame_duration)


def _may_go_on(scene: bpy.types.Scene, running: Session) -> bool:
    """Whether the next frame may be simulated with the model as it is."""
    if running.failure or running.is_outdated:
        return False
    if frame_duration(scene) != running.inputs.frame_duration and not running.is_outdated:
        running.happened(EventKind.EDITED)
    settle(scene, running)
    return not running.is_outdated


def settle(scene: bpy.types.Scene, running: Session) -> None:
    """Find out whether what was changed puts the frames out of date, where that is not known."""
    if running.phase.is_suspect:
        now = timeless_digests(scene, running.timeless)
        running.happened(EventKind.COMPARED, differs=running.timeless != now)
        running.changed = _names_of_changed(scene, running, now)


def _names_of_changed(
    scene: bpy.types.Scene, running: Session, now: Mapping[int, bytes]
) -> list[str]:
    """Names of all whose `timeless_digests` are others now, with those of what is gone."""
    before = running.timeless
    uids = {uid for uid in {*before, *now} if before.get(uid) != now.get(uid)}
    names = {ob.name for ob in scene.objects if ob.session_uid in uids}
    names |= {p.name for p in running.inputs.participants if p.uid in uids and p.uid not in now}
    if running.start != start_frame(scene):
        return [*sorted(names), "the start frame"]
    if running.inputs.frame_duration != frame_duration(scene):
        return [*sorted(names), "the frame rate"]
    return sorted(names) + ["the world or a joint"] * (0 in uids)


def compare_at_start(
    scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, *, may_wait: bool
) -> None:
    """At the start frame: keep the simulated frames if nothing has changed, else begin anew.

    ``may_wait``: nobody needs it at once, so what takes long to build is built in a thread, and is
    there when the start frame is visited again.
    """
    start = start_frame(scene)
    running = session.of(scene)
    if running is not None and running.building is not None:
        if may_wait and not running.building.is_done:
            return  # what was changed meanwhile is seen when it is there
        jobs.finish()
    known: dict[int, Participant] = {}
    problems: list[Problem] = []
    if running is not None and running.inputs is not None:
        known = {p.uid: p for p in running.inputs.participants}
    try:
        inputs, problems = read_inputs(scene, depsgraph, known)
        if running is not None and running.is_current(inputs):
            running.happened(EventKind.FOUND_CURRENT)
            if running.building is not None:
                _take_model(scene, depsgraph, running)
            return
        if any(bake_record.is_baked(ob) for ob in participants.simulated_objects(scene)):
            inputs, problems = read_inputs(scene, depsgraph, {})
        problems += [
            problem
            for participant in inputs.by_kind.get(RAGDOLL, [])
            for problem in doubts.of_size(participant)
        ]
        _begin(scene, depsgraph, inputs, problems, may_wait=may_wait)
    except ModelError as error:
        mending = [problem for problem in problems if problem.operator == doubts.SCALE]
        session.begin(scene, start).problems = [*mending, problem_of(error)]
    except VerletError as error:
        session.begin(scene, start).problems = [Problem(str(error), is_error=True)]


def _begin(
    scene: bpy.types.Scene,
    depsgraph: bpy.types.Depsgraph,
    inputs: SceneInputs,
    problems: list[Problem],
    *,
    may_wait: bool,
) -> None:
    """A new simulation. With an error in any object there is none, and the panel says why."""
    for ob in scene.objects:
        if ob.library is None:
            preview.clear(ob)
    running = session.begin(scene, inputs.start)
    running.problems = problems
    running.inputs = inputs
    running.timeless = timeless_digests(scene)
    running.actions = action_digests.digests(depsgraph)
    found = participants.find_objects(inputs.participants)
    running.hung_on = {ob.session_uid: participants.parent_uid(ob) for ob in found if ob}
    if any(problem.is_error for problem in problems):
        return
    running.building = job = BuildJob(inputs, keeping.names_of(scene))
    if may_wait:
        jobs.begin(job)
        if not job.wait(MOMENT):
            delivery.expect()
            return
    else:
        job.run()
    _take_model(scene, depsgraph, running)


def _take_model(scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph, running: Session) -> None:
    """Begin with the model that was built; Blender stands on the start frame."""
    job, running.building = running.building, None
    assert isinstance(job, BuildJob)
    inputs = job.inputs
    try:
        model = job.result()
    except ModelError as error:  # not built again before something is changed
        mending = [problem for problem in running.problems if problem.operator == doubts.SCALE]
        running.problems = [*mending, problem_of(error)]
        return
    if model is None:
        return
    running.problems += doubts_about_integrator(model, inputs.solver)
    takes.begin(scene, running)
    window_thread.stand_by()
    duration = inputs.frame_duration
    running.cache = FrameCache(model)
    running.cache.store(
        model.initial_state(
            inputs.start,
            step=duration / inputs.solver.substep_count(duration),
            gravity=inputs.gravity,
        )
    )
    bodies = np.array([p.matrix for p in running.participants("BODY")]).reshape(-1, 4, 4)
    local = {p.uid: p.matrix for p in running.particle_objects()}
    parents = _parent_matrices(running, depsgraph, Moved())
    running.model = model
    ragdoll = running.participants(RAGDOLL)
    running.moved_bones = {p.uid: bone_bodies.moved_names(p) for p in ragdoll}
    running.bone_notes = {p.uid: bone_bodies.notes(p) for p in ragdoll}
    for participant, ob in zip(ragdoll, participants.find_objects(ragdoll)):
        running.problems += [] if ob is None else doubts.of(participant, ob)
    worlds = {p.uid: p.matrix for p in ragdoll}
    holds = stick_figures.holds_at_start(running)
    placed = _placed_bones(running, running.cache[inputs.start], holds)
    poses = bone_bodies.own_poses(placed, depsgraph, worlds, {})
    running.placements.append(Placement(bodies, local, parents, poses, holds=holds))
    for participant in running.particle_objects():
        running.files[participant.uid] = file = preview.open_file(participant, inputs.start)
        file.append(inputs.start, participant.particles.shown(participant.points))
    keeping.begin(scene, running, job.digests)


def _simulate(
    scene: bpy.types.Scene, running: Session, depsgraph: bpy.types.Depsgraph, frame: int
) -> None:
    """Simulate up to ``frame``. Inputs of frames that playback left out are blended between."""
    first = running.last
    before = running.last_inputs or _resting_inputs(running)
    target = _read(scene, running, depsgraph)
    if frame > first + 1 and running.phase.guessed is None and differ(before, target):
        running.happened(EventKind.GUESSED, first + 1)
    for number in range(first + 1, frame + 1):
        share = (number - first) / (frame - first)
        step = 1.0 / (frame - first)
        inputs = target if step == 1.0 else between(before, target, share, step)
        job = _job(running, inputs)
        jobs.finish()  # a dropped one may be at work on this very model
        job.run()
        _take(running, job, depsgraph)
        if running.failure:
            break


def _hand_over(scene: bpy.types.Scene, running: Session, depsgraph: bpy.types.Depsgraph) -> None:
    """Have the next frame simulated in a thread, from what drives it now."""
    take_back = running.noted()
    inputs = _read(scene, running, depsgraph)
    running.job = _job(running, inputs)
    running.job.take_back = take_back
    jobs.begin(running.job)
    delivery.expect()


def _collect(running: Session, depsgraph: bpy.types.Depsgraph, *, may_wait: bool) -> None:
    """Take the frame on which Blender stands again from the thread, once it is there."""
    if not may_wait:
        jobs.finish()
    job = running.job
    if job is not None and job.is_done:
        running.job = None
        _take(running, job, depsgraph)


def _read(scene: bpy.types.Scene, running: Session, depsgraph: bpy.types.Depsgraph) -> FrameInputs:
    """What drives the frame on which Blender stands, the user's hand and edits included."""
    takes.note(scene, running, running.last)  # a mesh follows a scale that is changed by hand
    return hand.pulled(running, read_frame(running, scene, depsgraph))


def _job(running: Session, inputs: FrameInputs) -> FrameJob:
    """The frame after the last one."""
    keeping.look_at_limit(running.on_disk)
    return FrameJob(
        frame=running.last + 1,
        index=running.last + 1 - running.start,
        model=running.model,
        before=running.cache[running.last],
        inputs=inputs,
        solver=_solver(running),
        on_disk=running.on_disk,
        is_draft=running.phase.draft is not None,
    )


def _take(running: Session, job: FrameJob, depsgraph: bpy.types.Depsgraph) -> None:
    """Add what came out of a job to the frames; Blender stands on its frame."""
    try:
        done = job.result()
        running.last_diagnostics, running.last_inputs = done.figures, job.inputs
        running.frame_seconds = done.seconds
        if done.figures is not None and done.figures.is_cut:
            running.happened(EventKind.CUT, job.frame)
        for fault in done.faults:
            running.happened(fault, job.frame)
        _keep(running, done.state, depsgraph)
        keeping.lighten(running)
    except VerletError as error:
        running.happened(EventKind.FAILED, text=str(error))


def is_live() -> bool:
    """Whether somebody watches: only then may the clock cut frames short."""
    return not bpy.app.background


def _solver(running: Session) -> SolverSettings:
    """How the next frame is stepped: within the time budget in the live preview only."""
    solver = running.inputs.solver
    return solver if is_live() and running.bake_progress is None else running.once(_unhurried)


def _unhurried(running: Session) -> SolverSettings:
    return running.inputs.solver.without_budget()


def _keep(running: Session, state: State, depsgraph: bpy.types.Depsgraph) -> None:
    """Store a frame, and what is shown of it."""
    bodies = _bodies_of(running, state)
    holds = stick_figures.holds(running, state)
    moved = moved_in(running, bodies, {})
    poses = _poses(running, state, holds, depsgraph, moved)
    if poses:
        moved = moved_in(running, bodies, poses)
    local = {}
    wanted = running.particle_objects()
    for participant, ob in zip(wanted, participants.find_objects(wanted)):
        matrix = None if ob is None else world_matrix(ob, depsgraph, moved)
        if matrix is None or not affine.is_invertible(matrix):
            matrix = running.placements[-1].local[participant.uid]
        local[participant.uid] = matrix
    running.cache.store(state)
    parents = _parent_matrices(running, depsgraph, moved)
    loose = frozenset(
        participant.uid
        for participant, row in _particle_rows(running)
        if not running.last_inputs.animated[row].holds()
    )
    running.placements.append(
        Placement(bodies, local, parents, poses, running.returning, holds, loose)
    )
    for participant, row in _particle_rows(running):
        shown = _shown_positions(running, participant, row, state)
        running.files[participant.uid].append(state.frame, shown)


def _placed_bones(
    running: Session, state: State, holds: Mapping[int, Floats]
) -> list[tuple[Participant, Floats]]:
    """Each ragdoll with the world matrices (m, 4, 4) of its moved bones in a state."""
    ragdolls = bone_bodies.rows_of(running)
    change = bone_bodies.changes(running.model, state) if ragdolls else None
    found = [
        (rows.participant, bone_bodies.placed_bones(rows.participant, change[rows.bodies]))
        for rows in ragdolls
    ]
    for figure in stick_figures.figures_of(running):
        hold = holds[figure.participant.uid]
        found.append((figure.participant, stick_figures.placed_bones(figure, state, hold)))
    return found


def _poses(
    running: Session,
    state: State,
    holds: Mapping[int, Floats],
    depsgraph: bpy.types.Depsgraph,
    moved: Moved,
) -> dict[int, Floats]:
    """Own transforms of the bones of ragdolls that show a state."""
    wanted = running.participants(RAGDOLL)
    if not wanted:
        return {}
    worlds = {
        participant.uid: world_matrix(ob, depsgraph, moved)
        for participant, ob in zip(wanted, participants.find_objects(wanted))
        if ob is not None
    }
    placed = _placed_bones(running, state, holds)
    return bone_bodies.own_poses(placed, depsgraph, worlds, running.placements[-1].poses)


def _particle_rows(running: Session) -> list[tuple[Participant, int]]:
    """Each object made of particles with its row in `Model.objects`."""
    return running.once(_lay_out)


def _lay_out(running: Session) -> list[tuple[Participant, int]]:
    rows = [row for row, span in enumerate(running.model.objects) if span.body < 0]
    return list(zip(running.particle_objects(), rows))


def _shown_positions(
    running: Session, participant: Participant, row: int, state: State
) -> np.ndarray:
    """Local positions, in float32, of what the preview and the bake move.

    What a body holds is shown where it holds it: a blow leaves the two apart by millimetres.
    """
    placement = running.placement(state.frame)
    particles = running.model.objects[row].particles
    position = state.position[particles]
    if participant.uid not in placement.loose:
        for tie in running.once(_ties):
            if tie.object == row:
                position = position.copy()
                held = tie.particle[:, 0] - particles.start
                position[held] = tie.places(state.body_position, state.body_orientation)
    matrix = placement.local[participant.uid]
    local = affine.transformed(inverse(matrix), position)
    return participant.particles.shown(local).astype(np.float32)


def _ties(running: Session) -> list[Tying]:
    return ties_of(running.model.constraints)


def _bodies_of(running: Session, state: State) -> Floats:
    """World matrices (b, 4, 4) of bodies in the frame after the last one; where none has moved, the
    very array of that one.
    """
    if not running.participants("BODY"):
        return running.placements[-1].bodies
    before = running.cache[running.last]
    poses = (body_poses(running.model, one) for one in (state, before))
    if all(map(np.array_equal, *poses)):
        return running.placements[-1].bodies
    return world_matrices(running, state)


def world_matrices(running: Session, state: State) -> Floats:
    """World matrices (b, 4, 4) of the bodies' objects: T_t · T_0⁻¹ · M_0."""
    rows = running.body_rows
    position, orientation = (a[rows] for a in body_poses(running.model, state))
    held = running.held_bodies
    if held is None:
        start = [a[rows] for a in body_poses(running.model, running.cache[running.start])]
        held = inverse(_rigid(*start)) @ running.placements[0].bodies
        running.held_bodies = held
    return _rigid(position, orientation) @ held


def _rigid(position: Floats, orientation: Floats) -> Floats:
    """Matrices (n, 4, 4) that bring what is at the origin to positions and orientations."""
    matrices = np.zeros((len(position), 4, 4))
    matrices[:, :3, :3] = affine.rotation_of(orientation)
    matrices[:, :3, 3] = position
    matrices[:, 3, 3] = 1.0
    return matrices


def _parent_matrices(
    running: Session, depsgraph: bpy.types.Depsgraph, moved: Moved
) -> dict[int, Floats]:
    bodies = participants.find_objects(running.participants("BODY"))
    bodies = [ob for ob in bodies if ob is not None]
    return {
        ob.session_uid: parent_matrix(ob, depsgraph, moved)
        for ob, parent in zip(bodies, map(attrgetter("parent"), bodies))
        if parent is not None
    }


def shown_positions(running: Session, uid: int, frames: range) -> np.ndarray:
    """Local positions (F, n, 3) in float32 of an object made of particles: vertices or points.

    The very numbers that the preview shows.
    """
    participant, row = next(found for found in _particle_rows(running) if found[0].uid == uid)
    rest = participant.particles.shown(participant.points).astype(np.float32)
    return np.stack(
        [
            rest
            if frame == running.start
            else _shown_positions(running, participant, row, running.cache[frame])
            for frame in frames
        ]
    )


def body_matrices(running: Session, uid: int, frames: range) -> tuple[Floats, Floats | None]:
    """World matrices (F, 4, 4) of a body, and those of its parent's space if it has a parent."""
    index = [participant.uid for participant in running.participants("BODY")].index(uid)
    placements = [running.placement(frame) for frame in frames]
    worlds = np.stack([placement.bodies[index] for placement in placements])
    if not all(uid in placement.parents for placement in placements):
        return worlds, None
    return worlds, np.stack([placement.parents[uid] for placement in placements])


def _resting_inputs(running: Session) -> FrameInputs:
    """The inputs at the start frame."""
    model = running.model
    return FrameInputs(
        duration=running.inputs.frame_duration,
        gravity=running.inputs.gravity,
        wind=running.inputs.wind,
        fields=running.inputs.fields,
        pin_position=model.particles.position[model.pins.particle],
        pin_weight=model.pins.weight,
        animated=running.once(factors_at_start),
        collider_position=model.colliders.position,
        collider_orientation=model.colliders.orientation,
        body_position=model.bodies.position,
        body_orientation=model.bodies.orientation,
        mesh_vertex=model.shapes.meshes.vertex,
        joint_speed=model.joints.motor_speed,
        joint_target=model.joints.motor_target,
    )
