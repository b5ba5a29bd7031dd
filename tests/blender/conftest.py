"""Runs in a real Blender (the bpy module) with the built zip installed: see `dev.py test-blender`.

The zip is installed once per run into an isolated user folder.
"""

import importlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import installed_extension

if "VERLET_ZIP" not in os.environ or "BLENDER_USER_RESOURCES" not in os.environ:
    pytest.exit("run these tests with `python dev.py test-blender [pytest options]`", returncode=2)

installed_extension.prepare_user_folder()

import bpy  # noqa: E402

exit_status = 0


@pytest.fixture(scope="session")
def zip_path() -> Path:
    """The zip under test."""
    return Path(os.environ["VERLET_ZIP"])


@pytest.fixture(scope="session")
def has_wheels(zip_path: Path) -> bool:
    """Whether the zip under test carries compiled kernels."""
    return "without_wheels" not in zip_path.name


@pytest.fixture(scope="session")
def extension(zip_path: Path) -> ModuleType:
    """The installed and enabled extension: the module bl_ext.user_default.verlet_physics."""
    return installed_extension.install(zip_path)


@pytest.fixture
def scene(extension: ModuleType) -> bpy.types.Scene:
    """An empty factory scene, with the extension enabled."""
    if not installed_extension.is_enabled():
        installed_extension.enable()
    remove_rigid_body_world()
    bpy.ops.wm.read_homefile(use_factory_startup=True, use_empty=True)
    return bpy.context.scene


def remove_rigid_body_world() -> None:
    """Take Blender's own rigid bodies apart, constraints first.

    A file that is closed frees bodies and constraints in any order, while they refer to each other:
    Blender 4.2 and 4.5 write to freed memory then, and crash some tests later.
    """
    if not bpy.context.scene.rigidbody_world:
        return
    objects = bpy.context.view_layer.objects
    for ob in objects:
        if ob.rigid_body_constraint:
            objects.active = ob
            bpy.ops.rigidbody.constraint_remove()
    bpy.ops.rigidbody.world_remove()


@pytest.fixture
def kept(scene: bpy.types.Scene) -> Iterator[Path]:
    """Frames are kept in background processes too; the folder is empty before and after."""
    preferences, folder, session = (
        importlib.import_module(f"{installed_extension.MODULE}.verlet_addon.{name}")
        for name in ("preferences", "on_disk.folder", "session")
    )
    chosen = preferences.get()
    chosen.keep_frames = "ALWAYS"
    bpy.ops.verlet.clear_frames()
    yield folder.folder()
    session.drop_all()
    bpy.ops.verlet.clear_frames()
    chosen.keep_frames, chosen.disk_limit = "WINDOW", 10.0


@pytest.fixture
def restore(extension: ModuleType) -> ModuleType:
    """The add-on's module that frees bakes."""
    return importlib.import_module(f"{extension.__name__}.verlet_addon.bake.restore")


@pytest.fixture
def compat(extension: ModuleType) -> ModuleType:
    """The add-on's module that knows Blender's version."""
    return importlib.import_module(f"{extension.__name__}.verlet_addon.blender.compat")


@pytest.fixture
def bake_error(extension: ModuleType) -> type[Exception]:
    """What a bake raises for an object that cannot be baked."""
    return importlib.import_module(f"{extension.__name__}.verlet_addon.bake.errors").BakeError


def pytest_report_header() -> str:
    """Name the Blender and the zip at the top of the report."""
    return f"Blender {bpy.app.version_string}, {Path(os.environ['VERLET_ZIP']).name}"


def pytest_sessionfinish(exitstatus: int) -> None:
    """Keep the status for the exit below."""
    global exit_status
    exit_status = int(exitstatus)


def pytest_unconfigure() -> None:
    """Leave without Blender's clean-up, in which 4.2 crashes and 4.5 hangs."""
    installed_extension.leave(exit_status)
