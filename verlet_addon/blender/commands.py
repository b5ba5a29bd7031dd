"""Commands of Blender's command line, ``blender -b FILE --command NAME``."""

import argparse
import sys
from collections.abc import Callable

import bpy

from ...core.errors import VerletError


class Command:
    """A command that Blender knows as long as it is registered.

    parse: reads the arguments behind the name; act: takes what they say, returns the exit status.
    """

    def __init__(
        self,
        name: str,
        parse: Callable[[list[str]], argparse.Namespace],
        act: Callable[[argparse.Namespace], int],
    ) -> None:
        self.name, self.parse, self.act = name, parse, act
        self._handle: object | None = None

    def run(self, arguments: list[str]) -> int:
        """The exit status: what ``act`` returns, 1 after an error, 2 for a wrong call."""
        try:
            options = self.parse(arguments)
        except SystemExit as stop:  # argparse has printed why
            return int(stop.code or 0)
        try:
            return self.act(options)
        except (VerletError, RuntimeError, OSError) as error:  # Blender's saving raises the latter
            print(f"Error: {error}", file=sys.stderr)
            return 1

    def register(self) -> None:
        """Make the command known to Blender."""
        self._handle = bpy.utils.register_cli_command(self.name, self.run)

    def unregister(self) -> None:
        """Take the command away."""
        if self._handle is not None:
            bpy.utils.unregister_cli_command(self._handle)
            self._handle = None
