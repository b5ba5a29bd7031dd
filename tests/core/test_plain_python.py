"""Without Numba the same code runs as plain Python and gives the same answers."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from verlet_physics.kernels import folder as kernel_folder
from verlet_physics.kernels import jit

SCRIPT = """
import json
from verlet_physics import FrameInputs, SolverSettings, WindSettings, advance
from verlet_physics.kernels import jit
from verlet_physics.bench.scenes import add_sheet
from verlet_physics.building.builder import ModelBuilder
builder = ModelBuilder()
add_sheet(builder, 5, height=0.3, pins=(0,))
builder.add_body("box", "BOX", (0.2, 0.2, 0.2), (0.1, 0, 0.6), (0.9, 0.1, 0.2, 0), mass=1.0)
builder.add_body("ball", "SPHERE", (0.2,), (0.8, 0, 0.6), mass=1.0)
builder.add_collider("floor", "PLANE", (), (0, 0, 0))
builder.add_collider("post", "CAPSULE", (0.1, 0.3), (0.1, 0.1, -0.2))
model = builder.finalize()
state = model.initial_state()
for _ in range(8):
    state, _ = advance(model, state, FrameInputs(wind=WindSettings(velocity=(2, 0, 0))),
                       SolverSettings(threads=2))
print(json.dumps([jit.compiled, state.position.tolist()]))
"""


def run(**environment):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    compiled, position = json.loads(done.stdout)
    return compiled, np.array(position)


@pytest.mark.skipif(not jit.compiled, reason="needs Numba to compare with")
def test_plain_python_agrees_with_compiled_code():
    compiled, fast = run()
    plain, slow = run(VERLET_NO_NUMBA="1")
    assert compiled is True
    assert plain is False
    assert np.allclose(fast, slow, atol=1e-9)


def test_compiled_code_is_kept_by_what_it_came_from(monkeypatch):
    def forget():
        for name in ("_source_hash", "imported_by", "records"):
            getattr(kernel_folder, name).cache_clear()

    def folder(module, edited=None):
        texts = dict(sources)
        if edited:
            texts[edited] += "\n# edited"
        forget()
        monkeypatch.setattr(kernel_folder, "_sources", lambda: texts)
        return kernel_folder.kernel_folder(f"verlet_physics.{module}")

    sources = dict(kernel_folder._sources())
    for module in ("rigid.step", "rigid.owners"):
        assert folder(module) == folder(module, "recipes.cloth")
        assert folder(module) != folder(module, "rotation")
    assert folder("rigid.owners") == folder("rigid.owners", "rigid.step")
    plain = folder("rigid.owners")
    sources["collision.tree"] += "\nOther = namedtuple(\n    ['a'],\n)\n"  # any kernel may get one
    assert folder("rigid.owners") != plain
    forget()
