"""Islands: who hangs together with whom (union–find, Tarjan 1975)."""

from __future__ import annotations

from ..kernels.jit import inline


@inline
def root_of(parent, i):
    """The one that stands for all that hang together with i."""
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@inline
def join(parent, i, j):
    """I and j hang together (union–find); the first one stands for all."""
    a = root_of(parent, i)
    b = root_of(parent, j)
    if a < b:
        parent[b] = a
    elif b < a:
        parent[a] = b
