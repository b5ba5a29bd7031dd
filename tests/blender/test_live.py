"""Frames that are simulated in a thread while the window goes on: as if they were waited for.

Here Python asks for every frame, so the handlers are told that it was the window.
"""

import threading

import bpy
import numpy as np
import pytest
from small_scenes import (
    addon,
    body,
    box,
    cloth,
    floor,
    new_object,
    pin,
    play,
    seen,
    seen_matrix,
    select,
    session_of,
)

pytestmark = [pytest.mark.usefixtures("scene"), pytest.mark.without_wheels]


@pytest.fixture
def window(monkeypatch):
    """From now on the window asks for frames, and each takes long."""

    def opened():
        addon("live.solver").wait()
        monkeypatch.setattr(addon("handlers"), "_may_wait", lambda _: True)
        monkeypatch.setattr(addon("live.delivery"), "QUICK", -1.0)

    return opened


def visit(scene, frame):
    """Ask for a frame, and again once its thread is done, as the timer would."""
    scene.frame_set(frame)
    finish(scene)
    scene.frame_set(scene.frame_current)


def finish(scene):
    addon("jobs").finish()


def states(scene, last):
    running = session_of(scene)
    return [running.cache[frame].position for frame in range(1, last + 1)]


def test_the_frame_comes_later_with_the_same_bits(scene, window):
    sheet, crate = cloth(), body(location=(0, 0, 3))
    floor()
    play(scene, 1, 12)
    expected, seen_then, place = states(scene, 12), seen(sheet), seen_matrix(crate)
    bpy.ops.verlet.reset()
    window()
    scene.frame_set(2)
    running = session_of(scene)
    assert (running.last, running.job.frame) == (1, 2)
    assert addon("live.status").status(scene)[0] == "Simulating frame 2"
    finish(scene)
    scene.frame_set(2)
    assert (running.last, running.job) == (2, None)
    for frame in range(3, 13):
        visit(scene, frame)
    for before, now in zip(expected, states(scene, 12), strict=True):
        np.testing.assert_array_equal(before, now)
    np.testing.assert_array_equal(seen(sheet), seen_then)
    np.testing.assert_array_equal(seen_matrix(crate), place)


def test_a_pin_that_moves_is_read_where_the_playhead_stands(scene, window):
    sheet = cloth()
    pin(sheet, [0, 1, 2])
    sheet.verlet.pin_group = "Pin"
    sheet.keyframe_insert("location", frame=1)
    sheet.location.x = 1.0
    sheet.keyframe_insert("location", frame=10)
    play(scene, 1, 10)
    expected = states(scene, 10)
    bpy.ops.verlet.reset()
    window()
    for frame in range(2, 11):
        visit(scene, frame)
    for before, now in zip(expected, states(scene, 10), strict=True):
        np.testing.assert_array_equal(before, now)


def test_who_asks_for_the_next_frame_waits_on_the_one_that_is_simulated(scene, window, monkeypatch):
    cloth()
    scene.frame_set(1)
    window()
    module, gate = addon("session.frame_job"), threading.Event()
    real = module.advance
    monkeypatch.setattr(module, "advance", lambda *arguments: gate.wait(60) and real(*arguments))
    scene.frame_set(2)
    scene.frame_set(3)
    assert scene.frame_current == 2
    gate.set()
    finish(scene)
    scene.frame_set(3)  # there, and taken
    assert (scene.frame_current, session_of(scene).last) == (2, 2)
    scene.frame_set(3)
    assert scene.frame_current == 3


def test_who_goes_elsewhere_drops_the_frame_and_nothing_else(scene, window):
    select(box(location=(0, 0, -2)))
    bpy.ops.verlet.collider()
    cloth()
    play(scene, 1, 4)
    window()
    for away in (1, 2, 40):
        scene.frame_set(5)
        running = session_of(scene)
        seen_before = dict(running.seen_meshes)
        assert running.job is not None
        scene.frame_set(away)
        assert running.job is None
        finish(scene)
        assert running.last == 4
        assert running.seen_meshes.keys() == seen_before.keys()
    visit(scene, 5)
    assert session_of(scene).last == 5


def test_what_plays_leaves_no_frame_out_from_the_start_on(scene, window, monkeypatch):
    cloth()
    scene.frame_set(1)
    window()
    monkeypatch.setattr(addon("handlers"), "is_playing", lambda: True)
    for frame in (2, 3, 4):
        scene.frame_set(frame + 5)  # as Frame Dropping asks
        assert scene.frame_current == frame
        visit(scene, frame)
    assert session_of(scene).last == 4
    assert session_of(scene).phase.guessed is None


def test_a_script_waits_for_the_frame_that_is_under_way(scene, window, monkeypatch):
    cloth()
    play(scene, 1, 3)
    window()
    scene.frame_set(4)
    assert session_of(scene).job is not None
    monkeypatch.setattr(addon("handlers"), "_may_wait", lambda _: False)
    scene.frame_set(4)
    assert (session_of(scene).last, session_of(scene).job) == (4, None)
    scene.frame_set(5)
    assert session_of(scene).last == 5


def test_an_edit_meanwhile_acts_from_the_frame_after_it(scene, window):
    body(location=(0, 0, 5))
    play(scene, 1, 5)
    window()
    scene.frame_set(6)
    scene.gravity = (0, 0, 3)
    bpy.context.view_layer.update()
    finish(scene)
    scene.frame_set(6)
    assert session_of(scene).improvised_from is None
    visit(scene, 7)
    assert session_of(scene).improvised_from == 7
    (changes,) = (c for t, c in session_of(scene).takes.items() if t.path == "gravity")
    assert (changes[0].before, changes[0].frame) == (6, 7)


def test_a_setting_changed_meanwhile_puts_the_frames_out_of_date(scene, window):
    sheet = cloth()
    play(scene, 1, 3)
    window()
    scene.frame_set(4)
    sheet.verlet.cloth.bend = 0.9
    visit(scene, 4)
    scene.frame_set(5)
    assert session_of(scene).is_outdated
    assert session_of(scene).job is None


def test_what_is_deleted_undone_or_loaded_meanwhile_leaves_no_job(scene, window):
    sheet, crate = cloth(), body(location=(0, 0, 3))
    play(scene, 1, 3)
    window()
    scene.frame_set(4)
    bpy.data.objects.remove(crate)
    visit(scene, 4)
    assert session_of(scene).job is None
    scene.frame_set(5)
    running = session_of(scene)
    addon("handlers").undo_post()
    assert running.job is None
    visit(scene, 5)
    bpy.ops.verlet.reset()
    finish(scene)
    visit(scene, 2)
    running = session_of(scene)
    scene.frame_set(3)
    job = running.job
    assert job is not None
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    assert job.is_dropped
    finish(scene)
    assert sheet is not None


def test_a_blow_up_is_told_as_ever(scene, window, monkeypatch):
    cloth()
    play(scene, 1, 3)
    error = addon("session.frame_job").VerletError

    def blows_up(*_):
        raise error("on purpose")

    monkeypatch.setattr(addon("session.frame_job"), "advance", blows_up)
    window()
    visit(scene, 4)
    assert session_of(scene).failure == "on purpose"
    scene.frame_set(5)
    assert session_of(scene).job is None


def test_the_view_says_what_it_waits_for(scene, window, monkeypatch):
    cloth()
    play(scene, 1, 3)
    window()
    scene.frame_set(4)
    session_of(scene).frame_seconds = 2.0
    reason, is_error = addon("live.status").reason(scene)
    assert (reason, is_error) == ("Frame 4 is simulated, frame 3 is shown", False)


def test_what_is_quick_is_there_at_once(scene, window, monkeypatch):
    cloth()
    play(scene, 1, 3)
    window()
    monkeypatch.setattr(addon("live.delivery"), "QUICK", 1e9)
    scene.frame_set(4)
    assert (session_of(scene).last, session_of(scene).job) == (4, None)


def test_the_thread_keeps_frames_on_the_disk(scene, window, kept):
    cloth()
    scene.frame_set(1)
    window()
    for frame in range(2, 8):
        visit(scene, frame)
    scene.frame_set(8)
    session_of(scene).drop_job()
    finish(scene)  # a frame that nobody wants may be there, too
    bpy.ops.verlet.reset()
    for frame in range(2, 8):
        visit(scene, frame)
    assert session_of(scene).on_disk.recalled == 6


def test_a_model_that_takes_long_is_built_beside_the_window(scene, window, monkeypatch):
    cloth()
    body(location=(0, 0, 3))
    floor()
    play(scene, 1, 5)
    expected = states(scene, 5)
    bpy.ops.verlet.reset()
    simulation = addon("live.simulation")
    addon("session").drop(scene)
    window()
    monkeypatch.setattr(simulation, "MOMENT", 0.0)
    gate = held_back(monkeypatch)
    scene.frame_set(1)
    running = session_of(scene)
    assert running.building is not None
    assert not running.is_ready
    assert addon("live.status").status(scene)[0] == "Building the simulation"
    scene.frame_set(1)
    assert session_of(scene) is running  # it is under way: nothing is begun anew
    gate.set()
    finish(scene)
    scene.frame_set(1)
    assert (running.building, running.is_ready) == (None, True)
    for frame in range(2, 6):
        visit(scene, frame)
    for before, now in zip(expected, states(scene, 5), strict=True):
        np.testing.assert_array_equal(before, now)


def held_back(monkeypatch):
    """Models are not built before the event that is returned is set."""
    module, gate = addon("live.build_job"), threading.Event()
    build = module.build_model

    def build_later(inputs):
        gate.wait(10.0)
        return build(inputs)

    monkeypatch.setattr(module, "build_model", build_later)
    return gate


def test_what_plays_waits_in_the_start_frame_for_its_model(scene, window, monkeypatch):
    cloth()
    addon("session").drop(scene)
    window()
    monkeypatch.setattr(addon("live.simulation"), "MOMENT", 0.0)
    monkeypatch.setattr(addon("handlers"), "is_playing", lambda: True)
    gate = held_back(monkeypatch)
    for _ in range(3):
        scene.frame_set(2)
        assert scene.frame_current == 1
    gate.set()
    finish(scene)
    scene.frame_set(2)
    assert scene.frame_current == 2
    assert session_of(scene).newest == 2


def test_an_edit_while_it_is_built_is_built_anew(scene, window, monkeypatch):
    sheet = cloth()
    addon("session").drop(scene)
    window()
    monkeypatch.setattr(addon("live.simulation"), "MOMENT", 0.0)
    gate = held_back(monkeypatch)
    scene.frame_set(1)
    first = session_of(scene)
    sheet.verlet.cloth.bend = 0.9
    gate.set()
    for _ in range(2):
        finish(scene)
        scene.frame_set(1)
    running = session_of(scene)
    assert running is not first
    assert running.is_ready
    assert running.inputs.participants[0].settings.bend == pytest.approx(0.9)


def test_a_script_waits_for_the_model(scene, window, monkeypatch):
    cloth()
    addon("session").drop(scene)
    with monkeypatch.context() as patch:
        patch.setattr(addon("handlers"), "_may_wait", lambda _: True)
        patch.setattr(addon("live.simulation"), "MOMENT", 0.0)
        gate = held_back(patch)
        scene.frame_set(1)
        assert not session_of(scene).is_ready
        gate.set()
    scene.frame_end = 4
    assert bpy.ops.verlet.bake() == {"FINISHED"}


def test_what_cannot_be_built_is_told_as_ever(scene, window, monkeypatch):
    ob = new_object("Twins", [(0, 0, 0), (0, 0, 0)], [(0, 1)])
    select(ob)
    bpy.ops.verlet.rope()
    addon("session").drop(scene)
    window()
    monkeypatch.setattr(addon("live.simulation"), "MOMENT", 0.0)
    scene.frame_set(1)
    finish(scene)
    scene.frame_set(1)
    running = session_of(scene)
    scene.frame_set(1)
    assert (session_of(scene), running.building) == (running, None)  # not built once more
    (problem,) = running.problems
    assert "between vertices 0 and 1 has no length" in problem.message


def test_the_solver_is_loaded_beside_the_window(scene, window, monkeypatch):
    cloth()
    floor()
    play(scene, 1, 4)
    expected = states(scene, 4)
    scene.frame_set(1)
    addon("session").drop(scene)
    window()
    solver = addon("live.solver")
    gate = threading.Event()
    monkeypatch.setattr(solver, "is_loaded", gate.is_set)
    monkeypatch.setattr(solver, "wait", lambda: gate.wait(10.0))
    monkeypatch.setattr(addon("handlers"), "is_playing", lambda: True)
    monkeypatch.setattr(addon("live.simulation"), "compare_at_start", None)  # it is not there yet
    for _ in range(3):
        scene.frame_set(2)
        assert scene.frame_current == 1
    running = session_of(scene)
    assert addon("live.status").status(scene)[0] == "Loading the solver"
    monkeypatch.undo()
    window()
    gate.set()
    finish(scene)
    for frame in range(1, 5):
        visit(scene, frame)
    assert session_of(scene) is not running
    for before, now in zip(expected, states(scene, 4), strict=True):
        np.testing.assert_array_equal(before, now)


def test_a_script_waits_for_the_solver(scene, window, monkeypatch):
    cloth()
    addon("session").drop(scene)
    with monkeypatch.context() as patch:
        patch.setattr(addon("handlers"), "_may_wait", lambda _: True)
        patch.setattr(addon("live.solver"), "is_loaded", lambda: False)
        scene.frame_set(1)
        assert session_of(scene).building is not None
    scene.frame_end = 4
    assert bpy.ops.verlet.bake() == {"FINISHED"}


def test_reset_drops_the_model_that_is_built(scene, window, monkeypatch):
    cloth()
    addon("session").drop(scene)
    window()
    monkeypatch.setattr(addon("live.simulation"), "MOMENT", 0.0)
    gate = held_back(monkeypatch)
    scene.frame_set(1)
    job = session_of(scene).building
    addon("session").drop(scene)
    assert job.is_dropped
    gate.set()
    finish(scene)
    assert session_of(scene) is None
