"""PositionBasedDynamics through its Python binding pyPBD: XPBD distances, no bending.

Settings: ``steps`` (a frame), ``substeps`` (of a step), ``iterations``, and ``drag``:
whether to apply the scene's.
"""

import math
from importlib.metadata import version

import numpy as np
import pypbd
import sheet

XPBD_DISTANCE = 4
STIFFNESS = 1e5  # N/m

wanted = sheet.request()
n = wanted["n"]


def turned(places: np.ndarray) -> np.ndarray:
    """Z up to Y up, the library's axis of gravity."""
    return np.stack([places[:, 0], places[:, 2], -places[:, 1]], axis=1)


simulation = pypbd.Simulation.getCurrent()
simulation.initDefault()
model = simulation.getModel()
stepper = simulation.getTimeStep()
pypbd.TimeManager.getCurrent().setTimeStepSize(1.0 / sheet.FPS / wanted["steps"])
stepper.setValueUInt(pypbd.TimeStepController.NUM_SUB_STEPS, wanted["substeps"])
stepper.setValueUInt(pypbd.TimeStepController.MAX_ITERATIONS, wanted["iterations"])
model.addTriangleModel(
    list(turned(sheet.vertices(n))), sheet.triangles(n).ravel().tolist(), testMesh=False
)
particles = model.getParticles()
for vertex in range(n * n):
    particles.setMass(vertex, sheet.vertex_mass(n))
for vertex in sheet.pins(n):
    particles.setMass(vertex, 0.0)
stiffness = [STIFFNESS] * 4
model.addClothConstraints(
    model.getTriangleModels()[0], XPBD_DISTANCE, *stiffness, 0.3, 0.3, False, False
)


def step(frame: int) -> None:
    """Advance by one frame."""
    for _ in range(wanted["steps"]):
        stepper.step(model)


def read() -> np.ndarray:
    """The places of all vertices, Z up again."""
    places = np.array(particles.getVertices(), copy=False).reshape(-1, 3)
    return np.stack([places[:, 0], -places[:, 2], places[:, 1]], axis=1)


def drag() -> None:
    """The library has none: take the speed that a frame of drag takes."""
    kept = math.exp(-sheet.DRAG / sheet.FPS)
    for vertex in range(n * n):
        particles.setVelocity(vertex, kept * np.asarray(particles.getVelocity(vertex)))


sheet.simulate(
    n,
    wanted["seconds"],
    f"pyPBD {version('pypbd')}",
    step,
    read,
    drag if wanted["drag"] else lambda: None,
)
