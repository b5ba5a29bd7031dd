"""The place at which a ready thing is built, and the few steps that all of them take there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ..blender.data import any_item
from ..properties import presets
from ..properties.kinds import KINDS
from ..properties.objects import group_of
from .shapes import MeshData

Color = tuple[float, float, float]

PINS = "Pins"
"""Name of the vertex group that holds what is pinned."""


class Site:
    """Objects are built here: along the world's axes, around an origin, in one collection.

    Nothing is selected and nothing is asked of the window, so that a thing can be built in any
    scene; `finish` selects what was built.
    """

    def __init__(
        self,
        view_layer: bpy.types.ViewLayer,
        collection: bpy.types.Collection,
        origin: Sequence[float],
    ) -> None:
        self.view_layer = view_layer
        self.collection = collection
        self.origin = Vector(origin)
        self.objects: list[bpy.types.Object] = []
        self.active: bpy.types.Object | None = None
        self._materials: dict[Color, bpy.types.Material] = {}

    def add(
        self,
        name: str,
        data: bpy.types.ID | None,
        place: Sequence[float] = (0.0, 0.0, 0.0),
        turn: Matrix | None = None,
    ) -> bpy.types.Object:
        """A new object at a place (3,) in m from the origin, turned by a matrix (3, 3)."""
        ob = bpy.data.objects.new(name, data)
        self.collection.objects.link(ob)
        rotation = Matrix.Identity(4) if turn is None else turn.to_4x4()
        ob.matrix_world = Matrix.Translation(self.origin + Vector(place)) @ rotation
        self.objects.append(ob)
        return ob

    def add_mesh(
        self,
        name: str,
        shape: MeshData,
        color: Color,
        place: Sequence[float] = (0.0, 0.0, 0.0),
        turn: Matrix | None = None,
        *,
        is_smooth: bool = False,
    ) -> bpy.types.Object:
        """A new mesh object."""
        return self.add(name, self.mesh(name, shape, color, is_smooth=is_smooth), place, turn)

    def mesh(
        self, name: str, shape: MeshData, color: Color, *, is_smooth: bool = False
    ) -> bpy.types.Mesh:
        """A mesh that several objects may share."""
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata(shape.vertices.tolist(), shape.edges, shape.faces)
        if is_smooth:
            mesh.shade_smooth()
        mesh.materials.append(self.material(name, color))
        return mesh

    def material(self, name: str, color: Color) -> bpy.types.Material:
        """A plain material, one for each colour of the thing, named after what has it first."""
        if color not in self._materials:
            material = bpy.data.materials.new(name)
            material.diffuse_color = (*color, 1.0)
            if material.node_tree is None:  # before Blender 5.0
                material.use_nodes = True
            for node in material.node_tree.nodes:
                if isinstance(node, bpy.types.ShaderNodeBsdfPrincipled):
                    inputs: Any = node.inputs  # what a socket holds depends on its type
                    inputs["Base Color"].default_value = (*color, 1.0)
                    inputs["Roughness"].default_value = 0.6
            self._materials[color] = material
        return self._materials[color]

    def set_up(
        self, ob: bpy.types.Object, kind: str, preset: str = "", **settings: Any
    ) -> bpy.types.Object:
        """Make an object what a verb would make of it, with a preset and settings by name."""
        ob.verlet.kind = any_item(kind)
        if preset:
            presets.apply(ob, KINDS[kind], preset)
        group = group_of(ob, KINDS[kind])
        for name, value in settings.items():
            setattr(group, name, value)
        return ob

    def pin(self, ob: bpy.types.Object, vertices: Sequence[int]) -> None:
        """Hold these vertices of a mesh."""
        ob.vertex_groups.new(name=PINS).add(np.asarray(vertices).tolist(), 1.0, "REPLACE")
        ob.verlet.pin_group = PINS

    def join(
        self,
        a: bpy.types.Object,
        b: bpy.types.Object | None,
        place: Sequence[float],
        kind: str = "BALL",
        turn: Matrix | None = None,
        *,
        size: float = 0.1,
    ) -> bpy.types.Object:
        """A joint between two objects, or one and the world, at a place from the origin."""
        name = f"Joint {a.name}" if b is None else f"Joint {b.name} {a.name}"
        ob = self.add(name, None, place, turn)
        ob.empty_display_type, ob.empty_display_size = "ARROWS", size
        ob.verlet.is_joint = True
        ob.verlet.joint.kind = any_item(kind)
        ob.verlet.joint.object_a, ob.verlet.joint.object_b = a, b
        return ob

    @contextmanager
    def editing(self, ob: bpy.types.Object) -> Iterator[None]:
        """Inside it the object is in Edit Mode, whatever scene the window shows."""
        before = self.view_layer.objects.active
        self.view_layer.objects.active = ob
        scene = self.view_layer.id_data
        context = bpy.context.temp_override(
            scene=scene, view_layer=self.view_layer, active_object=ob, object=ob
        )
        with context:
            bpy.ops.object.mode_set(mode="EDIT")
            try:
                yield
            finally:
                bpy.ops.object.mode_set(mode="OBJECT")
        self.view_layer.objects.active = before

    def finish(self, space: bpy.types.SpaceView3D | None = None) -> None:
        """Select what was built and nothing else; show it in a local view too."""
        for ob in self.view_layer.objects:
            ob.select_set(False, view_layer=self.view_layer)
        for ob in self.objects:
            if space is not None and space.local_view is not None:
                ob.local_view_set(space, True)
            ob.select_set(True, view_layer=self.view_layer)
        self.view_layer.objects.active = self.active or self.objects[0]
