"""Islands: who hangs together with whom (union–find, Tarjan 1975), and on which side of whom."""

from __future__ import annotations

from .kernels.jit import inline, lean_inline


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


@lean_inline
def root_and_side(parent, is_other, i):
    """`root_of` where all are on one of two sides: the root of i, and 1 if i is on its other side.

    is_other: 1 where one is on the other side than its parent.
    """
    other = 0
    while parent[i] != i:
        p = parent[i]
        is_other[i] ^= is_other[p]
        parent[i] = parent[p]
        other ^= is_other[i]
        i = parent[i]
    return i, other


@lean_inline
def join_by_side(parent, is_other, i, j, other):
    """`join` of i and j, which is on the other side than i if so; nothing if that is known."""
    a, p = root_and_side(parent, is_other, i)
    b, q = root_and_side(parent, is_other, j)
    if a != b:
        low, high = min(a, b), max(a, b)
        parent[high] = low
        is_other[high] = p ^ q ^ other
