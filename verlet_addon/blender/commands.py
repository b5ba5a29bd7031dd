"""Commands of Blender's command line, ``blender -b FILE --command NAME``."""

from collections.abc import Callable

import bpy


class Command:
    """A command that Blender knows as long as it is registered.

    run: takes the arguments behind the name, returns the exit status.
    """

    def __init__(self, name: str, run: Callable[[list[str]], int]) -> None:
        self.name, self.run = name, run
        self._handle: object | None = None

    def register(self) -> None:
        """Make the command known to Blender."""
        self._handle = bpy.utils.register_cli_command(self.name, self.run)

    def unregister(self) -> None:
        """Take the command away."""
        if self._handle is not None:
            bpy.utils.unregister_cli_command(self._handle)
            self._handle = None
