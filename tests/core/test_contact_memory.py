"""What is remembered of sleepers and of those that move, in one list."""

import numpy as np
import pytest

from verlet_physics.stages.contact_memory import ContactMemory


def remembered(draw, count):
    """Keys of points (c, 4), sorted by shapes and sub-shape, and impulses that name them."""
    key = draw.integers(-1, 4, (count, 4)).astype(np.int32)
    key = key[np.lexsort((key[:, 2], key[:, 1], key[:, 0]))]
    return key, draw.random((count, 5))


@pytest.mark.parametrize(("moving", "sleeping"), [(0, 3), (3, 0), (1, 1), (40, 7), (7, 400)])
def test_all_is_sorted_by_shapes_and_sub_shape(moving, sleeping):
    """Of the same shapes and sub-shape, what is known of those that move comes first."""
    draw = np.random.default_rng(moving)
    memory = ContactMemory(*remembered(draw, moving))
    memory.kept_key, memory.kept_impulse = remembered(draw, sleeping)
    key = np.concatenate([memory.key, memory.kept_key])
    impulse = np.concatenate([memory.impulse, memory.kept_impulse])
    order = np.lexsort((key[:, 2], key[:, 1], key[:, 0]))
    together = memory.all()
    assert (together[0] == key[order]).all()
    assert (together[1] == impulse[order]).all()
