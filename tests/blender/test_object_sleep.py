"""Cloth that has come to rest sleeps in Blender too, wakes, and is baked as it was seen."""

import bpy
import numpy as np
import pytest
from small_scenes import body, cloth, floor, play, seen, session_of

pytestmark = pytest.mark.usefixtures("scene")

LAST = 60


@pytest.fixture
def laid(scene):
    """A sheet that lies down on a floor, and a crate beside it that falls on it in frame 45."""
    scene.frame_end = LAST
    floor()
    sheet = cloth(name="Sheet", size=20, spacing=0.05, location=(0, 0, 0.1))
    crate = body(name="Crate", size=0.2, location=(0, 0, 1.2))
    crate.verlet.body.type = "ANIMATED"
    for frame, pin in ((44, 1.0), (45, 0.0)):
        crate.verlet.animated.pin = pin
        crate.keyframe_insert("verlet.animated.pin", frame=frame)
    return sheet, crate


def sleeps(scene, frame):
    """Whether the sheet sleeps in a frame that was simulated."""
    running = session_of(scene)
    number = [span.name for span in running.model.objects].index("Sheet")
    return bool(running.cache[frame].rest.time[number] >= 0.5)


def test_it_sleeps_until_something_falls_on_it(scene, laid):
    play(scene, 1, LAST)
    states = [sleeps(scene, frame) for frame in range(1, LAST + 1)]
    assert states[40]
    assert not states[-1]  # hit
    assert states.index(True) < 30


def test_a_bake_is_what_was_seen(scene, laid):
    sheet, _ = laid
    shown = {}
    for frame in range(1, LAST + 1):
        scene.frame_set(frame)
        if frame in (10, 40, 55, LAST):
            shown[frame] = seen(sheet)
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    for frame, points in shown.items():
        scene.frame_set(frame)
        np.testing.assert_allclose(seen(sheet), points, atol=3e-6)
