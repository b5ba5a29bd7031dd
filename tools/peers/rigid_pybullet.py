"""PyBullet, stepped as Blender steps its Bullet: 10 substeps a frame, 10 iterations.

Settings: ``substeps``, ``iterations``. Its bodies are Featherstone's, its ball joints constraints.
"""

from importlib.metadata import version

import numpy as np
import pybullet
import rigid
from bench.rigid_scenes import (
    ANGULAR_DAMPING,
    FPS,
    FRICTION,
    LINEAR_DAMPING,
    NO_BODY,
    SCENE_GRAVITY,
)

NONE = (0.0, 0.0, 0.0)
wanted = rigid.request()
scene = rigid.scene_of(wanted)
substeps = wanted.get("substeps", 10)
pybullet.connect(pybullet.DIRECT)
pybullet.setGravity(0.0, 0.0, -SCENE_GRAVITY)
pybullet.setPhysicsEngineParameter(
    fixedTimeStep=1.0 / FPS / substeps,
    numSolverIterations=wanted.get("iterations", 10),
    numSubSteps=0,
)
shapes: dict[tuple[float, ...], int] = {}


def add_box(position, orientation, half, mass: float) -> int:
    """Add a body; without mass it is fixed."""
    key = tuple(half.tolist())
    if key not in shapes:
        shapes[key] = pybullet.createCollisionShape(pybullet.GEOM_BOX, halfExtents=key)
    body = pybullet.createMultiBody(
        float(mass), shapes[key], -1, position.tolist(), np.roll(orientation, -1).tolist()
    )
    pybullet.changeDynamics(
        body,
        -1,
        lateralFriction=FRICTION,
        restitution=0.0,
        rollingFriction=0.0,
        spinningFriction=0.0,
        linearDamping=LINEAR_DAMPING,
        angularDamping=ANGULAR_DAMPING,
    )
    if not scene.collides:
        pybullet.setCollisionFilterGroupMask(body, -1, 0, 0)
    return body


for position, half in zip(scene.wall_position, scene.wall_half):
    add_box(position, np.array([1.0, 0.0, 0.0, 0.0]), half, 0.0)
bodies = [add_box(*one) for one in zip(scene.position, scene.orientation, scene.half, scene.mass)]
for pair, anchors in zip(scene.joint_body, scene.anchors()):
    # the world must come second
    (first, at_first), (second, at_second) = sorted(
        zip(pair, anchors), key=lambda end: end[0] == NO_BODY
    )
    pybullet.createConstraint(
        bodies[first],
        -1,
        bodies[second] if second != NO_BODY else -1,
        -1,
        pybullet.JOINT_POINT2POINT,
        NONE,
        at_first.tolist(),
        at_second.tolist(),
    )


def step(frame: int) -> None:
    """Advance by one frame."""
    for _ in range(substeps):
        pybullet.stepSimulation()


def read() -> tuple[np.ndarray, np.ndarray]:
    """Poses of all bodies."""
    poses = [pybullet.getBasePositionAndOrientation(body) for body in bodies]
    return (
        np.array([position for position, _ in poses]),
        np.roll(np.array([orientation for _, orientation in poses]), 1, axis=1),
    )


rigid.simulate(scene, wanted, f"pybullet {version('pybullet')}", step, read)
