"""Blender's twenty collision collections as our eight layers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

LAYERS_OF_BLENDER = 8
COLLECTIONS = 20


@dataclass(frozen=True)
class LayerMap:
    """Which collection is which layer: each its own where the first eight are enough."""

    collections: tuple[int, ...]  # by layer

    @classmethod
    def of(cls, used: Iterable[int]) -> LayerMap:
        """Keep the numbers of what is ``used`` if it can be, else count it through."""
        wanted = sorted(set(used))
        if all(number < LAYERS_OF_BLENDER for number in wanted):
            return cls(tuple(range(LAYERS_OF_BLENDER)))
        return cls(tuple(wanted))

    @property
    def is_complete(self) -> bool:
        """Whether every collection has a layer of its own."""
        return len(self.collections) <= LAYERS_OF_BLENDER

    def layers(self, collections: Iterable[bool]) -> tuple[bool, ...]:
        """Our layers of Blender's collections; those beyond the eighth layer share it."""
        given = list(collections)
        found = [False] * LAYERS_OF_BLENDER
        for layer, number in enumerate(self.collections):
            if given[number]:
                found[min(layer, LAYERS_OF_BLENDER - 1)] = True
        return tuple(found)

    def written(self, layers: Iterable[bool]) -> tuple[bool, ...]:
        """Blender's collections of our layers."""
        found = [False] * COLLECTIONS
        for layer, is_on in enumerate(layers):
            if is_on:
                known = layer < len(self.collections)
                found[self.collections[layer] if known else layer] = True
        return tuple(found)
