"""The run of whole frames that `dev.py benchmarks --frames` measures."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "peers" / "frame_set.py"


@pytest.mark.parametrize("scene", ["cubes", "sheet", "drop", "ragdolls"])
def test_the_engine_and_blender_take_their_parts_of_every_frame(zip_path, tmp_path, scene):
    request = {"scene": scene, "n": 4, "frames": 6, "seconds": 60.0, "zip": str(zip_path)}
    environment = {**os.environ, "BLENDER_USER_RESOURCES": str(tmp_path)}
    command = [sys.executable, SCRIPT, json.dumps(request)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    figures = json.loads(done.stdout.splitlines()[-1])
    assert figures["frames"] == 6
    assert 0.0 < figures["engine"] < figures["ms"]
    assert 0.0 < figures["blender_cpu"] < figures["cpu"]
    assert figures["baked_ms"] > 0.0
