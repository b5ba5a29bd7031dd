"""The schedule visits everything once, and tasks of a phase share no particle."""

import numpy as np
import pytest

from verlet_physics.particles.schedule import TOGETHER, make_schedule

pytestmark = pytest.mark.quick


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
    turn = np.arange(len(springs), dtype=np.int32) % 3 - 1
    schedule = make_schedule(count, sticks, springs, turn, block)
    assert sorted(schedule.stick_order) == list(range(len(sticks)))
    assert sorted(schedule.spring_order) == list(range(len(springs)))
    for first, last in zip(schedule.phase_task[:-1], schedule.phase_task[1:]):
        used: set[int] = set()
        for task in range(first, last):
            mine: set[int] = set()
            rows = schedule.stick_order[schedule.task_stick[task] : schedule.task_stick[task + 1]]
            mine |= set(sticks[rows].ravel().tolist())
            every, even, odd, end = schedule.task_spring[task]
            mine |= set(springs[schedule.spring_order[every:end]].ravel().tolist())
            for part, (start, stop) in enumerate(((every, even), (even, odd), (odd, end))):
                assert (turn[schedule.spring_order[start:stop]] == part - 1).all()
            assert not (mine & used), "two tasks of a phase share a particle"
            used |= mine


def test_springs_of_nets_come_last_and_each_connected_part_is_one():
    alone, net = grid(5), grid(4)
    springs = np.concatenate([net + 25, alone, net + 41]).astype(np.int32)
    turn = np.repeat([TOGETHER, -1, TOGETHER], [len(net), len(alone), len(net)]).astype(np.int32)
    schedule = make_schedule(57, alone[:0], springs, turn)
    assert sorted(schedule.spring_order) == list(range(len(springs)))
    first, second, end = schedule.first_net_spring
    assert (first, second, end) == (len(alone), len(alone) + len(net), len(springs))
    assert schedule.task_spring.max() == first
    parts = [springs[schedule.spring_order[a:b]] for a, b in ((0, first), (first, second))]
    assert parts[0].max() < 25
    assert parts[1].min() >= 25
    assert parts[1].max() < 41


def test_a_sheet_needs_two_phases_only():
    nothing = np.zeros((0, 2), np.int32)
    schedule = make_schedule(10_000, grid(100), nothing, nothing[:, 0])
    assert len(schedule.phase_task) - 1 == 2
