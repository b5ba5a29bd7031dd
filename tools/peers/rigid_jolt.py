"""Jolt through the Python binding culverin: 10 velocity and 2 position iterations a step.

Settings: ``substeps`` (steps of the world in a frame) and, if it is not the library's 20 mm,
``slop`` (m of penetration that is left alone). The binding knows no damping.
"""

import os
from importlib.metadata import version

import culverin
import numpy as np
import rigid
from bench.rigid_scenes import FPS, FRICTION, NO_BODY, SCENE_GRAVITY

wanted = rigid.request()
scene = rigid.scene_of(wanted)
world = culverin.PhysicsWorld(
    settings={
        "gravity": (0.0, 0.0, -SCENE_GRAVITY),
        "num_threads": os.cpu_count() or 1,
        "penetration_slop": wanted.get("slop", 0.02),
        "temp_allocator_size": 256 << 20,
        "max_bodies": 65536,
    }
)
apart = {} if scene.collides else {"category": 2, "mask": 0}


def add_box(position, half, motion: int, **more) -> int:
    """Add a body; returns its handle."""
    return world.create_body(
        pos=tuple(map(float, position)),
        size=tuple(map(float, half)),
        shape=culverin.SHAPE_BOX,
        motion=motion,
        friction=FRICTION,
        **apart,
        **more,
    )


for position, half in zip(scene.wall_position, scene.wall_half):
    add_box(position, half, culverin.MOTION_STATIC)
handles = [
    add_box(
        position,
        half,
        culverin.MOTION_DYNAMIC,
        rot=tuple(map(float, np.roll(orientation, -1))),
        mass=float(mass),
        restitution=0.0,
    )
    for position, orientation, half, mass in zip(
        scene.position, scene.orientation, scene.half, scene.mass
    )
]
for pair, point in zip(scene.joint_body, scene.joint_point):
    ends = [
        handles[body]
        if body != NO_BODY
        else add_box(point, (0.01, 0.01, 0.01), culverin.MOTION_STATIC)
        for body in pair
    ]
    world.create_constraint(culverin.CONSTRAINT_POINT, *ends, (tuple(map(float, point)),))
world.step(0.0)  # before the first step there is nothing to read
index = np.array([world.get_index(handle) for handle in handles])


def step(frame: int) -> None:
    """Advance by one frame."""
    for _ in range(wanted.get("substeps", 3)):
        world.step(1.0 / FPS / wanted.get("substeps", 3))


def read() -> tuple[np.ndarray, np.ndarray]:
    """Poses of all bodies."""
    position = np.frombuffer(world.positions, np.float64).reshape(-1, 4)[index, :3]
    turn = np.frombuffer(world.rotations, np.float32).reshape(-1, 4)[index]
    return position.copy(), np.roll(turn, 1, axis=1).astype(np.float64)


def asleep() -> int:
    """Bodies that are not active."""
    return sum(not world.is_active(handle) for handle in handles)


rigid.simulate(scene, wanted, f"culverin {version('culverin')}", step, read, asleep)
