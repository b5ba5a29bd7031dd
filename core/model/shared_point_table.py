"""Places that two owners share, of which one at least is a body of particles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..records import Records

ONE_PLACE = -1.0
"""In place of a rope's length: the two places are one."""

SHARED_POINT = np.dtype(
    [
        ("owner", np.int32, (2,)),
        ("first_particle", np.int32, (2,)),  # of a body of particles, −1 for other owners
        ("anchor", np.float64, (2, 3)),  # m, in the owners' frames
        ("weight", np.float64, (2, 4)),  # of the four particles, 1 in sum; 0 for other owners
        ("length", np.float64),  # m, of ropes; ONE_PLACE for all else
        ("collides", np.int32),  # 1: the two owners collide with each other
    ],
    align=True,
)


@dataclass(frozen=True, eq=False)
class SharedPoints:
    """s places that two owners share, see `rigid.owners`; at least one is a body of particles."""

    name: tuple[str, ...]  # (s,) of the joint
    rows: Records  # (s,) SHARED_POINT

    def __len__(self) -> int:
        return len(self.rows)


def shared_table(rows: list[dict[str, Any]]) -> SharedPoints:
    """The table of all shared places."""
    table = np.zeros(len(rows), SHARED_POINT)
    for n, row in enumerate(rows):
        for field in SHARED_POINT.names or ():
            table[n][field] = row[field]
    return SharedPoints(tuple(row["name"] for row in rows), table)
