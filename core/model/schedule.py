"""Who solves which sticks and springs, and when; `particles.schedule` lays it out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..arrays import Ints


@dataclass(frozen=True)
class Schedule:
    """Where the solver finds its work: phases of tasks, and nets after them."""

    stick_order: Ints  # (s,) rows of the builder's sticks, in solver order
    spring_order: Ints  # (c,)
    task_stick: Ints  # (tasks + 1,) first stick of each task
    # (tasks, 4) where in each task the springs of every step, of even and of odd steps begin
    task_spring: Ints
    phase_task: Ints  # (phases + 1,) first task of each phase
    first_net_spring: Ints  # (nets + 1,) behind those of tasks: springs solved together

    def __len__(self) -> int:
        """How many tasks."""
        return len(self.task_stick) - 1

    @property
    def takes_turns(self) -> bool:
        """Whether some springs act in every second step only."""
        return bool((self.task_spring[:, 3] > self.task_spring[:, 1]).any())
