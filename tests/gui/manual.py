"""Takes the manual's pictures in a real Blender window: each verb, set up and played a little.

Run like panel.py with GUI_SIZE=1366x900 and the zip of the platform: the panel tells how long a
frame takes. The pictures go to docs/manual/images as JPEG, 1000 px wide.
"""

import math

import bpy


def begin():
    """An empty scene at its first frame."""
    scene = bpy.context.scene
    scene.frame_set(1)
    bpy.ops.verlet.reset()
    for ob in list(bpy.data.objects):
        bpy.data.objects.remove(ob)
    scene.cursor.location = (0, 0, 0)
    scene.verlet.wind.velocity = (0, 0, 0)
    return scene


def ready(name, **options):
    """A ready thing of the Add menu."""

    def build():
        getattr(bpy.ops.verlet, f"add_{name}")(**options)

    return build


def drape():
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=5, radius=0.5, location=(0, 0, 0.5))
    bpy.ops.object.shade_smooth()
    bpy.ops.verlet.collider()
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=50, y_subdivisions=50, size=1.6, location=(0, 0, 1.03)
    )
    bpy.ops.object.shade_smooth()
    bpy.context.object.name = "Sheet"
    bpy.ops.verlet.cloth()


def heap():
    for number in range(12):
        bpy.ops.mesh.primitive_cube_add(
            size=0.4, location=(0.1 * (number % 3), 0.07 * (number % 2), 0.4 + 0.5 * number)
        )
        bpy.context.object.rotation_euler = (0.3 * number, 0.2 * number, 0.1)
        bpy.ops.verlet.rigid_body()
    bpy.ops.verlet.add_floor()
    bpy.context.view_layer.objects.active = bpy.data.objects["Cube"]
    bpy.data.objects["Cube"].select_set(True)


def sand():
    vertices = [
        (0.06 * x + 0.01 * (y % 2), 0.06 * y + 0.01 * (z % 2), 0.5 + 0.06 * z)
        for x in range(6)
        for y in range(6)
        for z in range(6)
    ]
    mesh = bpy.data.meshes.new("Sand")
    mesh.from_pydata(vertices, [], [])
    ob = bpy.data.objects.new("Sand", mesh)
    bpy.context.scene.collection.objects.link(ob)
    bpy.ops.verlet.add_floor()
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = ob
    ob.select_set(True)
    bpy.ops.verlet.particles()


def reed():
    vertices, edges = [], []
    for blade in range(24):
        angle, radius = 2.4 * blade, 0.05 * math.sqrt(blade)
        x, y = radius * math.cos(angle), radius * math.sin(angle)
        first = len(vertices)
        vertices += [(x, y, 0.12 * k) for k in range(7)]
        edges += [(first + k, first + k + 1) for k in range(6)]
    mesh = bpy.data.meshes.new("Reed")
    mesh.from_pydata(vertices, edges, [])
    ob = bpy.data.objects.new("Reed", mesh)
    bpy.context.scene.collection.objects.link(ob)
    bpy.context.view_layer.objects.active = ob
    ob.select_set(True)
    bpy.ops.verlet.plant()
    bpy.context.scene.verlet.wind.velocity = (6, 0, 0)


def faulty():
    """Cloth that starts in a block, a crate beside the floor."""
    bpy.ops.verlet.add_floor()
    bpy.ops.mesh.primitive_cube_add(size=1, location=(0, 0, 0.5))
    bpy.context.object.name = "Block"
    bpy.ops.verlet.collider()
    bpy.ops.mesh.primitive_cube_add(size=0.6, location=(9, 2, 1))
    bpy.context.object.name = "Crate"
    bpy.ops.verlet.rigid_body()
    bpy.ops.mesh.primitive_grid_add(
        x_subdivisions=10, y_subdivisions=10, size=1.6, location=(0, 0, 0.9)
    )
    bpy.context.object.name = "Sheet"
    bpy.ops.verlet.cloth()
    bpy.ops.verlet.check_scene()


PICTURES = {
    "first_minute": (drape, 24, 2.2),
    "cloth": (ready("flag"), 40, 0.95),
    "rope": (ready("rope_bridge"), 24, 0.75),
    "plant": (reed, 14, 1.3),
    "soft_body": (ready("jelly"), 14, 1.2),
    "particles": (sand, 12, 0.18),
    "rigid_body": (heap, 30, 0.5),
    "ragdoll": (ready("ragdoll_dummy"), 16, 0.26),
    "collider": (drape, 14, 2.0),
    "joint": (ready("wrecking_ball"), 12, 0.9),
    "doctor": (faulty, 1, 0.7),
}
"""What is built, the frame in which it is shown, and from how far away, in sizes of the view."""


def steps(g):
    view = g.area("VIEW_3D")
    yield from g.n_panel("Verlet")
    space = view.spaces.active
    space.shading.type, space.shading.color_type = "SOLID", "OBJECT"
    space.overlay.show_cursor = False
    region = g.region(view, "WINDOW")
    for name, (build, frame, distance) in PICTURES.items():
        scene = begin()
        build()
        yield 1.0
        shown = bpy.context.object
        for number in range(1, frame + 1):
            scene.frame_set(number)
            yield 0.05
        g.log("played", name)
        if shown is not None:
            shown.select_set(True)
            bpy.context.view_layer.objects.active = shown
        with bpy.context.temp_override(window=g.window, area=view, region=region):
            bpy.ops.view3d.view_all()
        space.region_3d.view_distance *= distance
        yield 1.5
        g.shot(name)
    g.check(len(g.shots) == len(PICTURES), "all pictures are taken")
