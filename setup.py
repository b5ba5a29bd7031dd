"""Lets pip see the engine: the folder core/ is the package verlet_physics."""

import tomllib
from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).parent

setup(
    version=tomllib.loads((ROOT / "blender_manifest.toml").read_text("utf-8"))["version"],
    package_dir={"verlet_physics": "core"},
    packages=["verlet_physics", *(f"verlet_physics.{name}" for name in find_packages("core"))],
)
