"""Small things to simulate in tests, and what is seen of them."""

import importlib
from types import ModuleType

import bpy
import numpy as np

MODULE = "bl_ext.user_default.verlet_physics"


def addon(name: str) -> ModuleType:
    """A module of the installed add-on, like ``addon("session")``."""
    return importlib.import_module(f"{MODULE}.verlet_addon.{name}")


def select(*objects: bpy.types.Object) -> None:
    """Select these objects and no others; the last one is active."""
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob in objects)
    bpy.context.view_layer.objects.active = objects[-1]


def new_object(name: str, vertices, edges=(), faces=(), location=(0, 0, 0)) -> bpy.types.Object:
    """A mesh object in the scene."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([tuple(v) for v in vertices], list(edges), list(faces))
    ob = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(ob)
    ob.location = location
    bpy.context.view_layer.update()
    return ob


def grid(name="Cloth", size=5, spacing=0.25, location=(0, 0, 2)) -> bpy.types.Object:
    """A square of faces in the XY plane, its middle at the object's origin."""
    middle = 0.5 * (size - 1)
    vertices = [
        ((x - middle) * spacing, (y - middle) * spacing, 0.0)
        for y in range(size)
        for x in range(size)
    ]
    faces = [
        (i, i + 1, i + size + 1, i + size)
        for y in range(size - 1)
        for i in range(y * size, y * size + size - 1)
    ]
    return new_object(name, vertices, faces=faces, location=location)


def box(name="Box", size=0.4, location=(0, 0, 1)) -> bpy.types.Object:
    """A cube."""
    h = 0.5 * size
    vertices = [(x, y, z) for x in (-h, h) for y in (-h, h) for z in (-h, h)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return new_object(name, vertices, faces=faces, location=location)


def cloth(**options) -> bpy.types.Object:
    """A grid that is set up as cloth."""
    ob = grid(**options)
    select(ob)
    assert bpy.ops.verlet.cloth() == {"FINISHED"}
    return ob


def body(**options) -> bpy.types.Object:
    """A cube that is set up as a rigid body."""
    ob = box(**options)
    select(ob)
    assert bpy.ops.verlet.rigid_body() == {"FINISHED"}
    return ob


def floor(name="Floor") -> bpy.types.Object:
    """A flat collider at height zero."""
    ob = grid(name=name, size=2, spacing=10.0, location=(0, 0, 0))
    select(ob)
    assert bpy.ops.verlet.collider() == {"FINISHED"}
    return ob


def pin(ob: bpy.types.Object, vertices, name="Pin") -> None:
    """Pin vertices through a vertex group."""
    group = ob.vertex_groups.new(name=name)
    group.add(list(vertices), 1.0, "REPLACE")
    ob.verlet.pin_group = name


def play(scene: bpy.types.Scene, first: int, last: int) -> None:
    """Visit every frame, as playback does."""
    for frame in range(first, last + 1):
        scene.frame_set(frame)


def seen_local(ob: bpy.types.Object) -> np.ndarray:
    """Local vertices (n, 3) as they are seen, modifiers applied."""
    mesh = ob.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    flat = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3)


def seen_matrix(ob: bpy.types.Object) -> np.ndarray:
    """World matrix (4, 4) as it is seen."""
    evaluated = ob.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array(evaluated.matrix_world, dtype=np.float64)


def seen(ob: bpy.types.Object) -> np.ndarray:
    """World positions (n, 3) of the vertices as they are seen."""
    matrix = seen_matrix(ob)
    return seen_local(ob) @ matrix[:3, :3].T + matrix[:3, 3]


def session_of(scene: bpy.types.Scene):
    """The scene's running simulation."""
    return addon("session").of(scene)


def refusal(operator, **options) -> str:
    """What the operator reports when it refuses."""
    try:
        operator(**options)
    except RuntimeError as error:
        return str(error)
    raise AssertionError("it did not refuse")
