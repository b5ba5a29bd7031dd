"""Make the demo files anew: `python dev.py demo-files` runs this in the oldest Blender.

make_demo_files.py EXTENSION.zip FOLDER

Everything is set up with the add-on's own operators, as a person would do it.
"""

import math
import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[1] / "tools" / "inside_blender"))

import installed_extension

if __name__ == "__main__":
    installed_extension.prepare_user_folder()

import bpy
from mathutils import Vector

RED, BLUE, GOLD = (0.72, 0.05, 0.06, 1.0), (0.06, 0.20, 0.62, 1.0), (0.90, 0.55, 0.10, 1.0)
TEAL, WHITE, GREY = (0.05, 0.45, 0.42, 1.0), (0.85, 0.85, 0.82, 1.0), (0.30, 0.31, 0.33, 1.0)


def new_scene(frame_end: int, camera: Vector, target: Vector, lens: float = 45.0) -> None:
    """An empty file with a camera, and Workbench set to something that shows shape."""
    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frame_end
    scene.render.fps = 24
    scene.render.resolution_x, scene.render.resolution_y = 1280, 720
    scene.render.engine = "BLENDER_WORKBENCH"
    shading = scene.display.shading
    shading.light = "STUDIO"
    shading.color_type = "OBJECT"
    shading.show_shadows = True
    shading.shadow_intensity = 0.35
    shading.show_cavity = True
    shading.cavity_type = "WORLD"
    scene.display.light_direction = (0.45, -0.25, 0.85)
    scene.world = bpy.data.worlds.new("World")
    scene.world.color = (0.75, 0.80, 0.86)
    data = bpy.data.cameras.new("Camera")
    data.lens = lens
    ob = bpy.data.objects.new("Camera", data)
    ob.location = camera
    ob.rotation_euler = (target - camera).to_track_quat("-Z", "Y").to_euler()
    scene.collection.objects.link(ob)
    scene.camera = ob


def add_mesh(
    name: str,
    vertices: np.ndarray,
    faces: np.ndarray,
    color: tuple[float, float, float, float],
    *,
    smooth: bool = False,
) -> bpy.types.Object:
    """A mesh object from vertices (n, 3) and faces (f, corners)."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices.tolist(), [], faces.tolist())
    mesh.shade_smooth() if smooth else mesh.shade_flat()
    ob = bpy.data.objects.new(name, mesh)
    ob.color = color
    bpy.context.scene.collection.objects.link(ob)
    return ob


def select(*objects: bpy.types.Object) -> None:
    """Select these objects and nothing else, the last one active."""
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob in objects)
    bpy.context.view_layer.objects.active = objects[-1]


def add_grid(
    name: str, columns: int, rows: int, width: float, height: float, color: tuple
) -> bpy.types.Object:
    """A sheet of columns × rows vertices in its local XY plane, centred."""
    x, y = np.meshgrid(
        np.linspace(-width / 2, width / 2, columns), np.linspace(-height / 2, height / 2, rows)
    )
    vertices = np.stack([x.ravel(), y.ravel(), np.zeros(columns * rows)], axis=1)
    a = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    faces = np.stack([a, a + 1, a + columns + 1, a + columns], axis=1)
    return add_mesh(name, vertices, faces, color, smooth=True)


def add_ball(name: str, radius: float, color: tuple) -> bpy.types.Object:
    """A round ball."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=48, ring_count=24, radius=radius)
    return _named(name, color, smooth=True)


def add_cylinder(name: str, radius: float, depth: float, color: tuple) -> bpy.types.Object:
    """An upright cylinder."""
    bpy.ops.mesh.primitive_cylinder_add(vertices=32, radius=radius, depth=depth)
    return _named(name, color, smooth=False)


def _named(name: str, color: tuple, *, smooth: bool) -> bpy.types.Object:
    ob = bpy.context.object
    ob.name = ob.data.name = name
    ob.color = color
    if smooth:
        ob.data.shade_smooth()
    return ob


def add_floor(size: float = 12.0) -> bpy.types.Object:
    """A floor that stops what falls on it."""
    floor = add_grid("Floor", 2, 2, size, size, GREY)
    select(floor)
    bpy.ops.verlet.collider()
    return floor


def flag() -> None:
    """A flag on a pole in a gusty wind: cloth, pinned along one side."""
    new_scene(150, Vector((0.72, -4.3, 1.75)), Vector((0.72, 0.0, 1.75)))
    add_floor()
    pole = add_cylinder("Pole", 0.03, 2.7, WHITE)
    pole.location = (-0.03, 0.0, 1.35)
    columns, rows = 55, 37
    cloth = add_grid("Flag", columns, rows, 1.5, 1.0, RED)
    cloth.location = (0.75, 0.0, 2.15)
    cloth.rotation_euler = (math.radians(90.0), 0.0, 0.0)
    pins = cloth.vertex_groups.new(name="Pins")
    pins.add([row * columns for row in range(rows)], 1.0, "REPLACE")
    select(cloth)
    bpy.ops.verlet.cloth()
    cloth.verlet.pin_group = "Pins"
    cloth.verlet.cloth.bend = 0.3
    wind = bpy.context.scene.verlet.wind
    wind.velocity = (5.0, 0.8, 0.0)
    wind.gust = 0.5


def drape() -> None:
    """A cloth that falls over a ball: contact and friction."""
    new_scene(120, Vector((2.6, -3.4, 2.3)), Vector((0.0, 0.0, 0.72)))
    add_floor()
    ball = add_ball("Ball", 0.5, GOLD)
    ball.location = (0.0, 0.0, 0.6)
    select(ball)
    bpy.ops.verlet.collider()
    cloth = add_grid("Cloth", 65, 65, 1.9, 1.9, TEAL)
    cloth.location = (0.0, 0.0, 1.35)
    cloth.rotation_euler = (0.0, 0.0, math.radians(20.0))
    select(cloth)
    bpy.ops.verlet.cloth()


def boxes() -> None:
    """Fifty boxes that fall in a heap: rigid bodies."""
    new_scene(160, Vector((6.4, -7.4, 3.9)), Vector((0.0, 0.0, 1.25)))
    add_floor(16.0)
    random = np.random.default_rng(4)
    corner = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    faces = np.array(
        [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    )
    colors = (RED, BLUE, GOLD, TEAL, WHITE)
    made = []
    for number in range(50):
        half = random.uniform(0.16, 0.26, 3)
        ob = add_mesh(f"Box {number + 1:02}", corner * half, faces, colors[number % len(colors)])
        layer, place = divmod(number, 9)
        ob.location = (
            0.62 * (place % 3 - 1) + random.normal(0.0, 0.03),
            0.62 * (place // 3 - 1) + random.normal(0.0, 0.03),
            0.6 + 0.75 * layer,
        )
        ob.rotation_euler = random.uniform(-math.pi, math.pi, 3)
        made.append(ob)
    select(*made)
    bpy.ops.verlet.rigid_body()
    for ob in made:
        ob.verlet.body.mass = round(1000.0 * float(np.prod(ob.dimensions)) * 0.5, 2)  # wood


DEMOS = {"flag": flag, "drape": drape, "boxes": boxes}


def main() -> None:
    """Install the zip, build each scene, save it."""
    zip_path, folder = (Path(argument).resolve() for argument in sys.argv[1:3])
    installed_extension.install(zip_path)
    bpy.context.preferences.filepaths.save_version = 0
    for name, build in DEMOS.items():
        build()
        bpy.context.scene.frame_set(1)
        path = folder / f"{name}.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=True, copy=True)
        print(f"wrote {path.name}, {path.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    installed_extension.run_and_leave(main)
