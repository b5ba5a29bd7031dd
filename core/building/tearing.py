"""What may tear, in a model in the making; and the same model again, with other copies welded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from ..arrays import Floats, Ints
from ..checks import index_rows, indices, numbers
from ..errors import ModelError
from ..model import Model
from ..model.tear_table import TearTable
from .joints import JointBuilder
from .particles import joined

Marks = dict[str, int]
"""How long each list of the builder is."""


@dataclass(frozen=True)
class Seams:
    """Where one object of n particles may tear; indices count from its first particle.

    Several particles are copies of one vertex, one for each face or each stretch of rope there.
    """

    weld: Ints  # (n,) the first copy of each particle's vertex, which stands for all of them
    bond: Ints  # (b, 4) copies of one vertex; those of another that have to be welded for it
    half: Floats  # (b, 3) m, the half of the edge that a bond runs along
    pair: Ints  # (p, 2) copies that a stick or spring of one face or stretch joins
    strength: Floats  # (n,) N/m that a sheet bears, N that a rope bears; 0: never tears


@dataclass(frozen=True)
class TearableObject:
    """How an object that may tear is added, and where in the builder's lists it stands."""

    object: int
    first: int  # particle
    seams: Seams  # counted within the whole model
    add: Callable[[Any, Ints], int]
    begin: Marks
    end: Marks


class TearBuilder(JointBuilder):
    """Objects that may tear."""

    def __init__(self) -> None:
        super().__init__()
        self._tearable: list[TearableObject] = []
        self._tears: TearTable[Model] | None = None  # of a model that is built again

    def add_tearable(self, seams: Seams, add: Callable[[Any, Ints], int]) -> int:
        """Add an object that may tear; returns its index in `objects`.

        ``add(builder, weld)`` adds the whole object of n vertices, held together as weld (n,) says:
        the copy that stands for each vertex. seams: see `Seams`, counted within the object.
        """
        if not isinstance(seams, Seams):
            raise ModelError("", f"seams must be Seams, not {type(seams).__name__}")
        count = np.size(seams.weld)
        w = indices("", "welded copies", seams.weld, count).reshape(-1)
        if (w[w] != w).any() or (w > np.arange(count)).any():
            raise ModelError("", "each copy must be welded to the first of its vertex")
        bond = index_rows("", "bonds", seams.bond, 4, count)
        half = numbers("", "halves of edges", seams.half, (len(bond), 3))
        pair = index_rows("", "pairs of copies", seams.pair, 2, count)
        strength = numbers("", "strength", seams.strength, (count,), least=0.0)
        first, begin = self.particle_count, self._marks()
        index = add(self, w)
        moved = Seams(w + np.int32(first), bond + first, half, pair + first, strength)
        self._tearable.append(TearableObject(index, first, moved, add, begin, self._marks()))
        return index

    def _marks(self) -> Marks:
        return {name: len(value) for name, value in self._lists().items()}

    def _lists(self) -> dict[str, list[Any]]:
        return {name: value for name, value in vars(self).items() if isinstance(value, list)}

    def _tear_table(self, weld: Ints | None = None) -> TearTable[Model] | None:
        """The copies of the whole model; None where nothing may tear."""
        if self._tears is not None and weld is not None:
            return replace(self._tears, weld=weld)
        if not self._tearable:
            return None
        every = np.arange(self.particle_count, dtype=np.int32)
        strength, owner = np.zeros(len(every)), np.full(len(every), -1, dtype=np.int32)
        for one in self._tearable:
            rows = slice(one.first, one.first + len(one.seams.weld))
            every[rows] = one.seams.weld
            strength[rows], owner[rows] = one.seams.strength, one.object
        seams = [one.seams for one in self._tearable]
        return TearTable(
            weld=every,
            bond=joined([s.bond for s in seams], (0, 4), np.int32),
            half=joined([s.half for s in seams], (0, 3), np.float64),
            pair=joined([s.pair for s in seams], (0, 2), np.int32),
            strength=strength,
            object=owner,
            rebuild=partial(self._rebuilt, {k: list(v) for k, v in self._lists().items()}),
        )

    def _rebuilt(self, given: dict[str, list[Any]], tears: TearTable[Model], weld: Ints) -> Model:
        """The model in which the copies are welded as weld (n,) says, all else being the same.

        given: the lists of the builder, as they were when the model was made.
        """
        twin = type(self)()
        done: Marks = dict.fromkeys(given, 0)
        own = vars(twin)
        own.update({k: v for k, v in vars(self).items() if not isinstance(v, list)})
        for one in given["_tearable"]:
            for name, values in given.items():
                own[name].extend(values[done[name] : one.begin[name]])
            own["particle_count"] = one.first
            rows = slice(one.first, one.first + len(one.seams.weld))
            one.add(twin, np.ascontiguousarray(weld[rows] - one.first))
            done = one.end
        for name, values in given.items():
            own[name].extend(values[done[name] :])
        own["particle_count"] = len(weld)
        twin._tears = tears
        return twin._finalized(weld)

    def _finalized(self, weld: Ints | None) -> Model:
        raise NotImplementedError
