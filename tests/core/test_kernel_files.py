"""Damaged files of compiled kernels are noticed before they are run, and compiled anew."""

import errno
import hashlib
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from verlet_physics.kernels import folder as kernel_folder
from verlet_physics.kernels import jit

pytestmark = pytest.mark.numba


MOMENTS = int(os.environ.get("VERLET_MOMENTS", "3"))


def _add_up(values, total):
    for i in range(values.shape[0]):
        total[0] += values[i]


def _run() -> tuple[float, int]:
    """The sum that a process which has not used the kernel yet finds; how often it compiled."""
    kernel = jit.Kernel(_add_up, parallel=False)
    try:
        total = np.zeros(1)
        kernel(np.arange(5.0), total)
        return total[0], kernel.compile_count()
    finally:
        jit._kernels.remove(kernel)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty cache folder."""
    monkeypatch.setenv("VERLET_CACHE_DIR", str(tmp_path))
    return tmp_path


def _files(folder):
    return sorted(folder.rglob("*.nb[ci]"))


def test_a_whole_file_is_loaded(folder):
    assert _run() == (10.0, 1)
    assert len(_files(folder)) == 2
    assert _run() == (10.0, 0)


@pytest.mark.parametrize("which", ["index", "code"])
@pytest.mark.parametrize("damage", ["empty", "cut", "half", "grown", "zeros", "gone"])
def test_a_damaged_file_is_compiled_anew(folder, which, damage):
    _run()
    path = next(p for p in _files(folder) if p.suffix == (".nbi" if which == "index" else ".nbc"))
    held = path.read_bytes()
    changed = {
        "empty": b"",
        "cut": held[:-1],
        "half": held[: len(held) // 2],
        "grown": held + b"\0",
        "zeros": bytes(len(held)),
        "gone": None,
    }[damage]
    if changed is None:
        path.unlink()
    else:
        path.write_bytes(changed)
    assert _run() == (10.0, 1)
    assert _run() == (10.0, 0)


def test_a_flipped_bit_is_noticed_wherever_it_is(folder):
    _run()
    chance = random.Random(1)
    for number in range(12):
        path = _files(folder)[number % 2]
        held = bytearray(path.read_bytes())
        place = chance.randrange(len(held)) if number > 3 else number * 11
        held[place] ^= 1 << chance.randrange(8)
        path.write_bytes(held)
        assert _run() == (10.0, 1), (path.name, place)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_kernel_runs_where_nothing_can_be_kept(folder, monkeypatch, number):
    from verlet_physics.kernels import kernel_files

    def refuse(path, data):
        raise OSError(number, "refused")

    monkeypatch.setattr(kernel_files, "write_sealed", refuse)
    assert _run() == (10.0, 1)
    assert _run() == (10.0, 1)
    jit.mark_warm()
    assert not jit.is_warm()


def test_a_kernel_runs_where_there_is_no_folder_at_all(monkeypatch):
    from verlet_physics.kernels import kernel_files

    def find_none(self, function):
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(kernel_files._KernelCache, "__init__", find_none)
    assert _run() == (10.0, 1)


def test_damage_anywhere_makes_the_folder_incomplete(folder, monkeypatch):
    kernel = jit.Kernel(_add_up, parallel=False)
    monkeypatch.setattr(jit, "_kernels", [kernel])
    kernel(np.arange(5.0), np.zeros(1))
    for name in (".nbi", ".nbc"):
        jit.mark_warm()
        assert jit.is_warm()
        assert jit.drop_damaged() == 0
        path = next(path for path in _files(folder) if path.suffix == name)
        path.write_bytes(path.read_bytes()[:-1])
        assert jit.drop_damaged() == 1
        assert not path.exists()
        assert not jit.is_warm()
        assert _run() == (10.0, 1)


def test_a_damaged_note_is_no_note(folder):
    jit.mark_warm()
    note = kernel_folder.cache_folder() / "complete"
    note.write_bytes(note.read_bytes().replace(b"[", b"{"))
    assert not jit.is_warm()


_COMPILER = """
import sys

sys.path.insert(0, sys.argv[1])
import test_kernel_files

print("ready", flush=True)
while True:
    for path in test_kernel_files._files(test_kernel_files.Path(sys.argv[2])):
        path.unlink()
    assert test_kernel_files._run() == (10.0, 1)
"""


@pytest.mark.parametrize("seed", range(1, MOMENTS + 1))
def test_killed_while_it_compiles_nothing_half_is_left(folder, seed):
    """The next process gets the right sum, and keeps what it compiled; nothing piles up."""
    command = [sys.executable, "-c", _COMPILER, str(Path(__file__).parent), str(folder)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(random.Random(seed).uniform(0.0, 1.0))
    assert child.poll() is None
    child.kill()
    child.wait()
    held = [path.read_bytes() for path in _files(folder)]
    assert all(hashlib.sha256(data[32:]).digest() == data[:32] for data in held)
    total, compiled = _run()
    assert total == 10.0
    assert compiled == (0 if len(held) == 2 else 1)
    assert _run() == (10.0, 0)
