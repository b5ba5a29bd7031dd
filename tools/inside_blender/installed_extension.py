"""Install the extension's zip into this process's Blender, as a user does with Install from Disk.

BLENDER_USER_RESOURCES must be set before `import bpy`, or the user's own Blender is changed.
"""

import importlib
import os
import shutil
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import NoReturn

EXTENSION_ID = "verlet_physics"
MODULE = f"bl_ext.user_default.{EXTENSION_ID}"


def prepare_user_folder() -> Path:
    """The isolated user folder, emptied but for the extension's own files: its kernel cache.

    Call it before `import bpy`.
    """
    folder = Path(os.environ["BLENDER_USER_RESOURCES"])
    for stale in ("config", "extensions/user_default", "extensions/.local", "extensions/.cache"):
        shutil.rmtree(folder / stale, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def install(zip_path: Path) -> ModuleType:
    """Install the zip with Blender's own operator, enable it, and give its module."""
    import bpy

    start = time.perf_counter()
    result = bpy.ops.extensions.package_install_files(
        filepath=str(zip_path), repo="user_default", enable_on_install=True
    )
    if result != {"FINISHED"} or not is_enabled():
        raise RuntimeError(f"Blender did not install and enable {zip_path}: {result}")
    module = importlib.import_module(MODULE)
    print(f"installed {zip_path.name} in {time.perf_counter() - start:.1f} s")
    return module


def is_enabled() -> bool:
    """Whether Blender has the extension enabled and loaded."""
    import addon_utils

    return addon_utils.check(MODULE)[1]


def enable() -> None:
    """Enable the extension as the preferences' check box does."""
    import bpy

    bpy.ops.preferences.addon_enable(module=MODULE)


def disable() -> None:
    """Disable the extension as the preferences' check box does."""
    import bpy

    bpy.ops.preferences.addon_disable(module=MODULE)


def leave(status: int) -> NoReturn:
    """End the process without Blender's usual exit, in which 4.2 crashes and 4.5 hangs."""
    import bpy

    session_folder = Path(bpy.app.tempdir)
    if session_folder.name.startswith("blender_"):  # never the system's own temporary folder
        shutil.rmtree(session_folder, ignore_errors=True)  # as the usual exit would
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def run_and_leave(main: Callable[[], None]) -> NoReturn:
    """Run a script's main function and end the process; status 1 when it raised."""
    status = 1
    try:
        main()
        status = 0
    except Exception:
        traceback.print_exc()
    leave(status)
