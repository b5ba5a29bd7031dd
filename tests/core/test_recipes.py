"""Ropes, plants, soft bodies, particles and the newer parts of cloth: do they do what they say?"""

import itertools

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, ModelError, SolverSettings, advance
from verlet_physics.bench.scenes import cloth_grid
from verlet_physics.bench.shapes import ball, stem, tube_tree
from verlet_physics.particles.constraints.volume import enclosed
from verlet_physics.presets import PRESETS
from verlet_physics.recipes.all import RECIPES
from verlet_physics.recipes.geometry import Geometry
from verlet_physics.settings import (
    ClothSettings,
    ParticleSettings,
    PlantSettings,
    RopeSettings,
    SoftBodySettings,
    WindSettings,
)

WEIGHTLESS = FrameInputs(gravity=(0.0, 0.0, 0.0))


def run(builder, seconds, inputs=None, state=None, watch=None):
    model = builder.finalize()
    inputs = inputs or FrameInputs()
    state = state or model.initial_state(gravity=inputs.gravity)
    for _ in range(round(24 * seconds)):
        state, _ = advance(model, state, inputs, SolverSettings())
        if watch is not None:
            watch(state)
    return state


def made(kind, geometry, settings, **about):
    builder = ModelBuilder()
    RECIPES[kind](builder, geometry, settings, **about)
    return builder


def chain(points):
    n = len(points)
    return Geometry.of("rope", points, np.stack([np.arange(n - 1), np.arange(1, n)], axis=1))


def line(segments, length, direction=(1.0, 0.0, 0.0)):
    return np.linspace(0.0, length, segments + 1)[:, None] * np.array(direction)


def ends(count, *held):
    pins = np.zeros(count)
    pins[list(held)] = 1.0
    return pins


def edge_lengths(geometry, state, first=0):
    x = state.position[geometry.edges + first]
    return np.linalg.norm(x[:, 1] - x[:, 0], axis=1)


# ---------------------------------------------------------------------------- ropes


@pytest.mark.parametrize("size", [0.02, 2.0, 100.0])
@pytest.mark.parametrize("segments", [20, 200])
def test_a_rope_held_at_both_ends_hangs_in_the_catenary(size, segments):
    apart = size / 1.2
    deep = np.sqrt(size**2 - apart**2) / 2.0
    t = np.linspace(0.0, 1.0, segments + 1)
    points = np.stack([(t - 0.5) * apart, 0 * t, -deep * (1 - abs(2 * t - 1))], axis=1)
    rope = chain(points)
    builder = made(
        "ROPE", rope, RopeSettings(drag=3.0 / np.sqrt(size)), pin_weight=ends(segments + 1, 0, -1)
    )
    state = run(builder, 3.0 * np.sqrt(size))
    sag = -state.position[:, 2].min() / apart
    stretch = edge_lengths(rope, state) / rope.edge_lengths - 1.0
    assert sag == pytest.approx(0.292344, rel=0.01)  # TRUTH: S/D = 1.2
    assert abs(stretch).mean() < 0.005


@pytest.mark.parametrize("segments", [10, 50, 200])
def test_a_rope_with_a_heavy_end_does_not_stretch_while_it_swings(segments):
    rope = chain(line(segments, 2.0))
    builder = made("ROPE", rope, RopeSettings(), pin_weight=ends(segments + 1, 0))
    builder._mass[-1][-1] *= 100.0
    worst = []
    run(builder, 3.0, watch=lambda s: worst.append(abs(edge_lengths(rope, s) * segments / 2 - 1)))
    assert np.mean(worst, axis=1).max() < 0.005


@pytest.mark.parametrize("segments", [8, 60])
def test_a_free_rope_keeps_its_momenta_and_a_pendulum_its_energy(segments):
    points = line(segments, 2.0)
    points[:, 1] = 0.2 * np.sin(3.0 * points[:, 0])
    middle = points - points.mean(axis=0)
    velocity = np.cross((0.3, 1.0, 5.0), middle) + (1.0, 2.0, 3.0)
    builder = made("ROPE", chain(points), RopeSettings(drag=0.0), velocity=velocity)
    model = builder.finalize()
    mass = model.particles.mass[:, None]

    def momenta(state):
        return (
            (mass * (state.position - state.previous)).sum(axis=0),
            (mass * np.cross(state.previous, state.position)).sum(axis=0),
        )

    before = model.initial_state(gravity=WEIGHTLESS.gravity)
    after = run(builder, 1.0, WEIGHTLESS)
    for was, now in zip(momenta(before), momenta(after), strict=True):
        assert np.linalg.norm(now - was) < 1e-8 * np.linalg.norm(was)

    builder = made(
        "ROPE", chain(line(segments, 1.0)), RopeSettings(bend=1.0, drag=0.0),
        pin_weight=ends(segments + 1, 0),
    )  # fmt: skip
    model = builder.finalize()
    state = model.initial_state()
    energy = []
    for _ in range(120):
        state, figures = advance(model, state, FrameInputs(), SolverSettings())
        energy.append(figures.kinetic_energy + figures.potential_energy)
    assert np.ptp(energy) < 0.01 * model.particles.mass.sum() * 9.81


def droop(settings, segments, size=1.0):
    points = line(segments, size)
    clamped = (points[:, 0] <= 0.1001 * size).astype(float)
    builder = made("ROPE", chain(points), settings, pin_weight=clamped)
    return -run(builder, 5.0 * np.sqrt(size)).position[-1, 2] / size


def test_bend_tells_a_chain_from_a_cable_at_any_resolution_and_size():
    stiffer = [droop(RopeSettings(bend=b, drag=3.0), 20) for b in (0.0, 0.6, 0.75, 1.0)]
    assert all(a > b + 0.02 for a, b in itertools.pairwise(stiffer))
    assert stiffer[0] > 0.88
    assert stiffer[-1] < 0.12
    fine = droop(RopeSettings(bend=0.85, drag=3.0), 80)
    assert fine == pytest.approx(droop(RopeSettings(bend=0.85, drag=3.0), 20), abs=0.06)
    small = droop(RopeSettings(bend=0.85, drag=30.0), 20, size=0.01)
    assert small == pytest.approx(droop(RopeSettings(bend=0.85, drag=3.0), 20), abs=0.03)


def test_springback_keeps_the_drawn_shape():
    turn = np.linspace(0.0, 1.5 * np.pi, 25)
    points = np.stack([np.sin(turn), 1.0 - np.cos(turn), 0 * turn], axis=1)

    def opened(springback):
        settings = RopeSettings(bend=1.0, springback=springback, drag=3.0)
        state = run(made("ROPE", chain(points), settings), 2.0, WEIGHTLESS)
        return np.linalg.norm(state.position[-1] - state.position[0])

    drawn = np.linalg.norm(points[-1] - points[0])
    assert opened(1.0) == pytest.approx(drawn, rel=0.02)
    assert opened(0.0) > 2.0 * drawn


def test_a_bungee_stretches_alike_at_any_resolution():
    def length(segments):
        settings = PRESETS["ROPE"]["BUNGEE"].settings
        points = line(segments, 2.0, (0.0, 0.0, -1.0))
        state = run(made("ROPE", chain(points), settings, pin_weight=ends(segments + 1, 0)), 6.0)
        return -state.position[-1, 2]

    assert 2.05 < length(10) < 2.5
    assert length(60) == pytest.approx(length(10), rel=0.02)


def test_rings_forks_pieces_and_nets_keep_their_lengths():
    turn = np.arange(24) / 24 * 2 * np.pi
    ring = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
    fork = [(3, 0, 0), (3, 0, -1), (3.5, 0, -1.5), (2.5, 0, -1.5), (3, 0.5, -1.5)]
    grid, quads = cloth_grid(8)
    points = np.concatenate([ring, fork, grid + (6.0, 0.0, 0.0)])
    edges = [*((k, (k + 1) % 24) for k in range(24)), (24, 25), (25, 26), (25, 27), (25, 28)]
    sides = np.stack([quads, np.roll(quads, -1, axis=1)], axis=2).reshape(-1, 2) + 29
    for some, count in ((edges, 29), ([*edges, *sides.tolist()], len(points))):
        net = Geometry.of("net", points[:count], some)
        pins = ends(count, 0, 24, *((29, 36) if count > 29 else ()))
        state = run(made("ROPE", net, RopeSettings(), pin_weight=pins), 3.0)
        stretch = edge_lengths(net, state) / net.edge_lengths - 1.0
        assert abs(stretch).mean() < 0.005
        assert abs(stretch).max() < 0.03


# ---------------------------------------------------------------------------- plants


def sway(geometry, settings, top, seconds):
    """Hz at which the vertex ``top`` swings after a gust."""
    builder = made("PLANT", geometry, settings)
    model = builder.finalize()
    gust = FrameInputs(wind=WindSettings(velocity=(3.0, 0.0, 0.0), gust=0.0))
    state = run(builder, 1.0 if seconds > 1.0 else 0.2, gust)
    path = []
    steps = FrameInputs(duration=seconds / 200)
    for _ in range(200):
        state, _ = advance(model, state, steps, SolverSettings())
        path.append(state.position[top, 0] - geometry.positions[top, 0])
    crossings = np.flatnonzero(np.diff(np.sign(path)))
    return (len(crossings) - 1) / 2.0 / ((crossings[-1] - crossings[0]) * steps.duration)


@pytest.mark.parametrize(("segments", "height"), [(10, 1.0), (60, 1.0), (16, 0.25), (16, 9.0)])
def test_a_plant_sways_as_fast_as_its_stiffness_and_height_say(segments, height):
    settings = PlantSettings(recovery=0.0, drag=0.0, stiffness=0.5)
    wanted = 0.6 * 6.0**0.5 / np.sqrt(height)
    found = sway(stem(segments, height), settings, segments, 6.0 * np.sqrt(height))
    assert found == pytest.approx(wanted, rel=0.06)


def plants():
    yield "PLANT", "GRASS", stem(12, 0.3)
    yield "PLANT", "FLOWER", stem(40, 0.5, lean=0.4)
    yield "PLANT", "SHRUB", tube_tree(2.0, rings=6)
    yield "PLANT", "TREE", tube_tree(9.0, rings=14)


@pytest.mark.parametrize(("kind", "preset", "geometry"), list(plants()))
def test_a_plant_stands_as_modelled_bends_in_the_wind_and_comes_back(kind, preset, geometry):
    builder = made(kind, geometry, PRESETS[kind][preset].settings)
    rest = geometry.positions
    height = np.ptp(rest[:, 2])

    def away(state):
        return np.linalg.norm(state.position - rest, axis=1).max() / height

    assert away(run(builder, 2.0)) < 0.01
    farthest = []
    windy = FrameInputs(wind=WindSettings(velocity=(6.0, 0.0, 0.0)))
    state = run(builder, 3.0, windy, watch=lambda s: farthest.append(away(s)))
    assert max(farthest) > 0.02
    assert away(run(builder, 8.0, state=state)) < 0.02


def test_leaves_are_fastened_and_keep_their_shape():
    tree = tube_tree(3.0, rings=8)
    builder = made("PLANT", tree, PlantSettings())
    model = builder.finalize()
    lowest = tree.positions[:, 2] < 0.01
    assert set(model.pins.particle) == set(np.flatnonzero(lowest))
    gale = FrameInputs(wind=WindSettings(velocity=(15.0, 0.0, 0.0)))
    state = run(builder, 2.0, gale)
    stretch = edge_lengths(tree, state) / tree.edge_lengths
    assert np.percentile(abs(stretch - 1.0), 95) < 0.2
    assert state.position[:, 2].min() > -0.1


def test_a_plant_follows_pins_that_move_and_turn():
    tree = tube_tree(2.0, rings=6)
    builder = made("PLANT", tree, PlantSettings())
    model = builder.finalize()
    state = model.initial_state()
    tilt = 0.5
    turn = np.array([[np.cos(tilt), 0, np.sin(tilt)], [0, 1, 0], [-np.sin(tilt), 0, np.cos(tilt)]])
    there = tree.positions @ turn.T + (1.0, 0.0, 0.0)
    for frame in range(240):
        share = min(1.0, frame / 48)
        a = share * tilt
        part = np.array([[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]])
        pins = (tree.positions @ part.T + (share, 0.0, 0.0))[model.pins.particle]
        state, _ = advance(model, state, FrameInputs(pin_position=pins), SolverSettings())
    assert np.linalg.norm(state.position - there, axis=1).max() < 0.03


# ---------------------------------------------------------------------------- soft bodies


def dropped(preset, geometry, seconds, height, **changes):
    """The state after a fall, and volume, width and lowest place of each frame."""
    builder = made("SOFT_BODY", geometry, PRESETS["SOFT_BODY"][preset].settings)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, geometry.positions[:, 2].min() - height))
    full = enclosed(geometry.positions - geometry.positions.mean(axis=0), geometry.triangles)
    volume, width, low = [], [], []

    def watch(state):
        x = state.position
        volume.append(enclosed(x - x.mean(axis=0), geometry.triangles) / full)
        width.append(np.ptp(x[:, 0]))
        low.append(x[:, 2].min())

    state = run(builder, seconds, watch=watch)
    return state, np.array(volume), np.array(width), np.array(low)


@pytest.mark.parametrize(("size", "fineness"), [(1.0, 1), (1.0, 2), (0.1, 2)])
def test_jelly_keeps_its_volume_wobbles_and_comes_to_rest(size, fineness):
    jelly = ball(fineness, size / 2)
    _, volume, width, _ = dropped("JELLY", jelly, 6.0 * np.sqrt(size), 0.5 * size)
    assert abs(volume - 1.0).max() < 0.02
    swings = np.diff(np.sign(width - width[-5:].mean()))[: len(width) * 2 // 3]
    assert np.count_nonzero(swings) >= 4
    assert width.max() > 1.05 * size
    assert np.ptp(width[-len(width) // 8 :]) < 0.01 * size


@pytest.mark.parametrize("fineness", [1, 2])
def test_presets_do_what_their_names_say(fineness):
    body = ball(fineness, 0.15)
    floor = -0.15 - 0.6
    bounce = {}
    for name in ("RUBBER", "CUSHION", "JELLY"):
        _, volume, _, low = dropped(name, body, 2.0, 0.6)
        hit = int(np.argmax(low < floor + 0.02))
        bounce[name] = (low[hit + 2 :].max() - floor) / 0.6
        assert volume.min() > 0.5
    assert 0.15 < bounce["RUBBER"] < 0.8
    assert bounce["CUSHION"] < 0.5 * bounce["RUBBER"]
    state, volume, _, _ = dropped("BALLOON", body, 2.0, 0.6)
    away = np.linalg.norm(state.position - state.position.mean(axis=0), axis=1)
    assert volume[-1] == pytest.approx(1.3, rel=0.03)
    assert np.ptp(away) < 0.2 * away.mean()


def test_a_bag_without_volume_collapses_and_one_with_does_not():
    def height(volume):
        settings = SoftBodySettings(stiffness=0.0, shape=0.0, bend=0.0, volume=volume, density=100)
        builder = made("SOFT_BODY", ball(2, 0.5), settings)
        builder.add_collider("floor", "PLANE", (), (0.0, 0.0, -0.5))
        return np.ptp(run(builder, 1.5).position[:, 2])

    assert height(0.0) < 0.6
    assert height(1.0) > height(0.0) + 0.15


def test_a_body_that_flies_and_spins_is_not_damped():
    body = ball(2, 0.5)
    settings = SoftBodySettings(shape=1.0, stiffness=1.0, damping=1.0, drag=0.0)
    velocity = np.cross((0.0, 0.0, 2.0), body.positions) + (1.0, 0.0, 0.0)
    builder = made("SOFT_BODY", body, settings, velocity=velocity)
    state = run(builder, 2.0, WEIGHTLESS)
    mass = builder.mass[:, None]
    step = state.position - state.previous
    assert (mass * step).sum(axis=0) * 480 == pytest.approx([mass.sum(), 0.0, 0.0], abs=1e-6)
    middle = state.position.mean(axis=0)
    spin = np.cross(state.position - middle, step)[:, 2].sum() * 480
    assert spin == pytest.approx(np.cross(body.positions, velocity)[:, 2].sum(), rel=0.02)


def test_a_long_body_bends_and_an_open_one_holds_its_volume():
    long = ball(3, 0.5)
    long = Geometry.of(
        "bar", long.positions * (1, 0.2, 0.2), (), long.face_offsets, long.face_vertices
    )
    pins = (long.positions[:, 0] < -0.4).astype(float)
    state = run(made("SOFT_BODY", long, SoftBodySettings(shape=0.5), pin_weight=pins), 2.0)
    assert state.position[:, 2].min() < -0.15
    cup = ball(2, 0.5)
    upper = cup.triangles[cup.positions[cup.triangles][:, :, 2].min(axis=1) > -0.3]
    used, corner = np.unique(upper, return_inverse=True)
    open_ball = Geometry.of(
        "cup", cup.positions[used], (), np.arange(len(upper) + 1) * 3, corner.reshape(-1)
    )
    state = run(made("SOFT_BODY", open_ball, SoftBodySettings()), 0.5)
    assert np.isfinite(state.position).all()


# ---------------------------------------------------------------------------- particles


def cloud(count, spread, seed=1):
    return np.random.default_rng(seed).uniform(-spread, spread, (count, 3))


def order(state):
    step = state.position - state.previous
    return np.linalg.norm((step / np.linalg.norm(step, axis=1, keepdims=True)).mean(axis=0))


def test_a_flock_flies_together_only_when_it_aligns():
    together = PRESETS["PARTICLES"]["FLOCK"].settings
    alone = ParticleSettings(
        **{
            **{n: getattr(together, n) for n in together.__dataclass_fields__},
            "alignment": 0.0,
            "cohesion": 0.0,
        }
    )
    birds = Geometry.of("birds", cloud(200, 3.0))
    assert order(run(made("PARTICLES", birds, together), 8.0)) > 0.9
    assert order(run(made("PARTICLES", birds, alone), 4.0)) < 0.3


@pytest.mark.parametrize("weight", [-0.5, 0.0, 0.3])
def test_particles_feel_their_share_of_gravity(weight):
    settings = ParticleSettings(weight=weight, drag=0.0)
    state = run(made("PARTICLES", Geometry.of("one", [(0, 0, 0)]), settings), 1.0)
    assert state.position[0, 2] == pytest.approx(-0.5 * 9.81 * weight, abs=1e-9)


def test_a_stream_carries_at_its_speed_and_balls_do_not_overlap():
    flow = PRESETS["PARTICLES"]["FLOW"].settings
    state = run(made("PARTICLES", Geometry.of("smoke", cloud(300, 2.0)), flow), 3.0)
    speed = np.linalg.norm(state.position - state.previous, axis=1) * 480
    assert np.sqrt((speed**2).mean()) == pytest.approx(flow.speed, rel=0.35)
    balls = PRESETS["PARTICLES"]["BALLS"].settings
    heap = np.stack(np.meshgrid(*[np.arange(3) * 0.13] * 3), axis=-1).reshape(-1, 3)
    builder = made("PARTICLES", Geometry.of("balls", heap + cloud(27, 0.01) + (0, 0, 0.3)), balls)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    x = run(builder, 5.0).position
    apart = np.linalg.norm(x[:, None] - x[None], axis=2)[np.triu_indices(27, 1)]
    assert apart.min() > 0.95 * 2 * balls.radius
    assert x[:, 2].min() > 0.95 * balls.radius


def test_a_block_of_balls_falls_into_a_heap():
    balls = PRESETS["PARTICLES"]["BALLS"].settings
    block = 0.145 * np.stack(np.meshgrid(range(5), range(5), range(1, 8)), axis=-1).reshape(-1, 3)
    builder = made("PARTICLES", Geometry.of("balls", block + cloud(175, 0.01)), balls)
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    x = run(builder, 4.0).position
    assert x[:, 2].max() < 8 * balls.radius  # four layers are left of seven


# ---------------------------------------------------------------------------- cloth


def sheet(n, extra=()):
    x, quads = cloth_grid(n)
    return Geometry.of("sheet", x, extra, np.arange(len(quads) + 1) * 4, quads.reshape(-1))


def test_rubber_sheets_stretch_alike_at_any_resolution():
    def lowest(n, stretch):
        settings = ClothSettings(stretch=stretch, drag=4.0, bend=0.0)
        pins = np.zeros(n * n)
        pins[-n:] = 1.0
        return -run(made("CLOTH", sheet(n), settings, pin_weight=pins), 5.0).position[:, 2].min()

    assert lowest(9, 1.0) > lowest(9, 0.0) + 0.08
    assert lowest(17, 1.0) == pytest.approx(lowest(9, 1.0), rel=0.03)


@pytest.mark.parametrize("meets_itself", [False, True])
def test_sewing_threads_close_at_their_speed(meets_itself):
    x, quads = cloth_grid(6)
    points = np.concatenate([x, x + (0.0, 0.0, 0.5)])
    faces = np.concatenate([quads, quads + 36])
    threads = [(k, k + 36) for k in range(6)]
    both = Geometry.of("sewn", points, threads, np.arange(len(faces) + 1) * 4, faces.reshape(-1))

    def gap(sewing):
        builder = made("CLOTH", both, ClothSettings(sewing=sewing, meets_itself=meets_itself))
        found = []
        run(
            builder, 1.0, WEIGHTLESS,
            watch=lambda s: found.append(
                np.linalg.norm(s.position[:6] - s.position[36:42], axis=1).max()
            ),
        )  # fmt: skip
        return found

    assert gap(1.0)[5] == pytest.approx(0.25, abs=0.02)
    assert gap(1.0)[-1] < 1e-3
    assert gap(0.0)[-1] == pytest.approx(0.5, abs=1e-3)


def test_folds_by_angle_keep_a_curved_shape():
    def opened(bend):
        flat = sheet(9)
        x = flat.positions
        x = 0.1 * np.stack([np.sin(x[:, 0]), x[:, 1], 1.0 - np.cos(x[:, 0])], axis=1)
        arch = Geometry.of("arch", x, (), flat.face_offsets, flat.face_vertices)
        push = np.stack([0.3 * np.sign(x[:, 0]), 0 * x[:, 1], 0 * x[:, 2]], axis=1)
        settings = ClothSettings(bend=bend, bend_model="DIHEDRAL", drag=6.0)
        state = run(made("CLOTH", arch, settings, velocity=push), 3.0, WEIGHTLESS)
        return np.ptp(state.position[:, 0]) / np.ptp(x[:, 0])

    assert opened(0.9) == pytest.approx(1.0, abs=0.05)
    assert opened(0.0) > 1.1


# ---------------------------------------------------------------------------- with each other


def test_a_rope_lies_across_another_and_a_sheet_carries_balls():
    low, high = line(20, 1.0) - (0.5, 0, 0), line(20, 1.0, (0, 1, 0)) - (0, 0.5, -0.3)
    builder = ModelBuilder()
    RECIPES["ROPE"](builder, chain(low), RopeSettings(bend=0.8), pin_weight=ends(21, 0, -1))
    RECIPES["ROPE"](builder, chain(high), RopeSettings(bend=0.8))
    x = run(builder, 1.5).position
    middle = np.abs(x[21:, :2]).sum(axis=1) < 0.04  # hangs down on both sides
    assert x[21:][middle, 2].min(initial=np.inf) > x[:21, 2].min() - 0.01
    assert x[21:, 2].max() > -0.2

    builder = ModelBuilder()
    n = 13
    held = np.zeros((n, n))
    held[[0, -1]] = held[:, [0, -1]] = 1.0
    RECIPES["CLOTH"](builder, sheet(n), ClothSettings(), pin_weight=held.reshape(-1))
    RECIPES["PARTICLES"](
        builder,
        Geometry.of("balls", np.random.default_rng(2).uniform(-0.6, 0.6, (12, 3)) + (0, 0, 1.0)),
        ParticleSettings(radius=0.03, mass=0.002),
    )
    x = run(builder, 2.0).position
    assert x[n * n :, 2].min() > -0.3


def test_far_objects_stay_out_of_the_grid_and_near_ones_come_in():
    from verlet_physics.particles.contacts.self_collision import SelfCollisionGrid

    def inside(gap):
        builder = ModelBuilder()
        for place in (0.0, 1.0 + gap):
            dust = Geometry.of("dust", line(20, 1.0) + (place, 0, 0))
            RECIPES["PARTICLES"](builder, dust, ParticleSettings(meets_itself=False))
        model = builder.finalize()
        grid = SelfCollisionGrid(model, model.self_collision.group)
        x = model.particles.position
        grid.find_near(model, x, x, 1 / 480, 20, 9.81 / 480**2)
        grid.choose(x)
        return len(grid.particles)

    assert inside(5.0) == 0
    assert 0 < inside(0.01) < 20


# ---------------------------------------------------------------------------- errors and rest


def test_bad_input_is_refused_with_the_objects_name_and_a_way_out():
    grid, quads = cloth_grid(4)
    flat = Geometry.of("page", grid, (), np.arange(len(quads) + 1) * 4, quads.reshape(-1))
    twisted = np.array([(0, 1, 2), (0, 1, 3), (1, 2, 3), (2, 0, 3)])
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    knot = Geometry.of("knot", corners, (), np.arange(5) * 3, twisted.reshape(-1))
    points = Geometry.of("dots", grid)
    wire = Geometry.of("wire", [(0, 0, 0), (0, 0, 0)], [(0, 1)])
    for kind, geometry, settings, about, words in (
        ("ROPE", points, RopeSettings(), {}, "connect"),
        ("ROPE", wire, RopeSettings(), {}, "Merge"),
        ("PLANT", points, PlantSettings(), {}, "add some"),
        ("SOFT_BODY", points, SoftBodySettings(), {}, "give it some"),
        ("SOFT_BODY", flat, SoftBodySettings(), {}, "Volume to 0"),
        ("SOFT_BODY", knot, SoftBodySettings(), {}, "Recalculate Outside"),
        ("PARTICLES", points, ParticleSettings(), {"paint": {"mass": np.zeros(16)}}, "mass"),
        ("ROPE", chain(line(3, 1)), RopeSettings(), {"pin_weight": [2, 0, 0, 0]}, "between"),
        ("ROPE", chain(line(3, 1)), RopeSettings(), {"paint": {"bend": [1.0]}}, "bend"),
    ):
        builder = ModelBuilder()
        with pytest.raises(ModelError, match=words) as caught:
            RECIPES[kind](builder, geometry, settings, **about)
        assert caught.value.object_name == geometry.name
        assert builder.particle_count == 0
    with pytest.raises(ModelError, match="vertex 1"):
        chain(np.array([(0, 0, 0), (np.nan, 0, 0)]))
    with pytest.raises(ModelError, match="no vertices"):
        Geometry.of("nothing", [])


@pytest.mark.parametrize("kind", sorted(RECIPES))
def test_everything_pinned_stands_still_and_every_preset_builds(kind):
    geometry = stem(6, 1.0) if kind == "ROPE" else ball(1, 0.5)
    for preset in PRESETS[kind].values():
        builder = made(kind, geometry, preset.settings, pin_weight=1.0)
        assert np.array_equal(run(builder, 0.2).position, geometry.positions)


def test_a_net_of_wires_alone_weighs_as_strips_as_wide_as_its_mean_edge():
    points = np.array([[0.0, 0.0, 0.0], [0.3, 0.0, 0.0], [0.4, 0.0, 0.0]])
    settings = ClothSettings(area_density=0.5)
    builder = made("CLOTH", Geometry.of("Net", points, [(0, 1), (1, 2)]), settings)
    width = 0.2  # m: mean of 0.3 and 0.1
    np.testing.assert_allclose(builder.mass, 0.5 * width * np.array([0.15, 0.2, 0.05]))


@pytest.mark.parametrize("place", [(0.0, 0.0, 0.85), (0.0, 0.003, 0.85), (0.0, 0.0, 0.8)])
def test_cloth_that_comes_down_level_stays_on_a_rail_between_its_vertices(place):
    """Over a level face any point of a triangle is nearest to it, one in its middle as well."""
    _, quads = cloth_grid(20)
    side = (np.arange(20) - 9.5) * 0.05
    x, y = (axis.ravel() for axis in np.meshgrid(side, side))
    points = np.stack([x, y, 0.0 * x], axis=1).astype(np.float32) + np.float32(place)  # as meshes
    towel = Geometry.of("towel", points, (), np.arange(len(quads) + 1) * 4, quads.reshape(-1))
    builder = made("CLOTH", towel, ClothSettings())
    builder.add_collider("rail", "BOX", (0.02, 0.75, 0.02), (0.0, 0.0, 0.7))
    highest = []
    run(builder, 1.0, watch=lambda state: highest.append(state.position[:, 2].max()))
    assert min(highest) > 0.72
