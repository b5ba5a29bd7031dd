"""Volumes and shape matching."""

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, advance
from verlet_physics.errors import ModelError
from verlet_physics.particles.constraints.shape_match import ShapeMatches
from verlet_physics.particles.constraints.volume import Volumes, enclosed
from verlet_physics.rotation_fit import largest_eigenvector
from verlet_physics.settings import AnimatedSettings
from verlet_physics.truth.constraints import edges_of, icosahedron

STILL = (0.0, 0.0, 0.0)
CUBE = np.array([(i, j, k) for k in (0, 1) for j in (0, 1) for i in (0, 1)], dtype=float)
SIDES = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (1, 3, 7, 5), (3, 2, 6, 7), (2, 0, 4, 6)]
BOX = np.array([t for a, b, c, d in SIDES for t in ((a, b, c), (a, c, d))], dtype=np.int32)


def advanced(model, frames, *, gravity=STILL, rate=480.0, **factors):
    state = model.initial_state(step=1 / rate, gravity=gravity)
    inputs = FrameInputs(gravity=gravity, animated=(AnimatedSettings(**factors),))
    for _ in range(frames):
        state, _ = advance(model, state, inputs, SolverSettings(substep_rate=rate))
    return state.position


def balloon(triangles, x, *, springs=0.0, **options):
    builder = ModelBuilder()
    owner = builder.add_particles("balloon", x, mass=0.1, drag=5.0)
    if springs:
        builder.add_springs(edges_of(triangles), springs)
    builder.add_constraint(Volumes.of(builder, owner, triangles, **options))
    return builder.finalize()


# ---------------------------------------------------------------------------- volumes


@pytest.mark.parametrize("far", [0.0, 1e4])
def test_volume_of_a_box_and_of_an_icosahedron(far):
    builder = ModelBuilder()
    box = builder.add_particles("box", CUBE * (1, 2, 3) + far, mass=1.0)
    assert Volumes.of(builder, box, BOX).rest_volume == pytest.approx([6.0], rel=1e-9)
    assert Volumes.of(builder, box, BOX[:, ::-1]).rest_volume == pytest.approx([6.0], rel=1e-9)
    x, triangles = icosahedron(1.0)
    edge = 1.0 / np.sin(0.4 * np.pi)  # of an icosahedron of circumradius 1
    exact = 5.0 / 12.0 * (3.0 + np.sqrt(5.0)) * edge**3
    assert enclosed(x, triangles) == pytest.approx(exact, rel=1e-12)


def test_the_correction_is_the_gradient_of_the_volume_over_the_masses():
    """Against central differences; pinned particles do not move."""
    x = CUBE + np.random.default_rng(1).normal(0.0, 0.1, CUBE.shape)
    builder = ModelBuilder()
    mass = np.linspace(1.0, 3.0, 8)
    owner = builder.add_particles("box", x, mass=mass)
    builder.pin([2])
    builder.add_constraint(Volumes.of(builder, owner, BOX, pressure=1.0001))
    model = builder.finalize()
    state = model.initial_state(gravity=STILL)
    state, _ = advance(model, state, FrameInputs(duration=1 / 480, gravity=STILL), SolverSettings())
    gradient = np.zeros_like(x)
    for k in range(x.size):
        step = np.zeros(x.size)
        step[k] = 1e-5
        there = enclosed(x + step.reshape(x.shape), BOX)
        gradient.flat[k] = (there - enclosed(x - step.reshape(x.shape), BOX)) / 2e-5
    inverse = np.where(np.arange(8) == 2, 0.0, 1.0 / mass)[:, None]
    wanted = 1e-4 * enclosed(x, BOX)
    exact = inverse * gradient * wanted / (inverse * gradient**2).sum()
    assert state.position - x == pytest.approx(exact, abs=1e-6 * np.abs(exact).max() + 1e-12)


@pytest.mark.parametrize("pressure", [0.5, 1.0, 1.3, 3.0])
@pytest.mark.parametrize("rate", [480.0, 960.0])
def test_a_rigid_volume_is_pressure_times_the_rest_volume(pressure, rate):
    x, triangles = icosahedron(0.5)
    model = balloon(triangles, x, springs=20.0, pressure=pressure)
    rest = enclosed(x, triangles)
    assert enclosed(advanced(model, 48, rate=rate), triangles) == pytest.approx(
        pressure * rest, rel=2e-3
    )


def test_keyed_pressure_is_a_factor():
    x, triangles = icosahedron(0.5)
    model = balloon(triangles, x, springs=20.0, pressure=2.0)
    volume = enclosed(advanced(model, 48, pressure=0.75), triangles)
    assert volume == pytest.approx(1.5 * enclosed(x, triangles), rel=2e-3)


def test_a_soft_balloon_swells_until_its_skin_bears_the_pressure():
    """Springs of k N/m on 30 edges of length a R: 30 k (a (R − R₀))²/2 against the gas.

    dE/dR = 30 k a² (R − R₀) = P dV/dR, with P = (p V₀ − V)/α and V = c R³.
    """
    radius, k, alpha, pressure = 0.5, 200.0, 2e-4, 1.5
    x, triangles = icosahedron(radius)
    model = balloon(triangles, x, springs=k, pressure=pressure, compliance=alpha)
    position = advanced(model, 96)
    centre = position.mean(axis=0)
    measured = np.linalg.norm(position - centre, axis=1)
    assert np.ptp(measured) < 1e-3 * radius  # springs take turns, which leaves it a little askew
    c = enclosed(x, triangles) / radius**3
    a = np.linalg.norm(x[edges_of(triangles)[0, 1]] - x[edges_of(triangles)[0, 0]]) / radius

    def net(r):
        gas = (pressure * c * radius**3 - c * r**3) / alpha * 3.0 * c * r**2
        return gas - 30.0 * k * a * a * (r - radius)

    low, high = radius, 2.0 * radius
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if net(middle) > 0.0 else (low, middle)
    assert measured.mean() - radius == pytest.approx(low - radius, rel=5e-3)


def test_softness_is_compliance_per_volume():
    builder = ModelBuilder()
    owner = builder.add_particles("box", 2.0 * CUBE, mass=1.0)
    assert Volumes.of(builder, owner, BOX, softness=1e-5).parts["compliance"] == pytest.approx(
        [8e-5]
    )


def test_separate_parts_have_their_own_volumes():
    builder = ModelBuilder()
    x = np.concatenate([CUBE, 2.0 * CUBE + 5.0])
    owner = builder.add_particles("boxes", x, mass=1.0)
    triangles = np.concatenate([BOX + 8, BOX])
    volumes = Volumes.of(builder, owner, triangles)
    assert volumes.rest_volume == pytest.approx([1.0, 8.0])
    assert sorted(volumes.vertex.tolist()) == list(range(16))


def test_open_flat_and_twisted_surfaces_are_refused_with_a_way_out():
    builder = ModelBuilder()
    owner = builder.add_particles("tin", CUBE, mass=1.0)
    lidless = BOX[(BOX < 4).any(axis=1)]
    with pytest.raises(ModelError, match=r"tin: has a hole at vertices .*Fill Holes"):
        Volumes.of(builder, owner, lidless)
    closed = Volumes.of(builder, owner, lidless, close_holes=True)
    assert closed.rest_volume == pytest.approx([1.0])
    twisted = BOX.copy()
    twisted[0] = twisted[0, ::-1]
    with pytest.raises(ModelError, match=r"tin: .*Recalculate Outside"):
        Volumes.of(builder, owner, twisted)
    flat = builder.add_particles("paper", CUBE * (1, 1, 0), mass=1.0)
    with pytest.raises(ModelError, match=r"paper: the part with vertex 0 encloses no volume"):
        Volumes.of(builder, flat, BOX + 8)
    with pytest.raises(ModelError, match=r"tin: has no faces"):
        Volumes.of(builder, owner, np.zeros((0, 3), dtype=int))


def test_a_collapsed_balloon_stays_finite():
    x, triangles = icosahedron(0.5)
    model = balloon(triangles, x, springs=20.0)
    for places in (np.zeros_like(x), x * (1, 1, 0), -x):
        state = model.initial_state(gravity=STILL)
        state.position[:] = places
        state.previous[:] = places
        for _ in range(24):
            state, _ = advance(model, state, FrameInputs(gravity=STILL), SolverSettings())
        assert np.isfinite(state.position).all()


# ---------------------------------------------------------------------------- shape matching


def turned(axis, angle):
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    k = np.array([(0, -z, y), (z, 0, -x), (-y, x, 0)])
    return np.eye(3) + np.sin(angle) * k + (1.0 - np.cos(angle)) * k @ k


def matched(rest, x, *, mass=1.0, pins=(), repair=1.0):
    """Where one pass brings particles at x whose cluster rests at ``rest``."""
    builder = ModelBuilder()
    owner = builder.add_particles("jelly", x, mass=mass)
    builder.pin(list(pins))
    builder.add_constraint(
        ShapeMatches.of(builder, owner, [np.arange(len(x))], repair=repair, rest_position=rest)
    )
    model = builder.finalize()
    state = model.initial_state(gravity=STILL)
    inputs = FrameInputs(duration=1 / 480, gravity=STILL)
    return advance(model, state, inputs, SolverSettings())[0].position


SHAPES = {
    "solid": np.random.default_rng(0).normal(size=(9, 3)),
    "flat": np.random.default_rng(1).normal(size=(9, 3)) * (1, 1, 0),
    "straight": np.linspace(-1, 2, 7)[:, None] * np.array([[1.0, 2.0, -1.0]]),
    "pair": np.array([(0.0, 0, 0), (1, 1, 0)]),
    "point": np.ones((3, 3)),
    "single": np.ones((1, 3)),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("angle", [0.0, 1.0, 3.0, np.pi])
def test_a_moved_and_turned_shape_is_already_at_its_goal(shape, angle):
    rest = SHAPES[shape]
    x = rest @ turned((1, -2, 0.5), angle).T + (3, 1, -2)
    mass = np.linspace(0.5, 2.0, len(rest))
    assert matched(rest, x, mass=mass) == pytest.approx(x, abs=1e-12)


@pytest.mark.parametrize("shape", ["solid", "flat", "straight"])
def test_a_deformed_shape_returns_to_its_own(shape):
    rest = SHAPES[shape]
    x = rest @ turned((0, 1, 2), 0.8).T + np.random.default_rng(2).normal(0.0, 0.1, rest.shape)
    now = matched(rest, x)
    apart = np.linalg.norm(now[:, None] - now[None], axis=2)
    assert apart == pytest.approx(np.linalg.norm(rest[:, None] - rest[None], axis=2), abs=1e-10)
    assert now.mean(axis=0) == pytest.approx(x.mean(axis=0), abs=1e-14)


def test_the_rotation_is_the_best_one_and_never_a_reflection():
    """A mirrored shape is not taken for a turned one: compare with Kabsch's method."""
    rest = SHAPES["solid"]
    for x in (rest * (-1, 1, 1), rest @ turned((1, 1, 1), 2.5).T * (1.0, 1.0, -0.7)):
        q, r = rest - rest.mean(axis=0), x - x.mean(axis=0)
        u, _, vt = np.linalg.svd(q.T @ r)
        u[:, -1] *= np.sign(np.linalg.det(u @ vt))
        goal = q @ u @ vt + x.mean(axis=0)
        assert matched(rest, x) == pytest.approx(goal, abs=1e-10)


def test_eigenvectors_are_those_of_lapack():
    random = np.random.default_rng(3)
    for _ in range(20):
        a = random.normal(size=(4, 4))
        a = a + a.T
        found = np.array(largest_eigenvector(a.copy(), np.zeros((4, 4))))
        exact = np.linalg.eigh(a)[1][:, -1]
        assert abs(found @ exact) == pytest.approx(1.0, abs=1e-12)


def test_pinned_particles_lead_the_rest():
    rest = CUBE.copy()
    place = turned((0, 0, 1), 0.5)
    x = rest.copy()
    x[:4] = rest[:4] @ place.T
    now = matched(rest, x, pins=range(4))
    assert (now[:4] == x[:4]).all()
    assert now == pytest.approx(rest @ place.T, abs=1e-3)
    assert (matched(rest, 2.0 * rest, pins=range(8)) == 2.0 * rest).all()


@pytest.mark.parametrize("repair", [0.1, 0.5])
def test_soft_clusters_sag_alike_at_any_substep_rate(repair):
    """Four corners pinned, four hang by matching: repair is a stiffness, not a rate."""

    def sag(rate):
        builder = ModelBuilder()
        owner = builder.add_particles("jelly", CUBE, mass=0.1, drag=5.0)
        builder.pin([4, 5, 6, 7])
        builder.add_constraint(ShapeMatches.of(builder, owner, [np.arange(8)], repair=repair))
        gravity = (0.0, 0.0, -9.81)
        x = advanced(builder.finalize(), 72, gravity=gravity, rate=rate)
        return -x[:4, 2].mean()

    exact = 9.81 / 480**2 * (1.0 - repair) / repair
    assert sag(480.0) == pytest.approx(exact, rel=0.02)
    assert sag(960.0) == pytest.approx(exact, rel=0.02)


def test_keyed_stiffness_of_zero_lets_go():
    rest = SHAPES["solid"]
    builder = ModelBuilder()
    owner = builder.add_particles("jelly", 1.5 * rest, mass=1.0)
    builder.add_constraint(
        ShapeMatches.of(builder, owner, [np.arange(len(rest))], rest_position=rest)
    )
    model = builder.finalize()
    assert advanced(model, 2, stiffness=0.0) == pytest.approx(1.5 * rest)


def test_bad_clusters_are_refused_by_name():
    builder = ModelBuilder()
    owner = builder.add_particles("jelly", CUBE, mass=1.0)
    with pytest.raises(ModelError, match=r"jelly: cluster 1 has no vertices"):
        ShapeMatches.of(builder, owner, [[0, 1], np.zeros(0, dtype=int)])
    with pytest.raises(ModelError, match=r"jelly: cluster 0 names vertex 3 more than once"):
        ShapeMatches.of(builder, owner, [[3, 1, 3]])
    with pytest.raises(ModelError, match=r"jelly: repair = 2 must be between 0 and 1"):
        ShapeMatches.of(builder, owner, [[0, 1]], repair=2.0)
