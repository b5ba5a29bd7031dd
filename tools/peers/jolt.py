"""Jolt's soft bodies through the Python binding culverin: rigid edges and shear, no bending.

Settings: ``substeps`` (steps of the world in a frame), ``iterations`` and, if it is not
the scene's, ``damping`` (1/s).
"""

import os
from importlib.metadata import version

import culverin
import numpy as np
import sheet

wanted = sheet.request()
n = wanted["n"]
world = culverin.PhysicsWorld(
    settings={
        "gravity": (0.0, 0.0, -sheet.GRAVITY),
        "num_threads": os.cpu_count() or 1,
        "temp_allocator_size": 256 << 20,
    }
)
shape = culverin.SoftBodySharedSettings()
inverse_mass = np.full(n * n, 1.0 / sheet.vertex_mass(n), np.float32)
inverse_mass[sheet.pins(n)] = 0.0
shape.add_vertices(sheet.vertices(n).astype(np.float32), inverse_mass)
shape.add_faces(sheet.triangles(n).astype(np.uint32))
shape.create_constraints(0.0, culverin.BEND_NONE)
shape.optimize()
body = world.create_soft_body(
    shape,
    (0, 0, 0),
    (0, 0, 0, 1),
    vertex_radius=0.01,
    linear_damping=wanted.get("damping", sheet.DRAG),
    num_iterations=wanted["iterations"],
    update_position=False,
)
world.step(1e-9)  # before the first step there is nothing to read


def step(frame: int) -> None:
    """Advance by one frame."""
    for _ in range(wanted["substeps"]):
        world.step(1.0 / sheet.FPS / wanted["substeps"])


def read() -> np.ndarray:
    """The places of all vertices."""
    places = np.array(world.get_soft_body_vertices(body))
    if places.dtype == np.uint8:
        places = places.view(np.float32)
    return places.reshape(n * n, -1)[:, :3]


sheet.simulate(n, wanted["seconds"], f"culverin {version('culverin')}", step, read)
