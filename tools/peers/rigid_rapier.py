"""Rapier through its Python binding, at its defaults: 4 solver iterations, bodies may sleep.

Settings: ``substeps`` (steps of the world in a frame).
"""

import os
from importlib.metadata import version

import numpy as np
import rapier3d
import rigid
from bench.rigid_scenes import (
    ANGULAR_DAMPING,
    FPS,
    FRICTION,
    LINEAR_DAMPING,
    NO_BODY,
    SCENE_GRAVITY,
)

wanted = rigid.request()
scene = rigid.scene_of(wanted)
substeps = wanted.get("substeps", 3)
world = rapier3d.PhysicsWorld(gravity=(0.0, 0.0, -SCENE_GRAVITY))
world.set_num_threads(os.cpu_count() or 1)
world.integration_parameters.dt = 1.0 / FPS / substeps


def triple(values) -> tuple[float, float, float]:
    """Three numbers as the binding takes them."""
    return tuple(map(float, values))


def box(half):
    """A box that slides and does not bounce."""
    return rapier3d.Collider.cuboid(*triple(half)).friction(FRICTION).restitution(0.0)


def add_body(position, orientation, half, mass):
    """Add a body; returns its handle."""
    sine = np.linalg.norm(orientation[1:])
    angle = 2.0 * np.arctan2(sine, orientation[0])
    body = (
        rapier3d.RigidBody.dynamic()
        .translation(triple(position))
        .rotation(triple(orientation[1:] / max(sine, 1e-12) * angle))
        .linear_damping(LINEAR_DAMPING)
        .angular_damping(ANGULAR_DAMPING)
    )
    shape = box(half).mass(float(mass))
    if not scene.collides:
        shape = shape.collision_groups(rapier3d.InteractionGroups.none())
    return world.add_body(body, [shape])


for position, half in zip(scene.wall_position, scene.wall_half):
    world.add_collider(box(half).translation(triple(position)))
handles = [add_body(*one) for one in zip(scene.position, scene.orientation, scene.half, scene.mass)]
for pair, point, anchors in zip(scene.joint_body, scene.joint_point, scene.anchors()):
    ends, local = [], []
    for body, anchor in zip(pair, anchors):
        if body == NO_BODY:
            fixed = rapier3d.RigidBody.fixed().translation(triple(point))
            ends.append(world.add_body(fixed))
            local.append((0.0, 0.0, 0.0))
        else:
            ends.append(handles[body])
            local.append(triple(anchor))
    joint = rapier3d.SphericalJointBuilder().local_anchor1(local[0]).local_anchor2(local[1])
    world.impulse_joints.insert(*ends, joint.contacts_enabled(False).build())


def step(frame: int) -> None:
    """Advance by one frame."""
    for _ in range(substeps):
        world.step()


def read() -> tuple[np.ndarray, np.ndarray]:
    """Poses of all bodies."""
    bodies = [world.rigid_bodies[handle] for handle in handles]
    places = [body.translation for body in bodies]
    turns = [body.rotation for body in bodies]
    return (
        np.array([(place.x, place.y, place.z) for place in places]),
        np.array([(turn.w, turn.i, turn.j, turn.k) for turn in turns]),
    )


def asleep() -> int:
    """Bodies that sleep."""
    return sum(world.rigid_bodies[handle].is_sleeping for handle in handles)


rigid.simulate(scene, wanted, f"rapier3d {version('rapier3d')}", step, read, asleep)
