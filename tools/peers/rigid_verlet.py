"""This engine at its default settings, or with what the request says.

Settings: ``substep_rate``.
"""

import os

import rigid

from verlet_physics import SolverSettings
from verlet_physics.bench.rigid_bodies import measure
from verlet_physics.bench.run import compile_ahead

wanted = rigid.request()
compile_ahead()
settings = SolverSettings(substep_rate=wanted.get("substep_rate", SolverSettings().substep_rate))
rigid.show(
    f"{os.cpu_count()} threads at most",
    measure(rigid.scene_of(wanted), settings, frames=wanted["frames"], seconds=wanted["seconds"]),
)
