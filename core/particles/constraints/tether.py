"""Tethers: a particle is never farther from a pin than along the material.

Long-range attachments (Kim, Chentanez, Müller 2012, "Long Range Attachments – A Method to
Simulate Inextensible Clothing in Computer Games", §3): a one-sided stick whose far end is
immovable, of the geodesic rest length. They carry a pin's pull to every particle in one pass.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...kernels.jit import parallel_kernel, prange
from ...vec3 import along, dot, load, store, sub

if TYPE_CHECKING:
    from ...arrays import Floats
    from ...model.constraint import Moving
    from ...model.stick_table import TetherTable


@dataclass(frozen=True, eq=False)
class TetherPass:
    """All tethers of a model, as what has its turn in each pass: see `Projected`."""

    table: TetherTable
    length: Floats  # (t,) m, as far as they reach now: see `forced_stretch`
    built: Floats  # (n,) 1/kg, inverse masses of the model, by which all pins hold

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """One pass over the tethers, in every step: one left out sets taut cloth swinging."""
        relax_tethers.on(moving.threads)(
            moving.x,
            moving.inverse_mass,
            moving.inverse_mass is self.built,
            self.table.particle,
            self.table.start,
            self.table.anchor,
            self.length,
        )


@parallel_kernel
def relax_tethers(
    x, inverse_mass, are_pins_held, tethered, tether_start, tether_anchor, tether_length
):
    """Pull each tethered particle back into the balls around its anchors.

    One tether after the other, the nearest pin first: moves that all share leave each too long, and
    a sheet that corners hold taut then trembles for ever.

    tethered (q,) particles; tether_start (q + 1,) rows of tether_anchor and tether_length. A pin
    that was released holds no tether; looked up only where not all ``are_pins_held`` as built.
    """
    for q in prange(tethered.shape[0]):
        i = np.uint32(tethered[q])
        if not are_pins_held and inverse_mass[i] == 0.0:
            continue
        p = load(x, i)
        is_moved = False
        for t in range(np.uint32(tether_start[q]), np.uint32(tether_start[q + 1])):
            a = np.uint32(tether_anchor[t])
            if not are_pins_held and inverse_mass[a] > 0.0:
                continue
            anchor = load(x, a)
            d = sub(p, anchor)
            length = tether_length[t]
            dd = dot(d, d)
            if dd > length * length:
                p = along(anchor, length / math.sqrt(dd), d)
                is_moved = True
        if is_moved:
            store(x, i, p)
