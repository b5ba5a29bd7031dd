"""Links: pairs of particles with a shortest and a longest length, each of which may be missing.

One-sided sticks (Jakobsen §6: "act only when the distance falls below a threshold") keep knees
apart; both limits make a slack chain; a longest length that shrinks with time is a sewing spring.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Floats, Ints
from ...coincidence import direction_between
from ...errors import ModelError
from ...kernels.jit import kernel
from ...model.constraint import Moving
from ...records import Records, records
from ...vec3 import between, dot, length
from .checks import numbers, rows_of_particles, vertices
from .repair import left_over, repair_rate, share_per_pass
from .spring import multiplier as spring_multiplier
from .stick import move_ends

if TYPE_CHECKING:
    from .building import Building

SNAPPING = 200.0
"""m/s, how fast a rigid link comes in at least that is beyond its limits at the start of a step."""


LINK = np.dtype(
    [
        ("pair", np.int32, (2,)),
        ("shortest", np.float64),  # m, 0 = no such limit
        ("longest", np.float64),  # m at the start, ∞ = no such limit
        ("repair", np.float64),  # share of the error repaired per pass at 480 steps a second
        ("compliance", np.float64),  # m/N
        ("closing_speed", np.float64),  # m/s by which longest shrinks, down to shortest
    ],
    align=True,
)


@dataclass(frozen=True, eq=False)
class Links:
    """All links of one object. Made by `Links.of`."""

    object: int
    rows: Records  # (s,) LINK
    snapping: float = SNAPPING  # m/s

    @classmethod
    def of(
        cls,
        builder: Building,
        object: int,
        pairs: ArrayLike,
        *,
        shortest: ArrayLike | None = None,
        longest: ArrayLike | None = None,
        repair: ArrayLike = 1.0,
        compliance: ArrayLike = 0.0,
        closing_speed: ArrayLike = 0.0,
        snapping: float = SNAPPING,
    ) -> Links:
        """Links between pairs (s, 2) of particles of the whole model.

        shortest, longest: (s,) or one number, m. One that is missing is no limit; where both are
        missing the link keeps its length as it stands, or with a closing_speed m/s above zero
        closes from there to nothing. repair: share of the error repaired per pass, 0 … 1, see
        `repair`. compliance m/N: the limits give way like springs; 0 is rigid. snapping m/s: how
        fast a rigid link comes in that is beyond its limits at the start of a step.

        Raises `ModelError` for limits that contradict each other, naming the vertices.
        """
        pair = rows_of_particles(builder, object, "link", pairs, 2)
        count = (len(pair),)
        speed = numbers(builder, object, "closing speed", closing_speed, count, least=0.0)
        x = builder.position
        apart = np.linalg.norm(x[pair[:, 1]] - x[pair[:, 0]], axis=1)
        if longest is None:
            longest = np.where(speed > 0.0, apart, np.inf if shortest is not None else apart)
            if shortest is None:
                shortest = np.where(speed > 0.0, 0.0, apart)
            longest = np.where(speed > 0.0, np.maximum(longest, shortest), longest)
        if shortest is None:
            shortest = 0.0
        least = numbers(builder, object, "shortest length", shortest, count, least=0.0)
        most = numbers(builder, object, "longest length", longest, count, least=0.0, endless=True)
        wrong = least > most
        if wrong.any():
            s = int(np.argmax(wrong))
            raise ModelError(
                builder.objects[object].name,
                f"the link between vertices {vertices(builder, object, pair[s])} may be neither "
                f"shorter than {least[s]:g} m nor longer than {most[s]:g} m: exchange the limits",
            )
        rows = records(
            LINK,
            pair=pair,
            shortest=least,
            longest=most,
            repair=numbers(builder, object, "repair", repair, count, least=0.0, most=1.0),
            compliance=numbers(builder, object, "compliance", compliance, count, least=0.0),
            closing_speed=speed,
        )
        return cls(object, rows, snapping)

    @property
    def particles(self) -> Ints:
        """Every particle that a link names."""
        return self.rows["pair"]

    @property
    def multiplier_count(self) -> int:
        """One for each link: its pull."""
        return len(self.rows)

    def project(self, moving: Moving, multiplier: Floats) -> None:
        """Project every link once, in the order of their adding."""
        project_links(
            moving.particles,
            self.rows,
            self.snapping,
            repair_rate(moving.h, moving.animated[self.object].stiffness),
            moving.per_step(self.object),
            moving.now,
            multiplier,
        )


# C = |δ| − r with r the limit that is passed, along the direction one step ago (see `spring`):
# Δλ = s (C − α̃λ)/(w + α̃). The pull λ of a limit keeps its sign from pass to pass, so that a
# limit gives back what it pulled too much, and never pushes the other way.
@kernel
def project_links(particles, links, snapping, rate, per_step, now, pull):
    """Bring every link between its limits.

    rate: see `repair.repair_rate`; per_step: 1/h² over the stiffness factor; pull (s,) carries λ.
    """
    for s in range(links.shape[0]):
        link = links[s]
        a, b = link["pair"][0], link["pair"][1]
        wa = particles.inverse_mass[a]
        wb = particles.inverse_mass[b]
        w = wa + wb
        if now.is_first_pass:
            pull[s] = 0.0
        if w == 0.0:
            continue
        held = pull[s]
        least = link["shortest"]
        most = link["longest"]
        if link["closing_speed"] > 0.0:
            most = max(least, most - link["closing_speed"] * now.time)
        d = between(particles.x, a, b)
        dd = dot(d, d)
        if dd > most * most or held > 0.0:
            rest = most
            is_long = True
        elif dd < least * least or held < 0.0:
            rest = least
            is_long = False
        else:
            continue
        e = between(particles.previous, a, b)
        is_one_sided = least < most
        if link["compliance"] == 0.0 and link["repair"] == 1.0:  # rigid: from afar over some steps
            old = length(e) - rest
            if not is_one_sided or (old > 0.0) == is_long:
                rest += left_over(old, snapping, now.h)
        softness = link["compliance"] * per_step
        if dd == 0.0:
            e = direction_between(a, b)
            step = (-rest - softness * held) / (w + softness)
            added = step
        else:
            step, added, e = spring_multiplier(d, e, w, rest, softness, held)
        share = share_per_pass(link["repair"], rate)
        wanted = held + share * added
        if is_one_sided:
            wanted = max(0.0, wanted) if is_long else min(0.0, wanted)
            if added != 0.0:
                share = (wanted - held) / added
        pull[s] = wanted
        move_ends(particles.x, a, b, wa, wb, step * share, e)
