"""Blender's rigid body world (Bullet) at its defaults: 10 substeps a frame, 10 iterations.

Settings: ``substeps``, ``iterations``.
"""

import bpy
import numpy as np
import rigid
from bench.rigid_scenes import (
    ANGULAR_DAMPING,
    FPS,
    FRAMES_OF_BENCH,
    FRICTION,
    LINEAR_DAMPING,
    NO_BODY,
)

NOWHERE = [False] * 19 + [True]
"""A collision collection that nothing else is in."""
LEVEL = (1.0, 0.0, 0.0, 0.0)

wanted = rigid.request()
boxes = rigid.scene_of(wanted)
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = FPS
scene.frame_start, scene.frame_end = 1, FRAMES_OF_BENCH + 1
bpy.ops.rigidbody.world_add()
world = scene.rigidbody_world
if "substeps" in wanted:
    world.substeps_per_frame = wanted["substeps"]
    world.solver_iterations = wanted["iterations"]
world.point_cache.frame_start, world.point_cache.frame_end = 1, FRAMES_OF_BENCH + 1
world.collection = bpy.data.collections.new("bodies")
world.constraints = bpy.data.collections.new("joints")
for collection in (world.collection, world.constraints):
    scene.collection.children.link(collection)
meshes: dict[tuple[float, ...], bpy.types.Mesh] = {}


def box_mesh(half: np.ndarray) -> bpy.types.Mesh:
    """A mesh of these half extents, the same for equal ones."""
    key = tuple(half.tolist())
    if key not in meshes:
        x, y, z = key
        meshes[key] = bpy.data.meshes.new("box")
        meshes[key].from_pydata(
            [(a, b, c) for a in (-x, x) for b in (-y, y) for c in (-z, z)],
            [],
            [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)],
        )
    return meshes[key]


def add_box(position, orientation, half, mass: float) -> bpy.types.Object:
    """Add a rigid body; without mass it is passive."""
    box = bpy.data.objects.new("box", box_mesh(half))
    box.rotation_mode = "QUATERNION"
    box.location, box.rotation_quaternion = position, orientation
    world.collection.objects.link(box)
    body = box.rigid_body
    body.type = "ACTIVE" if mass else "PASSIVE"
    body.collision_shape = "BOX"
    body.mass = mass or 1.0
    body.friction, body.restitution = FRICTION, 0.0
    body.linear_damping, body.angular_damping = LINEAR_DAMPING, ANGULAR_DAMPING
    if not boxes.collides:
        body.collision_collections = NOWHERE
    return box


objects = [add_box(*one) for one in zip(boxes.position, boxes.orientation, boxes.half, boxes.mass)]
for position, half in zip(boxes.wall_position, boxes.wall_half):
    add_box(position, LEVEL, half, 0.0)


def limit(joint: bpy.types.RigidBodyConstraint, kind: str, low: float, high: float) -> None:
    """Make a hinge of it (which counts its angle the other way), or limit three angles as a cone.

    X is what leans within ``low`` and is twisted by ``high`` to either side.
    """
    if kind == "HINGE":
        joint.type, joint.use_limit_ang_z = "HINGE", True
        joint.limit_ang_z_lower, joint.limit_ang_z_upper = -high, -low
        return
    joint.type = "GENERIC"
    for axis, most in zip("xyz", (high, low, low)):
        setattr(joint, f"use_limit_lin_{axis}", True)
        setattr(joint, f"limit_lin_{axis}_lower", 0.0)
        setattr(joint, f"limit_lin_{axis}_upper", 0.0)
        setattr(joint, f"use_limit_ang_{axis}", True)
        setattr(joint, f"limit_ang_{axis}_lower", -most)
        setattr(joint, f"limit_ang_{axis}_upper", most)


frames = boxes.joint_frames() if boxes.joint_kind else None
for number, (pair, point) in enumerate(zip(boxes.joint_body, boxes.joint_point)):
    ends = [
        objects[body] if body != NO_BODY else add_box(point, LEVEL, np.full(3, 0.02), 0.0)
        for body in pair
    ]
    empty = bpy.data.objects.new("joint", None)
    empty.location = point
    world.constraints.objects.link(empty)
    joint = empty.rigid_body_constraint
    joint.type = "POINT"
    joint.object1, joint.object2 = ends
    joint.disable_collisions = True
    if frames is not None:
        empty.rotation_mode, empty.rotation_quaternion = "QUATERNION", frames[number]
        limit(joint, boxes.joint_kind[number], *boxes.joint_limit[number].tolist())
scene.frame_set(1)


def read() -> tuple[np.ndarray, np.ndarray]:
    """The poses that the frame shows."""
    graph = bpy.context.evaluated_depsgraph_get()
    matrices = [box.evaluated_get(graph).matrix_world for box in objects]
    return (
        np.array([matrix.translation for matrix in matrices]),
        np.array([matrix.to_quaternion() for matrix in matrices]),
    )


rigid.simulate(
    boxes,
    wanted,
    bpy.app.version_string,
    lambda frame: scene.frame_set(1 + frame),
    read,
)
