"""The table beside Box3D: what its program prints is read, and what it does not is told."""

import stat

import numpy as np
import pytest

from tools.peers import box3d_compare
from tools.processes import Failure
from verlet_physics.bench.rigid_measure import body_depths
from verlet_physics.bench.rigid_scenes import SCENES


def program(folder, said):
    path = folder / "benchmark"
    path.write_text(f"#!/bin/sh\necho '{said}'\n", "utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_time_of_all_steps_becomes_that_of_one(tmp_path):
    told = box3d_compare.run_box3d(
        program(tmp_path, "run 0 : 2235.5 (ms)"), "large_pyramid", threads=1
    )
    assert told["ms"] == pytest.approx(2235.5 / 200)
    assert 0.0 <= told["processor_ms"] < 5.0


def test_a_program_that_tells_no_time_is_named(tmp_path):
    with pytest.raises(Failure, match="benchmark does not tell its time for large_pyramid"):
        box3d_compare.run_box3d(program(tmp_path, "hello"), "large_pyramid", threads=1)


@pytest.mark.parametrize("scene", box3d_compare.STEPS)
def test_cubes_of_its_scenes_touch_and_do_not_overlap(scene):
    made = SCENES[scene][0](4)
    assert body_depths(made.position, made.orientation, made.half) == pytest.approx(0.0, abs=1e-12)
    gap = made.position[:, 2].min() - made.half[0, 2]
    assert gap == 0.0
    assert len(np.unique(made.position.round(6), axis=0)) == made.body_count
