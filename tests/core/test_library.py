"""Kernels that were compiled ahead: used where they fit, refused where they do not.

These tests build no library: they take the one that `dev.py library` has left, if it is of these
sources.
"""

import ctypes
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from verlet_physics.kernels import library

ROOT = Path(__file__).resolve().parents[2]
MINE = [
    ROOT / "build/libraries" / name / library.PACKAGE
    for name in (*library._names(), library._names()[0].rpartition("-v")[0])
]


def is_of_these_sources(folder):
    try:
        table = json.loads((folder / "kernels.json").read_text("utf-8"))
        return library.hash_of_sources(table["modules"]) == table["sources"]
    except OSError:
        return False


BUILT = next(filter(is_of_these_sources, MINE), None)
built = pytest.mark.skipif(BUILT is None, reason="`dev.py library` has not been run")


def run(code, *arguments, **variables):
    inherited = os.environ.items()
    environment = {k: v for k, v in inherited if k not in ("VERLET_NO_NUMBA", "VERLET_LIBRARY")}
    environment |= variables
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


WATCHED = """
import sys
import numpy as np
import verlet_physics.truth.all, verlet_physics.warm_up  # kernels are known once imported
from verlet_physics.kernels import jit, library
assert library.why_not() == "", library.why_not()
assert len(jit._kernels) > 100
plain = []
for kernel in jit._kernels:
    def slow(*arguments, kernel=kernel, function=kernel.function):
        plain.append(kernel.function.__qualname__)
        return function(*arguments)
    functions = kernel.function
    kernel.function = slow
    kernel.function.__qualname__, kernel.function.__module__ = (
        functions.__qualname__, functions.__module__
    )
"""
"""Notes the names of kernels that run as plain Python."""

WARM_UP = """
from verlet_physics import warm_up
for scene in warm_up.SCENES:
    scene()
print(sorted(set(plain)), "numba" in sys.modules, jit.thread_limit() > 0)
"""


@built
def test_every_kernel_comes_from_the_library():
    assert run(WATCHED + WARM_UP, VERLET_LIBRARY=str(BUILT)) == "[] False True"


GOLDEN = """
from verlet_physics.golden import hashes
differ = [n for n in hashes.SCENES if len(set(hashes.scene_hashes(n))) > 1]
print(differ, sorted(set(plain)))
"""


@built
def test_golden_scenes_come_from_the_library_alone_and_threads_give_the_same_bits():
    assert run(WATCHED + GOLDEN, VERLET_LIBRARY=str(BUILT)) == "[] []"


SCENES = """
from verlet_physics import SolverSettings, advance
from verlet_physics.bench import rigid_scenes
from verlet_physics.bench.rigid_bodies import model_of
from verlet_physics.bench.scenes import SCENES
from verlet_physics.truth.determinism import _WIND_AND_FIELDS, _everything
bodies = [model_of(rigid_scenes.heap(8)), model_of(rigid_scenes.chain(4, both=True))]
for model in [_everything(), *bodies, *(make(6).model for make, _ in SCENES.values())]:
    state = model.initial_state()
    for threads in (1, 2):
        state, _ = advance(model, state, _WIND_AND_FIELDS, SolverSettings(threads=threads))
print(sorted(set(plain)))
"""


@built
def test_no_scene_asks_for_what_the_library_has_not():
    assert run(WATCHED + SCENES, VERLET_LIBRARY=str(BUILT)) == "[]"


MADE = """
import pickle, sys
from verlet_physics.golden.hashes import SCENES
made = {}
for name in SCENES:
    if name not in ("cloth-torn", "rope-snaps"):  # how these are cut anew is a function
        one = SCENES[name]()
        made[name] = one.model, one.settings, [one.inputs(one.model, k) for k in range(one.frames)]
with open(sys.argv[1], "wb") as file:
    pickle.dump(made, file)
"""

STEPPED = """
import pickle, sys
from verlet_physics.golden.hashes import state_hash
from verlet_physics.step import advance
with open(sys.argv[1], "rb") as file:
    made = pickle.load(file)
for name, (model, settings, inputs) in made.items():
    state = model.initial_state()
    for given in inputs:
        state, _ = advance(model, state, given, settings)
    print(name, state_hash(model, state))
"""


@built
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="hides what x86 has")
def test_no_bit_of_a_step_comes_from_code_that_numpy_chooses_by_the_processor(tmp_path):
    made = str(tmp_path / "models.pickle")
    run(MADE, made, VERLET_LIBRARY=str(BUILT))
    inside = np._core._multiarray_umath
    hidden = [name for name in inside.__cpu_dispatch__ if inside.__cpu_features__[name]]
    chosen = {"NPY_DISABLE_CPU_FEATURES": " ".join(hidden), "OPENBLAS_CORETYPE": "Nehalem"}
    as_it_is = run(STEPPED, made, VERLET_LIBRARY=str(BUILT))
    assert "soft-body" in as_it_is
    assert run(STEPPED, made, VERLET_LIBRARY=str(BUILT), **chosen) == as_it_is


ARGUMENTS = """
import numpy as np
from verlet_physics.kernels import jit
from verlet_physics.particles.integrate import position_verlet
def go(x, rows=slice(None), threads=1, has_force=True, h=1 / 480):
    n = len(x)
    force, ones = np.ones((n, 3)), np.ones(n)
    x, previous = x.copy()[rows], (x - 0.01).copy()[rows]
    jit.set_thread_count(threads)
    gravity = np.array([0.0, 0.0, -9.8])
    position_verlet.on(threads)(
        x, previous, ones[rows], ones[rows], gravity, force[rows], has_force, h
    )
    return x
x = np.linspace(0.0, 1.0, 300).reshape(100, 3)
same = go(x)
assert (go(x, threads=2) == same).all()
assert (go(x, threads=7) == same).all()
assert (go(x, has_force=np.True_, h=np.float64(1 / 480)) == same).all()
assert (go(x, rows=slice(None, None, 2)) == same[::2]).all()  # rows apart: as plain Python
assert len(go(x[:0])) == 0
try:
    position_verlet(x, x)
except TypeError:
    print("refused")
"""


@built
def test_arguments_of_other_types_run_as_plain_python_and_wrong_ones_are_refused():
    assert run(ARGUMENTS, VERLET_LIBRARY=str(BUILT)) == "refused"


FORKED = """
import os
import numpy as np
from verlet_physics.kernels import jit
from verlet_physics.particles.integrate import position_verlet
def go():
    x, ones = np.linspace(0.0, 1.0, 3000).reshape(1000, 3), np.ones(1000)
    jit.set_thread_count(4)
    zero = np.zeros((1000, 3))
    position_verlet.on(4)(x, x - 0.1, ones, ones, np.ones(3), zero, False, 0.1)
    return x.tobytes()
before = go()
child = os.fork()
if not child:
    os._exit(0 if go() == before else 3)
assert os.waitpid(child, 0)[1] == 0
print(go() == before)
"""


@built
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_has_threads_of_its_own():
    assert run(FORKED, VERLET_LIBRARY=str(BUILT)) == "True"


HASHES = """
import sys
from verlet_physics.golden.hashes import scene_hashes
for name in sys.argv[1:]:
    print(name, scene_hashes(name))
"""

OF_EVERY_KIND = (
    *("cloth-folds", "cloth-flag", "balls-and-limbs", "everything-meets", "fields-cone"),
    *("soft-body", "ragdoll-falls", "joints-generic", "heap"),
)


@built
def test_numba_for_this_processor_gives_the_bits_of_the_library():
    pytest.importorskip("numba")
    ahead = run(HASHES, *OF_EVERY_KIND, VERLET_LIBRARY=str(BUILT))
    assert run(HASHES, *OF_EVERY_KIND) == ahead


@pytest.fixture
def link(monkeypatch):
    """The linker of libraries."""
    pytest.importorskip("ziglang")
    monkeypatch.syspath_prepend(ROOT)
    from tools.ahead import link

    return link


@pytest.mark.parametrize("called", ["nobody_has_it", "sincos", "sin", "floor"])
@pytest.mark.parametrize("name", ["linux-x64-v3", "linux-arm64", "windows-x64-v3", "macos-arm64"])
def test_a_kernel_that_calls_what_nothing_defines_is_named_and_not_linked(
    tmp_path, link, name, called
):
    from tools.ahead.targets import TARGETS

    target = TARGETS[name]
    source, compiled = tmp_path / "a.c", tmp_path / f"heap_sweep_0-{'0' * 16}.{name}.o"
    source.write_text(f"int {called}(void); int verlet_a(void) {{ return {called}(); }}")
    link._zig(target, "-c", "-w", "-fno-builtin", source, "-o", compiled)
    with pytest.raises(SystemExit, match=f"(?s){name}: .*{called}, called by heap_sweep_0"):
        link.link([compiled], ["verlet_a"], target, tmp_path / "out")


WHY_NOT = """
from verlet_physics.kernels import jit, library
from verlet_physics.particles.integrate import position_verlet
print(library.why_not(), library.fitting() is None)
"""


def test_a_folder_without_a_library_is_named(tmp_path):
    said = run(WHY_NOT, VERLET_LIBRARY=str(tmp_path))
    assert "kernels.json cannot be read" in said
    assert said.endswith("True")


def test_a_command_does_not_go_on_without_the_library_that_is_named(tmp_path):
    command = [sys.executable, "-m", "verlet_physics", "golden", "heap"]
    named = {**os.environ, "VERLET_LIBRARY": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=named)
    assert done.returncode == 2
    assert "VERLET_LIBRARY" in done.stderr
    assert "kernels.json cannot be read" in done.stderr
    assert "heap" not in done.stdout


@built
def test_licence_texts_lie_beside_the_library():
    for name, words in (("msun", "Sun Microsystems"), ("numba", "Anaconda"), ("zig", "Zig")):
        assert words in (BUILT / f"LICENSE-{name}.txt").read_text("utf-8")


def rewritten(folder, name, data):
    """A file of the package with other content, as if it had been built so."""
    sums = (folder / library.SUMS).read_text("utf-8")
    before = library.checksum(name, (folder / name).read_bytes())
    assert before in sums
    (folder / name).write_bytes(data)
    (folder / library.SUMS).write_text(sums.replace(before, library.checksum(name, data)), "utf-8")


def cut(path):
    path.write_bytes(path.read_bytes()[:-100])


def flip(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 3] ^= 16
    path.write_bytes(data)


def of_other_sources(path):
    table = json.loads(path.read_text("utf-8"))
    rewritten(path.parent, path.name, json.dumps({**table, "sources": "0" * 64}).encode())


def of_another_version(path):
    rewritten(path.parent, path.name, b'{"kernels": [], "format": 99}')


def for_other_processors(path):
    table = json.loads(path.read_text("utf-8"))
    rewritten(path.parent, path.name, json.dumps({**table, "libraries": {}}).encode())


def of_another_system(path):
    rewritten(path.parent, path.name, b"MZ" + path.read_bytes()[2:])


@built
@pytest.mark.parametrize(
    ("file", "damage", "expected"),
    [
        ("library", flip, "is damaged"),
        ("library", cut, "is damaged"),
        ("library", Path.unlink, "cannot be read"),
        ("library", of_another_system, "cannot be loaded"),
        ("kernels.json", flip, "is damaged"),
        ("kernels.json", cut, "is damaged"),
        ("kernels.json", of_other_sources, "other sources"),
        ("kernels.json", of_another_version, "other sources"),
        ("kernels.json", for_other_processors, "for this processor"),
        (library.SUMS, cut, "is damaged"),
        (library.SUMS, Path.unlink, "cannot be read"),
    ],
)
def test_what_does_not_fit_is_named_and_never_called(tmp_path, file, damage, expected):
    for path in BUILT.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    names = {file}
    if file == "library":
        table = json.loads((tmp_path / "kernels.json").read_text("utf-8"))
        names = set(table["libraries"].values())
    for name in names:
        damage(tmp_path / name)
    said = run(WHY_NOT, VERLET_LIBRARY=str(tmp_path))
    assert expected in said
    assert said.count(str(tmp_path)) <= 1  # long enough once
    assert said.endswith("True")


@pytest.mark.parametrize("moved", ["type", "data", "dimensions", "shape", "base", "flags"])
def test_a_numpy_that_keeps_its_arrays_otherwise_is_named(monkeypatch, moved):
    library._check_numpy()
    fields = list(library._Array._fields_)
    fields.insert([name for name, _ in fields].index(moved), ("new", ctypes.c_void_p))
    monkeypatch.setattr(library, "_Array", type("Other", (ctypes.Structure,), {"_fields_": fields}))
    with pytest.raises(library.Misfit, match="keeps its arrays"):
        library._check_numpy()


@built
def test_one_library_of_a_package_can_be_named():
    table = json.loads((BUILT / "kernels.json").read_text("utf-8"))
    name, file = next(reversed(table["libraries"].items()))
    said = run(
        "from verlet_physics.kernels import jit; print(jit.compiled_by())",
        VERLET_LIBRARY=str(BUILT / file),
    )
    assert said == name
