"""What is remembered of sleepers and of those that move, in one list."""

import numpy as np
import pytest

from verlet_physics.model.contact_state import REMEMBERED_CONTACT
from verlet_physics.stages.contact_memory import ContactMemory


def in_order(contacts):
    """Contacts sorted by shapes and sub-shape; those that are alike stay as they are."""
    first, second = contacts["shape"].T
    return contacts[np.lexsort((contacts["sub_shape"], second, first))]


def remembered(draw, count):
    """Contacts (count,), sorted, and impulses that name them."""
    contacts = np.zeros(count, dtype=REMEMBERED_CONTACT)
    contacts["shape"] = draw.integers(-1, 4, (count, 2))
    for name in ("sub_shape", "feature"):
        contacts[name] = draw.integers(-1, 4, count)
    for name in ("normal_impulse", "overlap"):
        contacts[name] = draw.random(count)
    contacts["friction_impulse"] = draw.random((count, 3))
    return in_order(contacts)


@pytest.mark.parametrize(("moving", "sleeping"), [(0, 3), (3, 0), (1, 1), (40, 7), (7, 400)])
def test_all_is_sorted_by_shapes_and_sub_shape(moving, sleeping):
    """Of the same shapes and sub-shape, what is known of those that move comes first."""
    draw = np.random.default_rng(moving)
    memory = ContactMemory(remembered(draw, moving))
    memory.asleep = remembered(draw, sleeping)
    both = np.concatenate([memory.moving, memory.asleep])
    assert (memory.all() == in_order(both)).all()
