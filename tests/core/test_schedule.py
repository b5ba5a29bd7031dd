"""The schedule visits everything once, and tasks of a phase share no particle."""

import numpy as np
import pytest

from verlet_physics.schedule import make_schedule


def grid(n):
    index = np.arange(n * n).reshape(n, n)
    rows = np.stack([index[:, :-1].ravel(), index[:, 1:].ravel()], axis=1)
    columns = np.stack([index[:-1].ravel(), index[1:].ravel()], axis=1)
    return np.concatenate([rows, columns]).astype(np.int32)


def star(n):
    return np.stack([np.zeros(n), np.arange(1, n + 1)], axis=1).astype(np.int32)


def scattered(n):
    pairs = np.random.default_rng(5).integers(0, n, (4 * n, 2)).astype(np.int32)
    return pairs[pairs[:, 0] != pairs[:, 1]]


@pytest.mark.parametrize(
    ("count", "sticks"),
    [(900, grid(30)), (301, star(300)), (500, scattered(500)), (40, np.zeros((0, 2), np.int32))],
)
@pytest.mark.parametrize("block", [7, 64, 1024])
def test_schedule(count, sticks, block):
    springs = sticks[::3] if len(sticks) else sticks
    schedule = make_schedule(count, sticks, springs, block)
    assert sorted(schedule.stick_order) == list(range(len(sticks)))
    assert sorted(schedule.spring_order) == list(range(len(springs)))
    for first, last in zip(schedule.phase_task[:-1], schedule.phase_task[1:]):
        used: set[int] = set()
        for task in range(first, last):
            mine: set[int] = set()
            for pairs, order, start in (
                (sticks, schedule.stick_order, schedule.task_stick),
                (springs, schedule.spring_order, schedule.task_spring),
            ):
                mine |= set(pairs[order[start[task] : start[task + 1]]].ravel().tolist())
            assert not (mine & used), "two tasks of a phase share a particle"
            used |= mine


def test_a_sheet_needs_two_phases_only():
    assert len(make_schedule(10_000, grid(100), np.zeros((0, 2), np.int32)).phase_task) - 1 == 2
