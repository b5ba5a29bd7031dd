"""Blender is killed at random moments, the disk is full, files are damaged: nothing is lost.

A few moments each; `VERLET_MOMENTS=50` asks for as many. Every moment has a seed, which a failure
names: `VERLET_MOMENTS=1 VERLET_SEED=17` repeats that one.
"""

import os
import random
import signal
import subprocess
import sys
import time

import bpy
import numpy as np
import pytest
from small_scenes import addon, body, cloth, floor, seen, session_of

pytestmark = pytest.mark.usefixtures("kept")

MOMENTS = int(os.environ.get("VERLET_MOMENTS", "4"))
FIRST = int(os.environ.get("VERLET_SEED", "1"))
SEEDS = range(FIRST, FIRST + MOMENTS)
LAST = 24
BENDS = (0.2, 0.4, 0.6)
LIFE = 6.0  # s in which a process plays, bakes and saves, at most
FORGIVEN = 1.0  # s before the end whose frames may be lost

CHILD = """
import random, resource, sys, time
import bpy
import addon_utils

module, path, told, seed, last, most = sys.argv[-6:]
if int(most):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), int(most)))
addon_utils.enable(module, default_set=True)
bpy.context.preferences.addons[module].preferences.keep_frames = "ALWAYS"
bpy.ops.wm.open_mainfile(filepath=path)
journal = open(told, "a", buffering=1)
chance, last = random.Random(int(seed)), int(last)
scene = bpy.context.scene
sheet = bpy.data.objects["Cloth"]


def note(what, value=""):
    journal.write(f"{time.monotonic()} {what} {value}\\n")


def remarks():
    from importlib import import_module
    running = import_module(module + ".verlet_addon.session").of(scene)
    status = import_module(module + ".verlet_addon.live.status")
    return [text for text, _ in status.remarks(running)]


note("ready")
while True:
    bend = chance.choice(BENDS)
    sheet.verlet.cloth.bend = bend
    scene.frame_set(1)
    note("bend", bend)
    for frame in range(2, chance.randint(6, last) + 1):
        scene.frame_set(frame)
        note("simulated", frame)
    if int(most):
        note("remarks", remarks())
        break
    scene.verlet.mesh_bake = chance.choice(("ABSOLUTE", "RELATIVE", "PC2"))
    note("bake", scene.verlet.mesh_bake)
    bpy.ops.verlet.bake(frame_end=last)
    if chance.random() < 0.7:
        note("save")
        bpy.ops.wm.save_mainfile()
        note("saved", bend)
    bpy.ops.verlet.free_bake()
    note("freed")
    if chance.random() < 0.5:
        bpy.ops.wm.save_mainfile()
        note("saved", bend)
""".replace("BENDS", repr(BENDS))


@pytest.fixture
def path(scene, tmp_path):
    """A saved file with a cloth and a body that fall on a floor."""
    floor()
    cloth(spacing=0.2, location=(0, 0, 0.6))
    body(location=(0.1, 0, 1.0))
    scene.frame_start, scene.frame_end = 1, LAST
    found = tmp_path / "one.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(found))
    return found


def start(path, told, seed, most=0):
    module = addon("session").__name__.removesuffix(".verlet_addon.session")
    arguments = [module, path, told, seed, LAST, most]
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, *map(str, arguments)], stdout=subprocess.DEVNULL
    )


def journal(told):
    """What the process has told: time, what, value. The last line may be cut off."""
    lines = told.read_text().split("\n")[:-1] if told.exists() else []
    return [(float(line.split()[0]), *line.split(" ", 2)[1:]) for line in lines]


def shown():
    return np.concatenate([seen(bpy.data.objects[name]) for name in ("Cloth", "Box")])


def played(scene, last):
    """What is shown in each frame."""
    found = []
    for frame in range(1, last + 1):
        scene.frame_set(frame)
        found.append(shown())
    return np.array(found)


def survive(told, ended):
    """For each setting the last frame that was simulated well before the end."""
    bend, reached = 0.0, {}
    for when, what, value in journal(told):
        if when > ended - FORGIVEN:
            break
        if what == "bend":
            bend = float(value)
        elif what in {"simulated", "freed"}:  # a bake, which is over, has simulated them all
            reached[bend] = max(reached.get(bend, 1), LAST if what == "freed" else int(value))
    return reached


def others_than_frames(folder):
    return {path.name for path in folder.glob("*") if path.suffix != ".frames"}


def wait_for_moment(child, told, chance):
    """Any moment of its life, or one while it writes something: that is over in no time."""
    what = chance.choice(("", "", "bake", "save"))
    time.sleep(chance.uniform(0.0, LIFE))
    count = len(journal(told))
    while what and child.poll() is None and what not in [k for _, k, _ in journal(told)[count:]]:
        time.sleep(0.001)
    if what:
        time.sleep(chance.uniform(0.0, 0.06))


@pytest.mark.parametrize("seed", SEEDS)
def test_killed_at_any_moment_nothing_older_than_a_second_is_lost(path, tmp_path, seed, kept):
    others = others_than_frames(kept)
    told = tmp_path / "told"
    child = start(path, told, seed)
    while child.poll() is None and not journal(told):
        time.sleep(0.02)
    wait_for_moment(child, told, random.Random(seed))
    assert child.poll() is None, "it ended by itself"
    os.kill(child.pid, signal.SIGKILL)
    ended = time.monotonic()
    child.wait()
    at = seed, *journal(told)[-1][1:]
    print("killed", at)
    if not path.exists():  # between the two renames in which Blender itself saves a file
        path.with_suffix(".blend1").rename(path)

    bpy.ops.wm.open_mainfile(filepath=str(path))
    scene, sheet = bpy.context.scene, bpy.data.objects["Cloth"]
    record = addon("properties.bake_record")
    baked = [ob for ob in (sheet, bpy.data.objects["Box"]) if record.is_baked(ob)]
    assert len(baked) in {0, 2}, at
    if baked:  # what was saved is whole, and it is what the simulation gives
        written = played(scene, LAST)
        bpy.ops.verlet.free_bake()
        np.testing.assert_allclose(played(scene, LAST), written, atol=1e-5)
    assert not [m for m in sheet.modifiers if m.name.startswith("Verlet")] or session_of(scene)
    for bend, reached in survive(told, ended).items():
        sheet.verlet.cloth.bend = bend
        played(scene, reached)
        running = session_of(scene)
        assert not running.failure, (at, running.failure)
        assert running.on_disk.recalled >= reached - 1, (at, reached, running.on_disk.recalled)
    assert others_than_frames(kept) == others, at


@pytest.mark.parametrize("seed", SEEDS)
def test_a_full_disk_is_named_and_stops_nothing(path, tmp_path, seed):
    told = tmp_path / "told"
    most = random.Random(seed).randint(1_000, 60_000)
    child = start(path, told, seed, most)
    assert child.wait(timeout=120) == 0
    lines = journal(told)
    simulated = [int(value) for _, what, value in lines if what == "simulated"]
    assert simulated == list(range(2, len(simulated) + 2))
    assert lines[-1][1] == "remarks"
    bpy.ops.wm.open_mainfile(filepath=str(path))
    scene = bpy.context.scene
    bend = next(float(value) for _, what, value in lines if what == "bend")
    bpy.data.objects["Cloth"].verlet.cloth.bend = bend
    played(scene, len(simulated) + 1)
    running = session_of(scene)
    assert not running.failure
    if running.on_disk.recalled < len(simulated):  # what was not kept was said to be so
        assert "kept on the disk" in lines[-1][2], (most, lines[-1])


def damage(path, chance):
    """Cut a file off, flip bits in it, fill a part with zeros, or add to its end."""
    data = bytearray(path.read_bytes())
    at = chance.randrange(len(data))
    how = chance.choice(("cut", "flip", "zeros", "more"))
    if how == "cut":
        del data[at:]
    elif how == "flip":
        data[at] ^= 1 << chance.randrange(8)
    elif how == "zeros":
        end = min(len(data), at + chance.randint(1, 5000))
        if not any(data[at:end]):
            data[at] = 1
            end = at
        data[at:end] = bytes(end - at)
    else:
        data += chance.randbytes(chance.randint(1, 5000))
    path.write_bytes(data)
    return how, at


@pytest.mark.parametrize("seed", SEEDS)
def test_damaged_frames_are_named_and_shown_right(path, seed, kept):
    scene = bpy.context.scene
    whole = played(scene, LAST)
    addon("session").drop_all()
    (file,) = kept.glob("*.frames")
    chance = random.Random(seed)
    pristine = file.read_bytes()
    for _ in range(5):
        file.write_bytes(pristine)
        what = damage(file, chance)
        bpy.ops.wm.open_mainfile(filepath=str(path))
        scene = bpy.context.scene
        np.testing.assert_array_equal(played(scene, LAST), whole, err_msg=str(what))
        running = session_of(scene)
        assert not running.failure, (what, running.failure)
        said = addon("live.keeping").remark(running)
        assert "damaged" in said or "cut off" in said, (what, said)
        assert running.on_disk.recalled < LAST, what
        addon("session").drop_all()
