"""Nets of springs that are solved together: the skins of soft bodies.

One spring after the other, each would see what those before it have done and nothing of those
after it, so that a body that is alike on all sides would lie askew by the order of its springs,
and roll. Here every spring sees the same places, in a few rounds over all of them,

    Δλ = (C + J Δx − α̃ λ)/(n₁ w₁ + n₂ w₂ + α̃),   Δx += W Jᵀ Δλ

(compliance: XPBD, Macklin, Müller, Chentanez 2016, eq. 18; masses split among the n springs at each
end, so that no round overshoots: Tonge, Benevolenski, Voroshilov 2012, §4). Chebyshev's polynomial
of the rounds (Golub, Varga 1961; Saad 2003, algorithm 12.1) weighs their changes. That is linear in
what it begins with, unlike conjugate gradients cut short, which leave what rests trembling. All
corrections go along the springs one step ago and keep both momenta, see `stick.momentum`.
"""

from __future__ import annotations

import itertools
import math
from collections import namedtuple

import numpy as np

from ...arrays import Floats, Ints
from ...kernels.jit import lean_inline, parallel_kernel, prange
from ...vec3 import ZERO, along, between, dot, load, move, scale, shift, store

ROUNDS = 5
"""Over a net in one pass."""

RIPPLE = 0.02
"""Share of the error that Chebyshev's polynomial leaves at most of what it is made for. It may be
too much by that share, which with more than a third would swing from step to step."""

Nets = namedtuple(
    "Nets",
    [
        "first_spring",  # (g + 1,) of each net
        "first_particle",  # (g + 1,) row of particle
        "particle",  # (q,) net by net
        "share",  # (n,) springs of a net that pull at each particle
    ],
)

NetSolution = namedtuple(
    "NetSolution",
    [
        "direction",  # (c, 3) of each spring one step ago, 1 long
        "error",  # (c,) m, where the pass begins
        "stiff",  # (c,) kg, 1/(n₁ w₁ + n₂ w₂ + α̃)
        "way",  # (n, 3) m, Δx
        "force",  # (n, 3) kg·m, Jᵀ Δλ
    ],
)
"""Scratch of `relax_nets`."""


def nets_of(spring: Ints, first_spring: Ints, count: int) -> Nets:
    """The nets of springs (c, 2) among ``count`` particles; first_spring (g + 1,) of each net."""
    members = [np.unique(spring[first:last]) for first, last in itertools.pairwise(first_spring)]
    first_particle = np.cumsum([0, *(len(member) for member in members)]).astype(np.int32)
    particle = np.concatenate([np.zeros(0, dtype=np.int32), *members]).astype(np.int32)
    share = np.bincount(spring[first_spring[0] :].reshape(-1), minlength=count)
    return Nets(first_spring, first_particle, particle, share.astype(np.float64))


def net_solution(springs: int, particles: int) -> NetSolution:
    """Scratch for so many springs and particles of a model."""
    ways = [np.zeros((particles, 3)) for _ in range(2)]
    return NetSolution(np.zeros((springs, 3)), np.zeros(springs), np.zeros(springs), *ways)


def round_weights() -> Floats:
    """(rounds,) what each round multiplies its changes by: the inverse roots of the polynomial."""
    middle = math.cosh(math.acosh(1.0 / RIPPLE) / ROUNDS)  # over half the range
    angle = [(k + 0.5) * math.pi / ROUNDS for k in range(ROUNDS)]
    # rounded, for C libraries differ in the last bits of a cosine, and steps must not
    root = np.array([round(middle + math.cos(a), 12) for a in angle])
    weights: Floats = root[0] / root
    return weights


@lean_inline
def _measure(x, previous, pair, rest_length, s, direction, error):
    """Direction and error of spring s."""
    a, b = np.uint32(pair[s, 0]), np.uint32(pair[s, 1])
    d, e = between(x, a, b), between(previous, a, b)
    dd = dot(d, d)
    if not dot(d, e) > 0.5 * dd:  # turned or stretched too far, see `spring.multiplier`
        e = d
    size = math.sqrt(dot(e, e))
    error[s] = math.sqrt(dd) - rest_length[s]
    store(direction, s, scale(1.0 / size if size > 0.0 else 0.0, e))


@parallel_kernel
def relax_nets(particles, springs, nets, solution, weights, h, is_first):
    """One pass over nets of springs.

    springs: see `distance`; weights: see `round_weights`; is_first: of the passes of this substep.
    """
    x, previous, inverse_mass = particles
    pair, rest_length, compliance, multiplier, _, tension = springs
    first_spring, first_particle, particle, share = nets
    direction, error, stiff, way, force = solution
    per_step = 1.0 / (h * h)
    for net in prange(first_spring.shape[0] - 1):
        first, last = first_spring[net], first_spring[net + 1]
        rows = particle[first_particle[net] : first_particle[net + 1]]
        for k in range(rows.shape[0]):
            store(force, rows[k], ZERO)
            store(way, rows[k], ZERO)
        for s in range(first, last):
            _measure(x, previous, pair, rest_length, s, direction, error)
            a, b = np.uint32(pair[s, 0]), np.uint32(pair[s, 1])
            most = share[a] * inverse_mass[a] + share[b] * inverse_mass[b]
            stiff[s] = 1.0 / (most + compliance[s] * per_step)
            if is_first:
                multiplier[s] = 0.0
        for k in range(weights.shape[0]):
            weight = weights[k]
            for s in range(first, last):
                a, b = np.uint32(pair[s, 0]), np.uint32(pair[s, 1])
                e = load(direction, s)
                softness = compliance[s] * per_step
                wrong = error[s] + dot(between(way, a, b), e) - softness * multiplier[s]
                added = weight * stiff[s] * wrong
                multiplier[s] += added
                if tension.shape[0] > 0:
                    tension[s] += added
                shift(force, a, added, e)
                shift(force, b, -added, e)
            for j in range(rows.shape[0]):
                i = np.uint32(rows[j])
                store(way, i, along(load(way, i), inverse_mass[i], load(force, i)))
                store(force, i, ZERO)
        for k in range(rows.shape[0]):
            move(x, rows[k], load(way, rows[k]))
