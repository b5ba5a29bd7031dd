"""Every kind of constraint runs as plain Python and gives what compiled code gives."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from verlet_physics.kernels import jit

SCRIPT = """
import json
from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.kernels import jit
from verlet_physics.truth.constraints import MAKER_OF_KIND
places = {}
for name, make in MAKER_OF_KIND.items():
    builder = ModelBuilder()
    make(builder)
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(5):
        state, _ = advance(model, state, FrameInputs(duration=1 / 240), SolverSettings())
    places[name] = state.position.tolist()
print(json.dumps([jit.compiled, places]))
"""


def run(**environment):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.skipif(not jit.compiled, reason="needs Numba to compare with")
def test_plain_python_agrees_with_compiled_code():
    compiled, fast = run()
    plain, slow = run(VERLET_NO_NUMBA="1")
    assert compiled is True
    assert plain is False
    for name, places in fast.items():
        assert np.allclose(places, slow[name], rtol=0.0, atol=1e-10), name
