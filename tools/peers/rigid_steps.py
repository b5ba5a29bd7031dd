"""Steps of a game in this engine: what `box3d_compare` sets beside those of Box3D's benchmark.

Takes a request (JSON): scene, threads, rate, substeps, steps, seconds; n for another size.
"""

import json
import sys

from verlet_physics.bench.rigid_bodies import measure_steps
from verlet_physics.bench.rigid_scenes import SCENES
from verlet_physics.bench.run import compile_ahead

wanted = json.loads(sys.argv[1])
make, usual = SCENES[wanted.pop("scene")]
compile_ahead()
print(json.dumps(measure_steps(make(wanted.pop("n", usual)), **wanted)), flush=True)
