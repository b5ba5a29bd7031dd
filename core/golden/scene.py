"""What a golden scene is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..model import FrameInputs, Model
from ..settings import SolverSettings


@dataclass(frozen=True)
class GoldenScene:
    """A model, what drives it in each frame, how it is stepped and for how many frames."""

    model: Model
    inputs: Callable[[Model, int], FrameInputs] = lambda model, frame: FrameInputs()
    settings: SolverSettings = field(default_factory=SolverSettings)
    frames: int = 6


SCENES: dict[str, Callable[[], GoldenScene]] = {}
"""How each scene is made, by its name; filled by `scene`."""


def scene(name: str) -> Callable[[Callable[[], GoldenScene]], Callable[[], GoldenScene]]:
    """Enter a function that makes a scene under a name."""

    def enter(make: Callable[[], GoldenScene]) -> Callable[[], GoldenScene]:
        assert name not in SCENES, name
        SCENES[name] = make
        return make

    return enter
