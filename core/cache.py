"""Simulated frames in memory: preview, bake and render read the same ones."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .errors import ModelError
from .model import Model, State
from .model.state import STATE_COLUMNS


class FrameCache:
    """An unbroken run of frames, each with its full state: any can be resumed, bit for bit.

    Memory: 48 bytes a particle and frame, 144 a rigid body and 56 a contact of one; none for frames
    that were released.
    """

    def __init__(self, model: Model) -> None:
        self._particle_count = len(model.particles)
        self._first = 0
        self._states: list[State | Callable[[], State]] = []  # in memory, or to be read

    @property
    def frames(self) -> tuple[int, int] | None:
        """First and last frame held, None when empty."""
        if not self._states:
            return None
        return self._first, self._first + len(self._states) - 1

    def __contains__(self, frame: int) -> bool:
        return self.frames is not None and self.frames[0] <= frame <= self.frames[1]

    def __getitem__(self, frame: int) -> State:
        if frame not in self:
            raise KeyError(f"frame {frame} is not cached; cached are {self.frames}")
        held = self._states[frame - self._first]
        return held if isinstance(held, State) else held()

    def release(self, frame: int, read: Callable[[], State]) -> None:
        """Let go of a frame that ``read`` gives whenever it is asked for. Raises KeyError."""
        if frame not in self:
            raise KeyError(f"frame {frame} is not cached; cached are {self.frames}")
        self._states[frame - self._first] = read

    def store(self, state: State) -> None:
        """Append the next frame, or replace a held one and forget all after it."""
        if self.frames is not None:
            first, last = self.frames
            if not first <= state.frame <= last + 1:
                raise ValueError(f"frame {state.frame} does not follow {first} … {last}")
            del self._states[state.frame - first :]
        else:
            self._first = state.frame
        self._states.append(state)

    def clear(self) -> None:
        """Forget everything."""
        self._states.clear()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all frames to an .npz file."""
        if not self._states:
            raise ValueError("nothing is cached")
        states = [self[self._first + index] for index in range(len(self._states))]
        columns: dict[str, Any] = {}
        held = [state.columns() for state in states]
        for name in STATE_COLUMNS:
            values = [np.asarray(one[name]) for one in held]
            if len({one.shape for one in values}) > 1:  # as many rows as there happened to be
                columns[name + "_count"] = np.array([len(rows) for rows in values])
                columns[name] = np.concatenate(values)
            else:
                columns[name] = np.stack(values)
        np.savez_compressed(path, **columns)

    def load(self, path: str | os.PathLike[str]) -> None:
        """Replace the content by a file that `save` wrote for the same model."""
        with np.load(Path(path)) as data:
            columns: dict[str, Any] = {name: data[name] for name in STATE_COLUMNS}
            for name in columns:
                if name + "_count" in data:
                    ends = np.cumsum(data[name + "_count"])
                    columns[name] = np.split(columns[name], ends[:-1])
        if columns["position"].shape[1] != self._particle_count:
            raise ModelError(
                "",
                f"{path} holds {columns['position'].shape[1]} particles, "
                f"the scene has {self._particle_count}; simulate it again",
            )
        scalars = {"step": float, "time": float, "frame": int}
        self._states = [
            State.of_columns(
                {k: scalars[k](v[n]) if k in scalars else v[n].copy() for k, v in columns.items()}
            )
            for n in range(len(columns["frame"]))
        ]
        self._first = int(columns["frame"][0])
