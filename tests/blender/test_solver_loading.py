"""The solver is loaded beside the window, once something is set up and before anybody plays."""

import subprocess
import sys

import pytest
from small_scenes import addon

pytestmark = pytest.mark.usefixtures("scene")

CHILD = """
import sys
import bpy
import addon_utils
from importlib import import_module

module = sys.argv[-1]
addon_utils.enable(module, default_set=True)
look_ahead = import_module(module + ".verlet_addon.look_ahead")
solver = import_module(module + ".verlet_addon.live.solver")


def engine():
    return {name for name in sys.modules if name.startswith(module + ".core")}


look_ahead._look()
assert not solver.is_loaded() and module + ".core.step" not in engine(), "nothing is set up"
bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=4)
bpy.ops.verlet.cloth()
wait = look_ahead._look()
while wait is not None and not solver.is_loaded():
    solver.wait()
solver.wait()
loaded = engine()
bpy.ops.mesh.primitive_cube_add(location=(0, 0, 3))
bpy.ops.verlet.rigid_body()
for frame in (1, 2, 3):
    bpy.context.scene.frame_set(frame)
assert import_module(module + ".verlet_addon.session").of(bpy.context.scene).last == 3
late = sorted(engine() - loaded)
assert not late, late
print("loaded", len(loaded))
"""


def test_nothing_of_the_engine_is_left_to_load_when_it_plays(scene):
    module = addon("session").__name__.removesuffix(".verlet_addon.session")
    done = subprocess.run(
        [sys.executable, "-c", CHILD, module], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    assert int(done.stdout.split("loaded ")[1].split()[0]) > 100
