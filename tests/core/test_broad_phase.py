"""Trees of boxes, and pairs of shapes that may touch, against looking at everything."""

import numpy as np
import pytest

from verlet_physics import jit
from verlet_physics.contact.tree import (
    build_tree,
    end_of,
    next_leaf,
    refit_tree,
    root_of,
    tree_room,
    tree_scratch,
)


@jit.kernel
def leaves_in(tree, first, last, lower, upper, found):
    """Rows whose boxes meet each of the given ones, in the order of the walk; how many."""
    count = 0
    end = end_of(last)
    for n in range(lower.shape[0]):
        low_x, low_y, low_z = lower[n]
        high_x, high_y, high_z = upper[n]
        node = next_leaf(tree, root_of(first), end, low_x, low_y, low_z, high_x, high_y, high_z)
        while node < end:
            found[count, 0] = n
            found[count, 1] = tree.leaf[node]
            count += 1
            node = next_leaf(tree, node + 1, end, low_x, low_y, low_z, high_x, high_y, high_z)
    return count


def boxes(centre, half):
    centre = np.asarray(centre, dtype=float)
    half = np.broadcast_to(np.asarray(half, dtype=float), centre.shape)
    return np.ascontiguousarray(centre - half), np.ascontiguousarray(centre + half)


def boxes_of_kind(kind, count=300):
    rng = np.random.default_rng(7)
    centre = rng.random((count, 3))
    if kind == "uniform":
        return boxes(centre, 0.05)
    if kind == "uneven":
        return boxes(centre, np.exp(rng.normal(-4, 2, (count, 3))))
    if kind == "coinciding":
        return boxes(np.zeros((count, 3)), 0.5)
    if kind == "few places":  # many of one centre, and sizes that differ
        return boxes(rng.integers(0, 3, (count, 3)), rng.random((count, 3)))
    if kind == "points":
        return boxes(rng.integers(0, 4, (count, 3)), 0.0)
    if kind == "huge":
        half = np.full((count, 3), 1e-3)
        half[::17] = 1e100
        return boxes(centre, half)
    if kind == "one far away":
        centre[0] = 1e9
        return boxes(centre, 0.05)
    if kind == "flat":
        centre[:, 2] = 0.0
        return boxes(centre, (0.02, 0.02, 0.0))
    if kind == "floor":
        lower, upper = boxes(centre, 0.01)
        lower[5], upper[5] = (-50, -50, -1), (50, 50, 0.2)
        return lower, upper
    raise ValueError(kind)


KINDS = (
    "uniform",
    "uneven",
    "coinciding",
    "few places",
    "points",
    "huge",
    "one far away",
    "flat",
    "floor",
)


def meeting(lower, upper, other_lower, other_upper):
    near = (lower[:, None] <= other_upper) & (upper[:, None] >= other_lower)
    return {tuple(pair) for pair in np.argwhere(near.all(axis=2)).tolist()}


def walk(tree, first, last, lower, upper):
    found = np.zeros((len(lower) * (last - first), 2), dtype=np.int32)
    count = leaves_in(tree, first, last, lower, upper, found)
    pairs = [tuple(pair) for pair in found[:count].tolist()]
    assert len(set(pairs)) == len(pairs)
    return set(pairs)


@pytest.mark.parametrize("kind", KINDS)
def test_tree_finds_what_brute_force_finds(kind):
    lower, upper = boxes_of_kind(kind)
    count = len(lower)
    tree = tree_room(count)
    build_tree(tree, lower, upper, 0, count, tree_scratch(count))
    assert walk(tree, 0, count, lower, upper) == meeting(lower, upper, lower, upper)


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5])
def test_small_trees(count):
    lower, upper = boxes_of_kind("uniform", count)
    tree = tree_room(count)
    build_tree(tree, lower, upper, 0, count, tree_scratch(count))
    everything = boxes(np.zeros((1, 3)), 10.0)
    assert walk(tree, 0, count, *everything) == {(0, row) for row in range(count)}


def test_several_trees_in_one_do_not_mix():
    lower, upper = boxes_of_kind("uniform", 100)
    tree = tree_room(100)
    scratch = tree_scratch(60)
    runs = ((0, 40), (40, 40), (40, 41), (41, 100))
    for first, last in runs:
        build_tree(tree, lower, upper, first, last, scratch)
    for first, last in runs:
        pairs = {
            (n, first + row) for n, row in meeting(lower, upper, *bound(lower, upper, first, last))
        }
        assert walk(tree, first, last, lower, upper) == pairs


def bound(lower, upper, first, last):
    return lower[first:last], upper[first:last]


def test_refitted_tree_finds_boxes_where_they_are_now():
    lower, upper = boxes_of_kind("uneven")
    count = len(lower)
    tree = tree_room(count)
    build_tree(tree, lower, upper, 0, count, tree_scratch(count))
    before = tree.leaf.copy()
    moved = np.random.default_rng(3).normal(0, 0.5, lower.shape)
    lower, upper = lower + moved, upper + moved
    refit_tree(tree, lower, upper, 0, count)
    assert (tree.leaf == before).all()
    assert walk(tree, 0, count, lower, upper) == meeting(lower, upper, lower, upper)


@pytest.mark.parametrize("kind", ["uniform", "coinciding", "one far away", "floor"])
def test_tree_is_balanced_enough(kind):
    lower, upper = boxes_of_kind(kind, 4096)
    tree = tree_room(4096)
    build_tree(tree, lower, upper, 0, 4096, tree_scratch(4096))
    depth = np.zeros(len(tree.skip) - 1, dtype=int)
    for node in np.flatnonzero(tree.leaf[:-1] < 0):
        depth[[node + 1, tree.skip[node + 1]]] = depth[node] + 1
    assert depth.max() <= 33 + 12  # a level for each bit, then halves of what is in one cell
    assert depth[tree.leaf[:-1] >= 0].mean() < 20
