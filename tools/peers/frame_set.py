"""One run of whole frames in Blender: `scene.frame_set` with the installed add-on, or its rival.

Its one argument is a JSON object: ``scene`` (cubes, resting, sheet, self-colliding, drop,
ragdolls), ``n``, ``around`` and ``deep`` of the ball that a sheet drops on, ``frames``, ``seconds``
after which to stop, ``zip`` of the extension; without a zip Blender's own Rigid Body or Cloth
simulates, at its defaults. ``profile`` names the file to which cProfile writes what the
frames that count spend in Python, in processor time of Blender's thread. Prints figures as JSON,
all in ms a frame:

- ``ms`` wall and ``cpu`` processor time of frames that are simulated, without the first one;
- ``engine``, ``engine_cpu``: what `core.step.advance` takes of these, ``stages`` what its own
  clocks say, ``blender_cpu``: what is left of a frame when every handler's time is taken off;
  What the clocks themselves take is measured and taken off everything;
- ``scrub_ms``, ``scrub_cpu``: the same frames once more, played from the cache;
- ``baked_ms``, ``baked_cpu``: and once more after they were baked.
"""

from __future__ import annotations

import contextlib
import cProfile
import importlib
import json
import math
import random
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).resolve().parents[1] / "inside_blender"))

import installed_extension

wanted = {"scene": "cubes", "n": 200, "frames": 72, "seconds": 60.0, "zip": "", "profile": ""}
wanted |= {"around": 32, "deep": 0.0}
wanted |= json.loads(sys.argv[1] if len(sys.argv) > 1 else "{}")
if wanted["zip"]:
    installed_extension.prepare_user_folder()

import blender_sheet  # noqa: E402
import bmesh  # noqa: E402
import bpy  # noqa: E402
import numpy as np  # noqa: E402
import rigid  # noqa: E402
import sheet  # noqa: E402
from bench.rigid_scenes import FPS, RigidScene  # noqa: E402

MODULE = f"{installed_extension.MODULE}.verlet_addon"
BULGES = 2.0
"""Times a second that bulges of a ball come."""

SETTLED = 24
"""The last frames of a scene at rest, which alone count there: by then everything sleeps."""


def select(objects: Iterable[bpy.types.Object]) -> None:
    """Select these objects; the last one is active."""
    for ob in bpy.context.view_layer.objects:
        ob.select_set(False)
    for ob in objects:
        ob.select_set(True)
        bpy.context.view_layer.objects.active = ob


def press(verb: str, objects: Iterable[bpy.types.Object]) -> None:
    """A verb of the add-on for these objects; factory settings have switched it off."""
    if not installed_extension.is_enabled():
        installed_extension.enable()
    select(objects)
    getattr(bpy.ops.verlet, verb)()


def add_box(position: Any, orientation: Any, half: Any) -> bpy.types.Object:
    """A box as a mesh object; boxes of one size share their mesh."""
    name = "box {} {} {}".format(*half)
    mesh = bpy.data.meshes.get(name)
    if mesh is None:
        x, y, z = half
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(
            [(a, b, c) for a in (-x, x) for b in (-y, y) for c in (-z, z)],
            [],
            [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)],
        )
    box = bpy.data.objects.new("box", mesh)
    box.rotation_mode = "QUATERNION"
    box.location, box.rotation_quaternion = position, orientation
    bpy.context.scene.collection.objects.link(box)
    return box


def boxes_of(name: str, n: int) -> RigidScene:
    """Cubes that fall as a heap, or that lie side by side on the floor."""
    boxes = rigid.scene_of({"scene": "heap_spread", "n": n})
    if name == "resting":
        side = math.ceil(math.sqrt(n))
        floor = float((boxes.wall_position + boxes.wall_half)[0, 2])
        row, column = np.divmod(np.arange(n), side)
        boxes.position[:, 0] = 0.6 * (column - 0.5 * side)
        boxes.position[:, 1] = 0.6 * (row - 0.5 * side)
        boxes.position[:, 2] = floor + boxes.half[:, 2]
        boxes.orientation[:] = 1.0, 0.0, 0.0, 0.0
        boxes.wall_half[0, :2] = 0.6 * side
    return boxes


def set_up_boxes(name: str, n: int) -> None:
    """The boxes, simulated by the add-on or by Blender's Rigid Body."""
    boxes = boxes_of(name, n)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bodies = [add_box(*one) for one in zip(boxes.position, boxes.orientation, boxes.half)]
    level = (1.0, 0.0, 0.0, 0.0)
    walls = list(zip(boxes.wall_position, boxes.wall_half))[: 1 if name == "resting" else None]
    walls = [add_box(position, level, half) for position, half in walls]
    bpy.context.view_layer.update()
    if wanted["zip"]:
        press("rigid_body", bodies)
        press("collider", walls)
        return
    bpy.ops.rigidbody.world_add()
    world = bpy.context.scene.rigidbody_world
    world.point_cache.frame_end = wanted["frames"] + 1
    world.collection = bpy.data.collections.new("bodies")
    for ob in (*bodies, *walls):
        world.collection.objects.link(ob)
        ob.rigid_body.type = "ACTIVE" if ob in bodies else "PASSIVE"
        ob.rigid_body.collision_shape = "BOX"


def set_up_sheet(n: int, meets_itself: bool) -> None:
    """The sheet that hangs by two corners, simulated by the add-on or by Blender's Cloth."""
    cloth = blender_sheet.add_object(n)
    if wanted["zip"]:
        press("cloth", [cloth])
        cloth.verlet.pin_group = "pin"
        cloth.verlet.cloth.meets_itself = meets_itself
        return
    modifier = cloth.modifiers.new("cloth", "CLOTH")
    modifier.collision_settings.use_collision = False
    modifier.collision_settings.use_self_collision = meets_itself
    modifier.point_cache.frame_end = wanted["frames"] + 1
    modifier.settings.vertex_group_mass = "pin"


def add_ball(around: int, deep: float) -> bpy.types.Object:
    """A ball of .5 m of around² − 2 · around triangles; bulges of ``deep`` m come and go on it."""
    shape = bmesh.new()
    bmesh.ops.create_uvsphere(shape, u_segments=around, v_segments=around // 2, radius=0.5)
    mesh = bpy.data.meshes.new("ball")
    shape.to_mesh(mesh)
    shape.free()
    ball = bpy.data.objects.new("ball", mesh)
    bpy.context.scene.collection.objects.link(ball)
    if not deep:
        return ball
    x = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.vertices.foreach_get("co", x.reshape(-1))
    ball.shape_key_add(name="round")
    bulging = ball.shape_key_add(name="bulging")
    bulge = np.sin(8.0 * x[:, 0]) * np.cos(7.0 * x[:, 1]) * np.cos(5.0 * x[:, 2])
    places = np.asarray(x * (1.0 + deep / 0.5 * bulge[:, None]), np.float32)
    bulging.data.foreach_set("co", places.reshape(-1))
    bulging.slider_min = -1.0
    for frame in range(1, wanted["frames"] + 2):
        bulging.value = math.sin(2.0 * math.pi * BULGES * (frame - 1) / sheet.FPS)
        bulging.keyframe_insert("value", frame=frame)
    return ball


def set_up_drop(n: int, around: int, deep: float) -> None:
    """A sheet that falls on a ball of a mesh, Self-Collision on."""
    cloth = blender_sheet.add_object(n)
    cloth.location.z = 0.75
    ball = add_ball(around, deep)
    bpy.context.view_layer.update()
    if wanted["zip"]:
        press("cloth", [cloth])
        press("collider", [ball])
        ball.verlet.collider.shape = "MESH"
        return
    ball.modifiers.new("collision", "COLLISION")
    modifier = cloth.modifiers.new("cloth", "CLOTH")
    modifier.collision_settings.use_self_collision = True
    modifier.point_cache.frame_end = wanted["frames"] + 1


def set_up_ragdolls(n: int) -> None:
    """Some people of 13 bones over a floor; Blender has no rival to them."""
    import small_rigs

    bpy.ops.wm.read_factory_settings(use_empty=True)
    turns = random.Random(1)
    people = [
        small_rigs.person(f"Person {i}", (i % 5, i // 5, 1.0 + turns.random())) for i in range(n)
    ]
    ground = add_box((2.0, 2.0, -0.5), (1.0, 0.0, 0.0, 0.0), (20.0, 20.0, 0.5))
    bpy.context.view_layer.update()
    press("ragdoll", people)
    press("collider", [ground])


class Clock:
    """Wall and processor time of calls, in ms."""

    def __init__(self) -> None:
        self.wall: list[float] = []
        self.cpu: list[float] = []

    def timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """The call, which notes how long it takes."""

        def measured(*arguments: Any, **options: Any) -> Any:
            begun, used = time.perf_counter(), time.process_time()
            try:
                return call(*arguments, **options)
            finally:
                self.wall.append(1e3 * (time.perf_counter() - begun))
                self.cpu.append(1e3 * (time.process_time() - used))

        return measured


class Cost:
    """What a `Clock` takes by itself, in ms: of what it notes, and of what is around it."""

    def __init__(self) -> None:
        clock, around = Clock(), Clock()

        def call() -> None:
            for _ in range(100):
                inner()

        inner = clock.timed(lambda: None)
        whole = around.timed(call)
        for _ in range(10):
            whole()
        self.wall, self.cpu = float(np.median(clock.wall)), float(np.median(clock.cpu))
        self.wall_around = float(np.median(around.wall)) / 100.0
        self.cpu_around = float(np.median(around.cpu)) / 100.0


def visit(frames: range, what: str, first: int = 1) -> Clock:
    """Go through frames, of which those from the ``first`` on count; stops when the time is up."""
    clock = Clock()
    scene = bpy.context.scene
    visit_one = clock.timed(scene.frame_set)
    profile = cProfile.Profile(time.thread_time) if wanted["profile"] else None
    for number, frame in enumerate(frames):
        with profile if profile and number >= first else contextlib.nullcontext():
            visit_one(frame)
        if sum(clock.wall) > 1e3 * wanted["seconds"]:
            break
    if profile:
        profile.dump_stats(f"{wanted['profile']}.{what}")
    return clock


def first_that_counts(count: int) -> int:
    """Among so many frames: of a scene at rest the last ones, else all but the first two."""
    return count - SETTLED if wanted["scene"] == "resting" else min(2, count - 1)


def mean(values: list[float], first: int) -> float:
    """The mean from a frame on."""
    return float(np.mean(values[first:]))


def main() -> None:
    """Simulate, scrub, bake, scrub again."""
    if wanted["zip"]:
        installed_extension.install(Path(wanted["zip"]))
    if wanted["scene"] in ("sheet", "self-colliding"):
        set_up_sheet(wanted["n"], wanted["scene"] == "self-colliding")
    elif wanted["scene"] == "drop":
        set_up_drop(wanted["n"], wanted["around"], wanted["deep"])
    elif wanted["scene"] == "ragdolls":
        set_up_ragdolls(wanted["n"])
    else:
        set_up_boxes(wanted["scene"], wanted["n"])
    scene = bpy.context.scene
    scene.render.fps = FPS
    scene.frame_start, scene.frame_end = 1, wanted["frames"] + 1
    figures: dict[str, Any] = {"version": bpy.app.version_string}
    engine, handlers, stages = Clock(), Clock(), []
    if wanted["zip"]:
        frame_job = importlib.import_module(f"{MODULE}.session.frame_job")
        advance = engine.timed(frame_job.advance)

        def watched(*arguments: Any, **options: Any) -> Any:
            state, diagnostics = advance(*arguments, **options)
            stages.append(1e3 * sum(diagnostics.stage_seconds.values()))
            return state, diagnostics

        frame_job.advance = watched
        for event in (bpy.app.handlers.frame_change_pre, bpy.app.handlers.frame_change_post):
            event[:] = [handlers.timed(function) for function in event]
    scene.frame_set(1)
    handlers.cpu.clear()
    asked = first_that_counts(wanted["frames"])
    simulated = visit(range(2, wanted["frames"] + 2), "simulated", asked)
    count = len(simulated.wall)
    first = first_that_counts(count)
    figures |= {"frames": count, "finished": count == wanted["frames"]}
    cost = Cost()
    inside = 3 if wanted["zip"] else 0  # clocks within a frame: two handlers and the engine
    figures["ms"] = mean(simulated.wall, first) - cost.wall - inside * cost.wall_around
    figures["cpu"] = mean(simulated.cpu, first) - cost.cpu - inside * cost.cpu_around
    if wanted["zip"]:
        figures["engine"] = mean(engine.wall, first) - cost.wall
        figures["engine_cpu"] = mean(engine.cpu, first) - cost.cpu
        figures["stages"] = mean(stages, first)
        pairs = [sum(handlers.cpu[i : i + 2]) for i in range(0, 2 * count, 2)]
        ours = mean(pairs, first) - 2 * cost.cpu - cost.cpu_around
        figures["blender_cpu"] = figures["cpu"] - ours
        figures["clock_cpu"] = cost.cpu_around
    played = range(2 + first, 2 + count)
    scene.frame_set(1)
    scrubbed = visit(played, "scrubbed")
    inside = max(inside - 1, 0)
    figures["scrub_ms"] = mean(scrubbed.wall, 1) - cost.wall - inside * cost.wall_around
    figures["scrub_cpu"] = mean(scrubbed.cpu, 1) - cost.cpu - inside * cost.cpu_around
    if wanted["zip"]:
        scene.frame_end = 1 + count
        bpy.ops.verlet.bake()
        scene.frame_set(1)
        baked = visit(played, "baked")
        figures["baked_ms"] = mean(baked.wall, 1) - cost.wall - inside * cost.wall_around
        figures["baked_cpu"] = mean(baked.cpu, 1) - cost.cpu - inside * cost.cpu_around
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    installed_extension.run_and_leave(main)
