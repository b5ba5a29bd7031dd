"""Plants in gusts of a wind that stops: a tuft of grass, a shrub, a small tree."""

import bpy
import numpy as np
from scene_parts import (
    BROWN,
    GREEN,
    LEAF,
    WOOD,
    add_cylinder,
    add_field,
    add_floor,
    add_mesh,
    degrees,
    key,
    make,
    new_scene,
    show_edges,
    show_materials,
)

CALM = 105  # frame from which there is no wind


def build() -> None:
    """Set it up."""
    new_scene(168, (0.1, -6.3, 1.7), (0.1, 0.0, 1.03), lens=44.0)
    add_floor()
    random = np.random.default_rng(7)
    grass = _grass(random)
    make("plant", grass, preset="GRASS")
    grass.verlet.animated.fields = 0.45  # it stands in the lee
    shrub = _shrub(random)
    make("plant", shrub, preset="SHRUB")
    shrub.verlet.plant.area_density = 0.15
    tree = _tree(random)
    make("plant", tree, preset="TREE")
    tree.verlet.plant.area_density = 0.15
    for name, place, radius in (("Grass", -1.75, 0.62), ("Shrub", -0.2, 0.4), ("Tree", 1.35, 0.42)):
        soil = add_cylinder(f"{name} Soil", radius, 0.05, BROWN)
        soil.location = (place, 0.0, 0.025)
    bpy.ops.rigidbody.world_add()  # without one Blender complains of every keyed force field
    wind = add_field("WIND", 0.0)
    wind.location = (-4.0, 0.0, 1.0)
    wind.rotation_euler = degrees(0.0, 90.0, 0.0)
    wind.field.noise = 1.0
    key(
        wind.field,
        "strength",
        {1: 0.0, 12: 20.0, 30: 6.0, 45: 28.0, 62: 8.0, 80: 30.0, CALM: 0.0},
    )
    show_materials()


def _grass(random: np.random.Generator) -> bpy.types.Object:
    """Blades that narrow toward their tips, each rooted by itself."""
    vertices, faces = [], []
    rows = 7
    for _ in range(110):
        angle, away = random.uniform(0.0, 2.0 * np.pi), 0.5 * np.sqrt(random.uniform())
        root = np.array([away * np.cos(angle), away * np.sin(angle), 0.04])
        turn = random.uniform(0.0, 2.0 * np.pi)
        across = np.array([np.cos(turn), np.sin(turn), 0.0])
        height = random.uniform(0.55, 0.95) * (1.1 - 0.5 * away)
        lean = np.array([np.cos(angle), np.sin(angle), 0.0]) * (0.1 + 0.5 * away) * height
        lean += random.normal(0.0, 0.04, 3) * (1.0, 1.0, 0.0)
        first = len(vertices)
        for t in np.linspace(0.0, 1.0, rows):
            middle = root + lean * t**2 + np.array([0.0, 0.0, height * t])
            wide = 0.016 * (1.0 - 0.9 * t)
            vertices += [middle - wide * across, middle + wide * across]
        faces += [
            (first + 2 * r, first + 2 * r + 1, first + 2 * r + 3, first + 2 * r + 2)
            for r in range(rows - 1)
        ]
    ob = add_mesh("Grass", np.array(vertices), faces, GREEN)
    ob.location = (-1.75, 0.0, 0.0)
    return ob


class _Growth:
    """Branches of edges, and leaves of faces that are joined to them."""

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random
        self.vertices: list[np.ndarray] = []
        self.edges: list[tuple[int, int]] = []
        self.faces: list[tuple[int, ...]] = []
        self.thickness: list[float] = []

    def add_vertex(self, place: np.ndarray, thickness: float = 0.0) -> int:
        """A vertex's number; thickness: radius of the branch there."""
        self.vertices.append(place)
        self.thickness.append(thickness)
        return len(self.vertices) - 1

    def add_branch(
        self, start: int, way: np.ndarray, pieces: int, thickness: tuple[float, float], rise: float
    ) -> list[int]:
        """Numbers of the vertices of a branch that grows from a vertex and turns upward."""
        numbers = [start]
        step = way / pieces
        length = float(np.linalg.norm(step))
        for t in np.linspace(0.0, 1.0, pieces + 1)[1:]:
            step = step + np.array([0.0, 0.0, rise * length])
            step += self.random.normal(0.0, 0.12 * length, 3)
            step *= length / np.linalg.norm(step)
            radius = thickness[0] + (thickness[1] - thickness[0]) * t
            number = self.add_vertex(self.vertices[numbers[-1]] + step, radius)
            self.edges.append((numbers[-1], number))
            numbers.append(number)
        return numbers

    def add_leaf(self, at: int, size: float) -> None:
        """A leaf of two bent quads whose stalk is a vertex of the branch."""
        out = self.random.normal(size=3) + (0.0, 0.0, 0.35)
        out /= np.linalg.norm(out)
        side = np.cross(out, self.random.normal(size=3))
        side *= 0.33 * size / np.linalg.norm(side)
        up = np.cross(side, out)
        base = self.vertices[at]
        middle = self.add_vertex(base + 0.5 * size * out)
        left = self.add_vertex(base + 0.5 * size * out + side + 0.3 * up)
        right = self.add_vertex(base + 0.5 * size * out - side + 0.3 * up)
        tip = self.add_vertex(base + size * out)
        self.faces += [(at, middle, left), (at, right, middle)]
        self.faces += [(middle, tip, left), (middle, right, tip)]

    def mesh(self, name: str, color: tuple[float, ...], thickest: float) -> bpy.types.Object:
        """The plant as an object; thickest: radius of the thickest branch."""
        ob = add_mesh(name, np.array(self.vertices), self.faces, color, edges=self.edges)
        width = ob.data.attributes.new("thickness", "FLOAT", "POINT")
        width.data.foreach_set("value", np.array(self.thickness, np.float32) / thickest)
        show_edges(ob, thickest, painted="thickness", color=WOOD)
        return ob


def _shrub(random: np.random.Generator) -> bpy.types.Object:
    """A dozen stems from one root, with leaves along them."""
    growth = _Growth(random)
    for stem in range(12):
        angle = 2.0 * np.pi * stem / 12 + random.normal(0.0, 0.15)
        root = growth.add_vertex(
            np.array([0.05 * np.cos(angle), 0.05 * np.sin(angle), 0.03]), 0.016
        )
        spread = random.uniform(0.25, 0.75)
        way = np.array([spread * np.cos(angle), spread * np.sin(angle), 1.0])
        way *= random.uniform(0.75, 1.05) / np.linalg.norm(way)
        numbers = growth.add_branch(root, way, 8, (0.016, 0.004), 0.05)
        for number in numbers[2:]:
            for _ in range(3):
                growth.add_leaf(number, random.uniform(0.11, 0.17))
    ob = growth.mesh("Shrub", LEAF, 0.016)
    ob.location = (-0.2, 0.0, 0.0)
    return ob


def _tree(random: np.random.Generator) -> bpy.types.Object:
    """A trunk, boughs and twigs, with leaves on the twigs."""
    growth = _Growth(random)
    root = growth.add_vertex(np.array([0.0, 0.0, 0.03]), 0.07)
    trunk = growth.add_branch(root, np.array([0.0, 0.0, 1.3]), 9, (0.06, 0.03), 0.3)
    for number, at in enumerate([*trunk[4:], *trunk[6:]]):
        angle = 2.4 * number
        way = np.array([np.cos(angle), np.sin(angle), random.uniform(0.5, 0.9)])
        way *= random.uniform(0.55, 0.8) / np.linalg.norm(way)
        bough = growth.add_branch(at, way, 5, (0.028, 0.01), 0.1)
        for twig_at in bough[2:]:
            side = random.normal(size=3) + 1.2 * way
            side *= random.uniform(0.25, 0.4) / np.linalg.norm(side)
            twig = growth.add_branch(twig_at, side, 3, (0.01, 0.004), 0.05)
            for at_leaf in twig[1:]:
                for _ in range(4):
                    growth.add_leaf(at_leaf, random.uniform(0.15, 0.22))
    ob = growth.mesh("Tree", LEAF, 0.07)
    ob.location = (1.35, 0.0, 0.0)
    return ob
