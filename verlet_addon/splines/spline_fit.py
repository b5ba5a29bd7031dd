"""Splines as chains of samples for a simulation, and control points that follow those samples.

Each sample is a linear function of a few unknowns: the control points, and for Bezier splines
their handles. Control points that a sample lies on follow it exactly; the others are fitted by
least squares (J. Hoschek, Intrinsic parametrization for approximation, 1988: samples slide along
the curve between the solves). No frame depends on another one, and a rope at rest gives back
exactly the control points that it was made from.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Floats
from .nurbs import NurbsShape, domain_of, knots_of, middles_of, shares_of

Indices = NDArray[np.intp]

SAMPLES_PER_SPLINE = 24  # at least so many on an open spline, so that two control points sag well
SAMPLES_PER_SEGMENT = 8  # on a Bezier segment of mean length
FEWEST_PER_SEGMENT = 4  # on a short one: enough to fit two handles
MOST_PER_SEGMENT = 64
SAMPLES_PER_TURN = 24  # samples on a full circle
SAMPLES_PER_NURBS_POINT = 4
COINCIDENT = 1e-6  # samples closer than this part of the spline's length are one particle
SLIDING_STEPS = 12  # steps in which samples find their place on the fitted curve
LONGEST_SLIDE = 0.1  # of a segment, in one step
ALIGNED_COSINE = np.cos(np.radians(0.5))  # two handles in one line, as far as floats tell
RIDGE = 1e-10  # of the diagonal: unknowns that no sample depends on stay where they are


@dataclass(frozen=True)
class SampledSpline:
    """One spline: its samples, and how they depend on u unknowns. All in the object's space.

    The unknowns are the control points, and the directions or offsets of Bezier handles.
    """

    unknowns: Floats  # (u, 3) at rest
    carriers: Indices  # (u,) the sample that moves an unknown along, -1 for handles
    is_fixed: NDArray[np.bool_]  # (u,) it follows that sample exactly and is not fitted
    columns: Indices  # (s, k) unknowns that a sample depends on
    weights: Floats  # (s, k) by how much
    parameters: Floats  # (s,) of Bezier samples within their segment, NaN for those that stay
    arms: Floats  # (s, 2) weights of the unknowns of the two handles beside a Bezier sample
    coordinates: Floats  # (c, 3) m, at rest
    spread_columns: Indices  # (c, 2) unknowns that a control coordinate depends on
    spread_weights: Floats  # (c, 2)
    control_samples: Indices  # (p,) the sample at, or nearest to, each control point
    is_cyclic: bool

    @property
    def positions(self) -> Floats:
        """Where the samples (s, 3) are at rest."""
        return _weighted(self.weights, self.unknowns[self.columns])


def _weighted(weights: Floats, vectors: Floats) -> Floats:
    """Sums (s, 3) of vectors (s, k, 3)."""
    return np.einsum("sk,skd->sd", weights, vectors)


def _sampled_points(
    points: Floats,
    is_fixed: NDArray[np.bool_],
    columns: Indices,
    weights: Floats,
    control_samples: Indices,
    is_cyclic: bool,
) -> SampledSpline:
    """A spline whose only unknowns are its control points (p, 3)."""
    numbers = np.arange(len(points))
    return SampledSpline(
        unknowns=points,
        carriers=control_samples,
        is_fixed=is_fixed,
        columns=columns,
        weights=weights,
        parameters=np.full(len(columns), np.nan),
        arms=np.zeros((len(columns), 2)),
        coordinates=points,
        spread_columns=np.stack([numbers, numbers], axis=1),
        spread_weights=np.tile([1.0, 0.0], (len(points), 1)),
        control_samples=control_samples,
        is_cyclic=is_cyclic,
    )


def sampled_polyline(points: Floats, is_cyclic: bool) -> SampledSpline:
    """A poly spline with control points (p, 3): each of them is a sample."""
    numbers = np.arange(len(points))
    ones = np.ones(len(points))
    return _sampled_points(
        points, ones.astype(bool), numbers[:, None], ones[:, None], numbers, is_cyclic
    )


def sampled_nurbs(points: Floats, point_weights: Floats, shape: NurbsShape) -> SampledSpline:
    """A NURBS spline with control points (p, 3) and their weights (p,)."""
    if not shape.is_drawn:
        return sampled_polyline(points, shape.is_cyclic)
    knots = knots_of(shape)
    start, end = domain_of(shape, knots)
    middles = middles_of(shape, knots)
    # between every two of the middles, so that each control point has samples that depend on it
    stops = np.unique(np.round(np.concatenate([[start], middles, [end]]), 9))
    per_stop = max(SAMPLES_PER_NURBS_POINT, -(-SAMPLES_PER_SPLINE // (len(stops) - 1)))
    parts = np.arange(per_stop) / per_stop
    parameters = (stops[:-1, None] + np.diff(stops)[:, None] * parts).ravel()
    if not shape.is_cyclic:
        parameters = np.append(parameters, end)
    columns, weights = shares_of(shape, knots, parameters, point_weights)
    control_samples = np.abs(parameters - middles[:, None]).argmin(axis=1)
    is_fixed = np.zeros(len(points), bool)  # but for those that the spline passes through
    passing, which = np.nonzero(weights > 1.0 - 1e-9)
    is_fixed[columns[passing, which]] = True
    control_samples[columns[passing, which]] = passing
    return _sampled_points(points, is_fixed, columns, weights, control_samples, shape.is_cyclic)


def sampled_bezier(triples: Floats, is_cyclic: bool) -> SampledSpline:
    """A Bezier spline with control points (p, 3, 3): left handle, point, right handle.

    Samples lie evenly along each segment. Where the handles are in one line, they stay so, and
    keep the ratio of their lengths: the fitted curve has no kinks that the spline has not.
    """
    count = len(triples)
    starts = np.arange(count if is_cyclic else count - 1)
    ends = (starts + 1) % count
    corners = np.stack(
        [triples[starts, 1], triples[starts, 2], triples[ends, 0], triples[ends, 1]], axis=1
    )
    segments, parameters = _even_parameters(corners)
    if not is_cyclic:
        segments, parameters = np.append(segments, starts[-1]), np.append(parameters, 1.0)
    first, second = starts[segments], ends[segments]
    control_samples = np.flatnonzero(parameters == 0.0)
    if not is_cyclic:
        control_samples = np.append(control_samples, len(parameters) - 1)

    left, right, left_weight, right_weight, handles = _handle_unknowns(triples)
    arms = np.stack([right_weight[first], left_weight[second]], axis=1)
    numbers = np.arange(count)
    one, none = np.ones(count), np.zeros(count)
    spread_columns = [(numbers, left), (numbers, numbers), (numbers, right)]
    spread_weights = [(one, left_weight), (one, none), (one, right_weight)]
    return SampledSpline(
        unknowns=np.concatenate([triples[:, 1], handles]),
        carriers=np.concatenate([control_samples, np.full(len(handles), -1)]),
        is_fixed=np.arange(count + len(handles)) < count,
        columns=np.stack([first, right[first], left[second], second], axis=1),
        weights=_bezier_weights(_bernstein(parameters), arms),
        parameters=np.where((parameters > 0.0) & (parameters < 1.0), parameters, np.nan),
        arms=arms,
        coordinates=triples.reshape(-1, 3),
        spread_columns=np.array(spread_columns).transpose(2, 0, 1).reshape(-1, 2),
        spread_weights=np.array(spread_weights).transpose(2, 0, 1).reshape(-1, 2),
        control_samples=control_samples,
        is_cyclic=is_cyclic,
    )


def _bezier_weights(shares: Floats, arms: Floats) -> Floats:
    """Weights (s, 4) of point, handle unknown, handle unknown, point, from shares of corners."""
    return np.stack(
        [
            shares[:, 0] + shares[:, 1],  # a point carries its handles along
            shares[:, 1] * arms[:, 0],
            shares[:, 2] * arms[:, 1],
            shares[:, 2] + shares[:, 3],
        ],
        axis=1,
    )


def _bernstein(t: Floats) -> Floats:
    """Shares (..., 4) of the four corners of a Bezier segment at parameters t."""
    s = 1.0 - t
    return np.stack([s**3, 3 * s * s * t, 3 * s * t * t, t**3], axis=-1)


def _bernstein_slopes(t: Floats) -> Floats:
    """Derivatives (..., 4) of those shares."""
    s = 1.0 - t
    return 3 * np.stack([-s * s, s * s - 2 * s * t, 2 * s * t - t * t, t * t], axis=-1)


def _even_parameters(corners: Floats) -> tuple[Indices, Floats]:
    """Segment and parameter of each sample, the ends of segments left out.

    ``corners`` (m, 4, 3). How many there are follows from a segment's length and from its turns.
    """
    fine = np.linspace(0.0, 1.0, 129)
    path = np.einsum("tk,mkd->mtd", _bernstein(fine), corners)
    steps = np.diff(path, axis=1)
    lengths = np.linalg.norm(steps, axis=2)
    travelled = np.concatenate([np.zeros((len(path), 1)), np.cumsum(lengths, axis=1)], axis=1)
    total = travelled[:, -1]
    directions = steps / np.where(lengths > 0.0, lengths, 1.0)[..., None]
    cosines = np.sum(directions[:, 1:] * directions[:, :-1], axis=2)
    moving = (lengths[:, 1:] > 1e-9 * total[:, None]) & (lengths[:, :-1] > 1e-9 * total[:, None])
    turn = np.where(moving, np.arccos(np.clip(cosines, -1.0, 1.0)), 0.0).sum(axis=1)
    usual = max(SAMPLES_PER_SEGMENT, -(-SAMPLES_PER_SPLINE // len(path)))
    by_length = usual * total / max(total.mean(), 1e-300)
    by_turn = SAMPLES_PER_TURN * turn / (2 * np.pi)
    wanted = np.ceil(np.maximum(by_length, by_turn) - 1e-6)
    counts = np.clip(wanted, FEWEST_PER_SEGMENT, MOST_PER_SEGMENT).astype(np.intp)
    parameters = []
    for count, distance in zip(counts, travelled):
        even = np.arange(count) / count
        parameters.append(
            np.interp(even * distance[-1], distance, fine) if distance[-1] > 0.0 else even
        )
        parameters[-1][0] = 0.0
    return np.repeat(np.arange(len(path)), counts), np.concatenate(parameters)


def _handle_unknowns(triples: Floats) -> tuple[Indices, Indices, Floats, Floats, Floats]:
    """Which unknown moves the left and the right handle (p,), its weights, and its value (h, 3).

    Handles in one line share an unknown, the direction that both follow by their own lengths;
    others have one each, their offset from the point.
    """
    count = len(triples)
    arms = triples[:, [0, 2]] - triples[:, 1:2]
    left_reach, right_reach = np.linalg.norm(arms, axis=2).T
    opposed = -np.sum(arms[:, 0] * arms[:, 1], axis=1)
    both = left_reach * right_reach
    aligned = (both > 0.0) & (opposed >= ALIGNED_COSINE * both)
    right = count - 1 + np.cumsum(np.where(aligned, 1, 2))
    left = np.where(aligned, right, right - 1)
    left_weight = np.where(aligned, -left_reach, 1.0)
    right_weight = np.where(aligned, right_reach, 1.0)
    unknowns = np.zeros((right[-1] + 1 - count, 3))
    unknowns[left - count] = arms[:, 0]
    between = (arms[:, 1] - arms[:, 0])[aligned] / (left_reach + right_reach)[aligned, None]
    unknowns[right - count] = arms[:, 1]
    unknowns[right[aligned] - count] = between
    return left, right, left_weight, right_weight, unknowns


@dataclass(frozen=True)
class SplineFit:
    """What turns the particles of a whole curve into the coordinates of its control points."""

    rest_points: Floats  # (n, 3) m
    rest_samples: Floats  # (s, 3) m
    rest_unknowns: Floats  # (u, 3)
    rest_coordinates: Floats  # (c, 3) m
    particles: Indices  # (s,) the particle of each sample
    columns: Indices  # (s, k)
    weights: Floats  # (s, k)
    carried: Indices  # unknowns that samples carry along, and those samples
    carriers: Indices
    spread_columns: Indices  # (c, 2)
    spread_weights: Floats  # (c, 2)
    sliding: Indices  # (b,) Bezier samples between control points
    parameters: Floats  # (b,) within their segments, at rest
    arms: Floats  # (b, 2)
    solutions: tuple[tuple[Indices, Floats], ...]  # of each spline: fitted unknowns (f,), (f, f)

    def coordinates(self, points: Floats) -> Floats:
        """Coordinates (c, 3) of the control points for particles at ``points`` (n, 3)."""
        moved = (points - self.rest_points)[self.particles]
        targets = self.rest_samples + moved
        unknowns = self.rest_unknowns.copy()
        unknowns[self.carried] += moved[self.carriers]
        weights, parameters = self.weights, self.parameters
        for turn in range(1 + (SLIDING_STEPS if len(self.sliding) else 0)):
            if turn:
                parameters = self._slid(parameters, targets, unknowns)
                weights = self._weights_at(parameters)
            self._improve(unknowns, weights, targets)
        change = _weighted(
            self.spread_weights, (unknowns - self.rest_unknowns)[self.spread_columns]
        )
        return self.rest_coordinates + change

    def _improve(self, unknowns: Floats, weights: Floats, targets: Floats) -> None:
        """Bring the fitted unknowns nearer to the least sum of squares; at rest exactly there."""
        if not self.solutions:
            return
        left_over = targets - _weighted(weights, unknowns[self.columns])
        columns, pull = self.columns.ravel(), np.empty_like(unknowns)
        for axis in range(3):
            shares = (weights * left_over[:, axis, None]).ravel()
            pull[:, axis] = np.bincount(columns, shares, len(unknowns))
        for fitted, inverse in self.solutions:
            unknowns[fitted] += inverse @ pull[fitted]

    def _slid(self, parameters: Floats, targets: Floats, unknowns: Floats) -> Floats:
        """Parameters moved to where the curve comes nearest to its targets (one Newton step)."""
        vectors = unknowns[self.columns[self.sliding, :4]]
        drawn = _weighted(_bezier_weights(_bernstein(parameters), self.arms), vectors)
        slopes = _weighted(_bezier_weights(_bernstein_slopes(parameters), self.arms), vectors)
        along = np.sum((targets[self.sliding] - drawn) * slopes, axis=1)
        steepness = np.sum(slopes * slopes, axis=1)
        step = along / np.where(steepness > 0.0, steepness, 1.0)
        return np.clip(parameters + np.clip(step, -LONGEST_SLIDE, LONGEST_SLIDE), 0.0, 1.0)

    def _weights_at(self, parameters: Floats) -> Floats:
        weights = self.weights.copy()
        weights[self.sliding, :4] = _bezier_weights(_bernstein(parameters), self.arms)
        return weights


@dataclass(frozen=True)
class Chain:
    """The samples of a spline as particles: those in one place are one."""

    positions: Floats  # (n, 3) m
    particles: Indices  # (s,) the particle of each sample
    edges: Indices  # (m, 2)


def chain_of(spline: SampledSpline) -> Chain:
    """Particles and edges of one spline; a single particle when all samples coincide."""
    samples = spline.positions
    steps = np.linalg.norm(np.diff(samples, axis=0), axis=1)
    tolerance = COINCIDENT * steps.sum()
    is_new = np.concatenate([[True], steps > tolerance])
    particles = np.cumsum(is_new) - 1
    positions = samples[is_new]
    gap = np.linalg.norm(positions[-1] - positions[0])
    if spline.is_cyclic and len(positions) > 1 and gap <= tolerance:
        particles[particles == len(positions) - 1] = 0
        positions = positions[:-1]
    numbers = np.arange(len(positions))
    edges = np.stack([numbers[:-1], numbers[1:]], axis=1)
    if spline.is_cyclic and len(positions) > 2:
        edges = np.concatenate([edges, [[len(positions) - 1, 0]]])
    return Chain(positions, particles, edges)


def fit_of(splines: Sequence[SampledSpline], chains: Sequence[Chain]) -> SplineFit:
    """The fit for all splines of a curve together."""
    width = max(spline.columns.shape[1] for spline in splines)
    particle_starts = _starts(len(chain.positions) for chain in chains)
    sample_starts = _starts(len(spline.columns) for spline in splines)
    unknown_starts = _starts(len(spline.unknowns) for spline in splines)

    def padded(rows: NDArray[Any]) -> NDArray[Any]:
        return np.pad(rows, ((0, 0), (0, width - rows.shape[1])))

    carried = [np.flatnonzero(spline.carriers >= 0) for spline in splines]
    fitted = [np.flatnonzero(~spline.is_fixed) for spline in splines]
    sliding = [np.flatnonzero(~np.isnan(spline.parameters)) for spline in splines]
    return SplineFit(
        rest_points=np.concatenate([chain.positions for chain in chains]),
        rest_samples=np.concatenate([spline.positions for spline in splines]),
        rest_unknowns=np.concatenate([spline.unknowns for spline in splines]),
        rest_coordinates=np.concatenate([spline.coordinates for spline in splines]),
        particles=_joined((chain.particles for chain in chains), particle_starts),
        columns=_joined((padded(spline.columns) for spline in splines), unknown_starts),
        weights=np.concatenate([padded(spline.weights) for spline in splines]),
        carried=_joined(carried, unknown_starts),
        carriers=_joined(
            (spline.carriers[which] for spline, which in zip(splines, carried)), sample_starts
        ),
        spread_columns=_joined((spline.spread_columns for spline in splines), unknown_starts),
        spread_weights=np.concatenate([spline.spread_weights for spline in splines]),
        sliding=_joined(sliding, sample_starts),
        parameters=np.concatenate([s.parameters[which] for s, which in zip(splines, sliding)]),
        arms=np.concatenate([s.arms[which] for s, which in zip(splines, sliding)]),
        solutions=tuple(
            (which + start, _inverse(spline, which))
            for spline, which, start in zip(splines, fitted, unknown_starts)
            if len(which)
        ),
    )


def _starts(sizes: Iterable[int]) -> list[int]:
    """Where each of the parts begins when they are put one after the other."""
    return [0, *accumulate(sizes)][:-1]


def _joined(parts: Iterable[Indices], starts: Sequence[int]) -> Indices:
    """Indices of all parts, counted through."""
    return np.concatenate([part + start for part, start in zip(parts, starts)])


def _inverse(spline: SampledSpline, fitted: Indices) -> Floats:
    """Inverse (f, f) of the normal matrix of the fitted unknowns, at the parameters of rest."""
    count = len(fitted)
    row_of = np.full(len(spline.unknowns), -1)
    row_of[fitted] = np.arange(count)
    rows = row_of[spline.columns]
    first, second = rows[:, :, None], rows[:, None, :]
    products = spline.weights[:, :, None] * spline.weights[:, None, :]
    counts = (first >= 0) & (second >= 0)
    normal = np.bincount((first * count + second)[counts], products[counts], count * count)
    normal = normal.reshape(count, count)
    diagonal = normal.diagonal()
    scale = np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))  # handles may be of any length
    scaled = normal / scale[:, None] / scale + RIDGE * np.eye(count)
    return np.linalg.inv(scaled) / scale[:, None] / scale
