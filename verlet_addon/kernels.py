"""Whether the solver is compiled for this Blender, and what the panel says where it is not."""

import functools


def extension_package() -> str:
    """Name of the extension's package, like ``bl_ext.user_default.verlet_physics``."""
    return __package__.rpartition(".")[0]


@functools.cache
def message() -> str:
    """What the panel says about a solver that runs as plain Python, "" when it is compiled."""
    from ..core.kernels import jit, library

    if jit.compiled:
        return ""
    return f"Uncompiled and slow: {library.why_not()}"
