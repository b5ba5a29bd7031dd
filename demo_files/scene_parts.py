"""What the demo scenes are made of: cameras, colours, floors, simple meshes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import bmesh
import bpy
import numpy as np
from mathutils import Vector

Color = tuple[float, float, float, float]

RED, BLUE, GOLD = (0.72, 0.05, 0.06, 1.0), (0.06, 0.20, 0.62, 1.0), (0.90, 0.55, 0.10, 1.0)
TEAL, WHITE, GREY = (0.05, 0.45, 0.42, 1.0), (0.85, 0.85, 0.82, 1.0), (0.30, 0.31, 0.33, 1.0)
GREEN, LEAF, WOOD = (0.16, 0.42, 0.08, 1.0), (0.10, 0.34, 0.12, 1.0), (0.24, 0.13, 0.07, 1.0)
PINK, BROWN, STEEL = (0.85, 0.22, 0.40, 1.0), (0.30, 0.14, 0.06, 1.0), (0.45, 0.48, 0.52, 1.0)
PAPER, INK = (0.75, 0.76, 0.78, 1.0), (0.04, 0.04, 0.05, 1.0)

FLOOR_SIZE = 160.0  # m: its edges are as good as the horizon for every camera


def new_scene(
    frame_end: int, camera: Sequence[float], target: Sequence[float], lens: float = 45.0
) -> None:
    """An empty file with a camera, and Workbench set to something that shows shape."""
    bpy.ops.wm.read_homefile(app_template="", use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, frame_end
    scene.render.fps = 24
    scene.render.resolution_x, scene.render.resolution_y = 1280, 720
    scene.render.engine = "BLENDER_WORKBENCH"
    shading = scene.display.shading
    shading.light, shading.studio_light = "STUDIO", "paint.sl"  # the brightest of Blender's own
    shading.color_type = "OBJECT"
    shading.show_shadows = True
    shading.shadow_intensity = 0.45
    shading.show_cavity = True
    shading.cavity_type = "WORLD"
    scene.display.light_direction = (0.35, 0.8, 0.45)  # Y is up, and Z toward the front
    scene.world = bpy.data.worlds.new("World")
    scene.world.color = (0.62, 0.66, 0.72)
    scene.view_settings.view_transform = "Standard"  # AgX, made for lamps, turns colours grey
    data = bpy.data.cameras.new("Camera")
    data.lens, data.clip_end = lens, 2.0 * FLOOR_SIZE
    ob = linked(bpy.data.objects.new("Camera", data))
    ob.location = camera
    ob.rotation_euler = (Vector(target) - Vector(camera)).to_track_quat("-Z", "Y").to_euler()
    scene.camera = ob


def linked(ob: bpy.types.Object) -> bpy.types.Object:
    """The object, shown in the scene."""
    bpy.context.scene.collection.objects.link(ob)
    return ob


def select(*objects: bpy.types.Object) -> None:
    """Select these objects and nothing else, the last one active."""
    for ob in bpy.context.view_layer.objects:
        ob.select_set(ob in objects)
    bpy.context.view_layer.objects.active = objects[-1]


def make(verb: str, *objects: bpy.types.Object, preset: str = "") -> None:
    """Press a verb's button for these objects, and choose a preset from the menu."""
    select(*objects)
    getattr(bpy.ops.verlet, verb)()
    if preset:
        bpy.ops.verlet.preset(preset=preset)


def add_mesh(
    name: str,
    vertices: np.ndarray,
    faces: Iterable[Sequence[int]],
    color: Color,
    *,
    edges: Iterable[Sequence[int]] = (),
    smooth: bool = False,
) -> bpy.types.Object:
    """A mesh object from vertices (n, 3), edges and faces."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(
        np.asarray(vertices).tolist(),
        [tuple(map(int, edge)) for edge in edges],
        [tuple(map(int, face)) for face in faces],
    )
    mesh.shade_smooth() if smooth else mesh.shade_flat()
    ob = linked(bpy.data.objects.new(name, mesh))
    ob.color = color
    return ob


def add_grid(
    name: str, columns: int, rows: int, width: float, height: float, color: Color
) -> bpy.types.Object:
    """A sheet of columns × rows vertices in its local XY plane, centred."""
    x, y = np.meshgrid(
        np.linspace(-width / 2, width / 2, columns), np.linspace(-height / 2, height / 2, rows)
    )
    vertices = np.stack([x.ravel(), y.ravel(), np.zeros(columns * rows)], axis=1)
    a = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).reshape(-1)
    faces = np.stack([a, a + 1, a + columns + 1, a + columns], axis=1)
    return add_mesh(name, vertices, faces, color, smooth=True)


def add_ball(name: str, radius: float, color: Color, segments: int = 48) -> bpy.types.Object:
    """A round ball, drawn of so many segments and half as many rings."""
    rings = segments // 2
    bpy.ops.mesh.primitive_uv_sphere_add(segments=segments, ring_count=rings, radius=radius)
    return _named(name, color, smooth=True)


def add_icosphere(name: str, radius: float, subdivisions: int, color: Color) -> bpy.types.Object:
    """A ball of nearly equal triangles."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=subdivisions, radius=radius)
    return _named(name, color, smooth=True)


def add_cylinder(name: str, radius: float, depth: float, color: Color) -> bpy.types.Object:
    """An upright cylinder."""
    bpy.ops.mesh.primitive_cylinder_add(vertices=32, radius=radius, depth=depth)
    return _named(name, color, smooth=False)


def add_box(name: str, size: Sequence[float], color: Color) -> bpy.types.Object:
    """A box, with its size in the mesh."""
    half = 0.5 * np.array(size)
    corner = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return add_mesh(name, corner * half, faces, color)


def add_copy(ob: bpy.types.Object, name: str, color: Color) -> bpy.types.Object:
    """Another object with the same mesh and settings."""
    copy = linked(ob.copy())
    copy.name, copy.color = name, color
    return copy


def add_rounded_box(
    name: str, size: Sequence[float], cuts: int, color: Color, *, roundness: float = 6.0
) -> bpy.types.Object:
    """A closed box of even faces whose edges are round: |x|ⁿ + |y|ⁿ + |z|ⁿ = 1, n = roundness."""
    shape = bmesh.new()
    bmesh.ops.create_cube(shape, size=2.0)
    bmesh.ops.subdivide_edges(shape, edges=shape.edges, cuts=cuts, use_grid_fill=True)
    mesh = bpy.data.meshes.new(name)
    shape.to_mesh(mesh)
    shape.free()
    places = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", places)
    places = places.reshape(-1, 3)
    places /= (np.abs(places) ** roundness).sum(axis=1, keepdims=True) ** (1.0 / roundness)
    mesh.vertices.foreach_set("co", (places * (0.5 * np.array(size))).ravel().astype(np.float32))
    mesh.shade_smooth()
    ob = linked(bpy.data.objects.new(name, mesh))
    ob.color = color
    return ob


def _named(name: str, color: Color, *, smooth: bool) -> bpy.types.Object:
    ob = bpy.context.object
    ob.name = ob.data.name = name
    ob.color = color
    if smooth:
        ob.data.shade_smooth()
    return ob


def add_floor() -> bpy.types.Object:
    """A floor that stops what falls on it."""
    floor = add_grid("Floor", 2, 2, FLOOR_SIZE, FLOOR_SIZE, PAPER)
    floor.display.show_shadows = False  # an open surface would shade what stands above it
    make("collider", floor)
    return floor


def add_post(
    name: str, place: Sequence[float], radius: float, height: float, color: Color
) -> bpy.types.Object:
    """An upright cylinder that stands on the floor at place (x, y)."""
    post = add_cylinder(name, radius, height, color)
    post.location = (place[0], place[1], 0.5 * height)
    return post


def add_label(text: str, place: Sequence[float], size: float) -> bpy.types.Object:
    """A word that stands at a place (x, y, z), to be read from the front."""
    data = bpy.data.curves.new(text, "FONT")
    data.body = text
    data.size = size
    data.align_x = "CENTER"
    ob = linked(bpy.data.objects.new(f"Label {text}", data))
    ob.location = place
    ob.rotation_euler = degrees(90.0, 0.0, 0.0)
    ob.color = INK
    return ob


def add_curve(
    name: str, points: np.ndarray, radius: float, color: Color, *, kind: str = "POLY"
) -> bpy.types.Object:
    """A curve through points (n, 3), drawn as a round rope."""
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    data.bevel_depth = radius
    data.use_fill_caps = True
    spline = data.splines.new(kind)
    if kind == "BEZIER":
        spline.bezier_points.add(len(points) - 1)
        for point, place in zip(spline.bezier_points, points):
            point.co = place
            point.handle_left_type = point.handle_right_type = "AUTO"
    else:
        spline.points.add(len(points) - 1)
        for point, place in zip(spline.points, points):
            point.co = (*place, 1.0)
    ob = linked(bpy.data.objects.new(name, data))
    ob.color = color
    return ob


def show_edges(
    ob: bpy.types.Object, radius: float, *, painted: str = "", color: Color | None = None
) -> None:
    """Draw the edges that belong to no face as round sticks, by Geometry Nodes.

    painted: name of a float attribute of the vertices that scales the radius; color: where
    materials are shown, another one than the object's.
    """
    tree = bpy.data.node_groups.new("Sticks", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="INPUT", socket_type="NodeSocketGeometry")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")

    def node(kind: str) -> bpy.types.Node:
        return tree.nodes.new(kind)

    start, end = node("NodeGroupInput"), node("NodeGroupOutput")
    both = node("GeometryNodeJoinGeometry")
    faces, bare = node("GeometryNodeInputMeshEdgeNeighbors"), node("FunctionNodeCompare")
    bare.data_type, bare.operation = "INT", "EQUAL"
    wires, sticks = node("GeometryNodeMeshToCurve"), node("GeometryNodeCurveToMesh")
    circle = node("GeometryNodeCurvePrimitiveCircle")
    circle.inputs["Resolution"].default_value = 10
    circle.inputs["Radius"].default_value = radius
    sticks.inputs["Fill Caps"].default_value = True
    join = tree.links.new
    join(faces.outputs[0], next(s for s in bare.inputs if s.enabled and s.name == "A"))
    join(start.outputs[0], wires.inputs["Mesh"])
    join(bare.outputs[0], wires.inputs["Selection"])
    curve = wires.outputs[0]
    if painted:
        width = node("GeometryNodeInputNamedAttribute")
        width.data_type = "FLOAT"
        width.inputs["Name"].default_value = painted
        if "Scale" in sticks.inputs:  # Blender 5.0 and later
            join(width.outputs[0], sticks.inputs["Scale"])
        else:
            thick = node("GeometryNodeSetCurveRadius")
            join(curve, thick.inputs["Curve"])
            join(width.outputs[0], thick.inputs["Radius"])
            curve = thick.outputs[0]
    join(curve, sticks.inputs["Curve"])
    join(circle.outputs[0], sticks.inputs["Profile Curve"])
    smooth, colored = node("GeometryNodeSetShadeSmooth"), node("GeometryNodeSetMaterial")
    join(sticks.outputs[0], smooth.inputs[0])
    join(smooth.outputs[0], colored.inputs[0])
    colored.inputs["Material"].default_value = material_of(color or ob.color)
    join(start.outputs[0], both.inputs[0])
    join(colored.outputs[0], both.inputs[0])
    join(both.outputs[0], end.inputs[0])
    ob.modifiers.new("Sticks", "NODES").node_group = tree


def material_of(color: Sequence[float]) -> bpy.types.Material:
    """A material that Workbench shows in a colour."""
    material = bpy.data.materials.new("Color")
    material.diffuse_color = color
    return material


def show_materials() -> None:
    """Show materials in place of objects' colours; each mesh without one gets its own."""
    for ob in bpy.context.scene.objects:
        if ob.type == "MESH" and not ob.data.materials:
            ob.data.materials.append(material_of(ob.color))
    bpy.context.scene.display.shading.color_type = "MATERIAL"


def show_at_vertices(cloud: bpy.types.Object, shape: bpy.types.Object) -> None:
    """Show a shape at each vertex of a cloud, by Blender's own instances."""
    shape.parent = cloud
    cloud.instance_type = "VERTS"
    cloud.color = shape.color  # that of the instances


def paint(ob: bpy.types.Object, name: str, weights: np.ndarray) -> bpy.types.VertexGroup:
    """A vertex group with weights (n,); vertices of weight 0 are left out."""
    group = ob.vertex_groups.new(name=name)
    for vertex in np.flatnonzero(weights > 0.0):
        group.add([int(vertex)], float(weights[vertex]), "REPLACE")
    return group


def join(
    a: bpy.types.Object, b: bpy.types.Object, kind: str = "BALL", **options: object
) -> bpy.types.Object:
    """Press Join for two objects; returns the joint."""
    select(b, a)
    bpy.ops.verlet.join(kind=kind, **options)
    return bpy.context.object


def add_joint(
    place: Sequence[float], kind: str, a: bpy.types.Object, b: bpy.types.Object | None = None
) -> bpy.types.Object:
    """A joint at a place (3,): an empty that is selected together with what it joins."""
    empty = linked(bpy.data.objects.new("Joint", None))
    empty.location = place
    empty.empty_display_size = 0.2
    select(empty, *([] if b is None else [b]), a)
    bpy.ops.verlet.join(kind=kind)
    return empty


def key(group: bpy.types.bpy_struct, name: str, values: dict[int, float]) -> None:
    """Keyframes of a property by frame, with straight lines between."""
    for frame, value in values.items():
        setattr(group, name, value)
        group.keyframe_insert(name, frame=frame)


def add_field(kind: str, strength: float) -> bpy.types.Object:
    """One of Blender's own force fields, on an empty at the origin."""
    ob = linked(bpy.data.objects.new(kind.title(), None))
    select(ob)
    bpy.ops.object.forcefield_toggle()
    ob.field.type, ob.field.strength = kind, strength
    return ob


def degrees(*angles: float) -> tuple[float, ...]:
    """Angles in radians."""
    return tuple(map(math.radians, angles))
