"""Force fields against the formulas that they are documented with."""

import json
import math
import os
import subprocess
import sys

import numpy as np
import pytest

from verlet_physics import FrameInputs, ModelBuilder, ModelError, SolverSettings, advance
from verlet_physics.forces.curl_noise import curl_noise
from verlet_physics.kernels import jit
from verlet_physics.model.field import Field
from verlet_physics.particles.particle_bodies.four_particles import body_poses
from verlet_physics.settings import AnimatedSettings
from verlet_physics.vector import rotation_matrix

HOLD = 1 / 120
NO_GRAVITY = (0.0, 0.0, 0.0)
TILTED = (0.8, 0.4, -0.2, 0.3)


def field(kind, **about):
    return Field("field", kind, **about)


def particles(positions, velocity=0.0, mass=1.0):
    builder = ModelBuilder()
    builder.add_particles("p", positions, mass=mass, velocity=velocity)
    return builder.finalize()


def accelerations(given, x, v=0.0, mass=1.0):
    """What the fields do to particles at x (n, 3) with velocities v, m/s²."""
    h = 1 / 480
    model = particles(x, v, mass)
    state = model.initial_state(gravity=NO_GRAVITY, step=h)
    inputs = FrameInputs(duration=h, gravity=NO_GRAVITY, fields=given)
    end, _ = advance(model, state, inputs, SolverSettings())
    # the first step goes ½·a·h² beyond what x* says
    return 2 * (end.position - 2 * state.position + state.previous) / h**2


def run(model, seconds, fields, gravity=NO_GRAVITY, rate=480.0, fps=24, **inputs):
    state = model.initial_state(gravity=gravity, step=1 / rate)
    for _ in range(round(fps * seconds)):
        state, _ = advance(
            model,
            state,
            FrameInputs(duration=1 / fps, gravity=gravity, fields=fields, **inputs),
            SolverSettings(substep_rate=rate),
        )
    return state


def velocity_of(state):
    return (state.position - state.previous) / state.step


def formula(f, p, v):
    """Blender's effect.cc for a particle of 1 kg, written down anew: (acceleration, drag 1/s)."""
    q = np.array(f.orientation) / np.linalg.norm(f.orientation)
    n = rotation_matrix(q)[:, 2]
    centre = p - np.array(f.position)
    along = centre @ n
    if (f.side == "POSITIVE" and along < 0) or (f.side == "NEGATIVE" and along > 0):
        return np.zeros(3), 0.0
    offset = centre
    if f.shape == "LINE" or (f.shape == "PLANE" and f.kind == "VORTEX"):
        offset = centre - along * n
    elif f.shape == "PLANE":
        offset = along * n
    r = np.linalg.norm(offset)

    def share(d, near, far, power):
        if far is not None and d > far:
            return 0.0
        return 1.0 if d < near else (1.0 + d - near) ** -power

    if f.falloff == "SPHERE":
        fall = share(r, f.distance_min, f.distance_max, f.power)
    else:
        fall = share(abs(along), f.distance_min, f.distance_max, f.power)
        radial = np.linalg.norm(centre - along * n)
        if f.falloff == "CONE":
            radial = math.degrees(math.acos(along / np.linalg.norm(centre)))
        fall *= share(radial, f.radial_min, f.radial_max, f.radial_power)
    if fall == 0.0:
        return np.zeros(3), 0.0
    s = f.strength * fall
    match f.kind:
        case "WIND":
            return s * n, f.flow * fall
        case "FORCE":
            return s * offset / r / (r * r if f.inverse_square else 1.0), f.flow * fall
        case "VORTEX" if f.shape == "POINT":
            turn = np.cross(n, offset)
            return s * r * turn / np.linalg.norm(turn), f.flow * fall
        case "VORTEX":
            turn = s * np.cross(n, centre)
            return turn + s * np.cross(n, turn), 1.0 + f.flow * fall
        case "DRAG":
            return np.zeros(3), fall * (f.linear_drag + f.quadratic_drag * np.linalg.norm(v))


LOOKS = (
    {},
    {"power": 2.0},
    {"power": 1.5, "distance_min": 0.7, "distance_max": 2.5},
    {"side": "POSITIVE"},
    {"side": "NEGATIVE", "power": 1.0},
    {"shape": "LINE", "power": 1.0},
    {"shape": "PLANE", "power": 1.0, "distance_max": 1.0},
    {"falloff": "TUBE", "power": 1.0, "radial_power": 2.0, "radial_min": 0.5, "radial_max": 2.0},
    {"falloff": "TUBE", "distance_min": 0.5, "power": 3.0},
    {"falloff": "CONE", "power": 1.0, "radial_power": 0.5, "radial_min": 30.0, "radial_max": 100.0},
    {"flow": 3.0, "power": 1.0},
)


@pytest.mark.parametrize("look", LOOKS, ids=str)
@pytest.mark.parametrize("kind", ["WIND", "FORCE", "VORTEX", "DRAG"])
def test_a_field_does_what_blenders_formula_says(kind, look):
    f = field(
        kind, position=(0.3, -0.2, 0.5), orientation=TILTED, strength=2.5,
        linear_drag=1.5 if kind == "DRAG" else 0.0, **look,
    )  # fmt: skip
    random = np.random.default_rng(3)
    x = random.uniform(-2, 2, (60, 3))
    v = random.uniform(-1, 1, (60, 3))
    found = accelerations((f,), x, v)
    for p, u, a in zip(x, v, found):
        expected, c = formula(f, p, u)
        phi = (1 - math.exp(-c * HOLD)) / (c * HOLD) if c else 1.0
        assert a == pytest.approx((expected - c * u) * phi, abs=1e-8)


def test_attraction_by_the_inverse_square():
    f = field("FORCE", strength=-9.0, inverse_square=True)
    assert accelerations((f,), [(0, 3, 0)])[0] == pytest.approx((0, -1, 0), abs=1e-9)


def test_at_its_very_centre_a_field_leaves_everything_finite():
    for kind in ("FORCE", "VORTEX", "EXPLOSION", "TURBULENCE", "CURL_NOISE"):
        for shape in ("POINT", "LINE", "PLANE"):
            for falloff in ("SPHERE", "TUBE", "CONE"):
                f = field(kind, shape=shape, falloff=falloff, power=2.0, inverse_square=True)
                assert np.isfinite(accelerations((f,), [(0, 0, 0)])).all()


def test_fields_add_up_and_mass_does_not_matter():
    x = [(1, 2, 3), (1, 2, 3)]
    both = (field("WIND", strength=2.0), field("FORCE", strength=3.0))
    a = accelerations(both, x, mass=[0.01, 50.0])
    alone = [accelerations((one,), x)[0] for one in both]
    assert a[0] == pytest.approx(sum(alone), abs=1e-9)
    assert a[1] == pytest.approx(a[0], abs=1e-9)


@pytest.mark.parametrize("flow", [0.5, 3.0, 40.0])
def test_with_flow_everything_ends_up_as_fast_as_the_air(flow):
    state = run(particles([(0, 0, 0)]), 40.0 / min(flow, 10.0), (field("WIND", flow=flow),))
    assert velocity_of(state)[0] == pytest.approx((0, 0, 1 / flow), rel=1e-6)


@pytest.mark.parametrize(
    ("drag", "exact"),
    [({"linear_drag": 1.5}, 9.81 / 1.5), ({"quadratic_drag": 0.4}, math.sqrt(9.81 / 0.4))],
)
def test_a_falling_particle_reaches_its_end_speed(drag, exact):
    state = run(particles([(0, 0, 0)]), 15, (field("DRAG", **drag),), (0, 0, -9.81))
    assert velocity_of(state)[0, 2] == pytest.approx(-exact, rel=1e-6)


def test_drag_slows_down_as_the_differential_equation_says():
    model = particles([(0, 0, 0)], (3.0, 0, 0))
    for drag, exact in (
        ({"linear_drag": 2.0}, 3 * math.exp(-2.0)),
        ({"quadratic_drag": 1.0}, 3 / (1 + 3)),
    ):
        v = velocity_of(run(model, 1.0, (field("DRAG", **drag),)))[0, 0]
        assert v == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize("drag", [{"linear_drag": 1e5}, {"quadratic_drag": 1e6}])
def test_the_strongest_drag_stops_and_never_throws_back(drag):
    model = particles([(0, 0, 0)], (3.0, 0, 0))
    state = model.initial_state(gravity=NO_GRAVITY)
    inputs = FrameInputs(duration=1 / 120, gravity=NO_GRAVITY, fields=(field("DRAG", **drag),))
    for _ in range(50):
        state, _ = advance(model, state, inputs, SolverSettings())
        assert 0.0 <= velocity_of(state)[0, 0] + 1e-12 <= 3.0


def test_a_vortex_turns_the_right_way_round():
    a = accelerations((field("VORTEX", shape="POINT"),), [(1, 0, 0)])[0]
    assert a == pytest.approx((0, 1, 0), abs=1e-9)
    state = run(particles([(1, 0, 0)]), 5, (field("VORTEX", shape="PLANE", strength=2.0),))
    v = velocity_of(state)[0]
    assert np.cross(state.position[0], v)[2] > 0


BODIES = pytest.mark.parametrize("kind", ["QUATERNION", "TETRAHEDRON", "AXES"])


@BODIES
def test_a_body_flies_like_a_particle(kind):
    builder = ModelBuilder()
    builder.add_particles("p", [(0, 0, 0)], mass=3.0)
    builder.add_body("b", "BOX", (0.2, 0.3, 0.1), (5, 0, 0), mass=7.0, model=kind)
    model = builder.finalize()
    wind = (field("WIND", strength=4.0, orientation=TILTED, flow=1.0),)
    state = run(model, 1.0, wind)
    centre, turned = body_poses(model, state)
    assert centre[0] - (5, 0, 0) == pytest.approx(state.position[0], abs=1e-9)
    assert abs(turned[0, 0]) == pytest.approx(1.0, abs=1e-9)


def test_the_factor_of_an_object_weakens_or_switches_off():
    builder = ModelBuilder()
    for name in "abc":
        builder.add_particles(name, [(0, 0, 0)], mass=1.0)
    model = builder.finalize()
    animated = tuple(AnimatedSettings(fields=factor) for factor in (1.0, 0.25, 0.0))
    for kind in ("WIND", "HIT"):
        z = run(model, 1.0, (field(kind, time=0.2),), animated=animated).position[:, 2]
        assert z[1] == pytest.approx(0.25 * z[0])
        assert z[2] == 0.0


def test_a_field_that_does_not_affect_location_does_nothing():
    state = run(particles([(1, 0, 0)]), 0.5, (field("FORCE", affects_location=False),))
    assert (state.position == [(1, 0, 0)]).all()


# ---------------------------------------------------------------------------- impulses


@pytest.mark.parametrize("rate", [24.0, 120.0, 480.0, 1920.0])
@pytest.mark.parametrize("fps", [24, 30])
def test_an_explosion_gives_the_same_path_at_any_substep_rate(rate, fps):
    x = np.array([(1.0, 0, 0), (0, -2.0, 0), (0, 0.5, 0.5)])
    blast = (field("EXPLOSION", strength=3.0, time=0.3171),)
    state = run(particles(x), 1.0, blast, rate=rate, fps=fps)
    distance = np.linalg.norm(x, axis=1)[:, None]
    speed = 3.0 / distance**2 * x / distance
    assert velocity_of(state) == pytest.approx(speed, abs=1e-9)
    assert state.position == pytest.approx(x + speed * (1.0 - 0.3171), abs=1e-9)


def test_in_free_flight_too():
    v = np.array([0.4, 1.0, 2.0])
    ends = [
        run(
            particles([(0, 1, 0)], v), 0.5, (field("HIT", strength=5.0, time=0.211),),
            (0, 0, -9.81), rate,
        ).position[0]
        for rate in (96.0, 960.0)
    ]  # fmt: skip
    exact = (0.2, 1.5, 1.0 - 0.5 * 9.81 * 0.25 + 5.0 * (0.5 - 0.211))
    assert ends[0] == pytest.approx(exact, abs=1e-9)
    assert ends[1] == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("frame", [0, 1, 5, 7])
def test_a_moment_on_the_edge_of_a_frame_counts_once(frame):
    time = 0.0
    for _ in range(frame):
        time += 1 / 24
    state = run(particles([(0, 0, 0)]), 1.0, (field("HIT", time=time),))
    assert velocity_of(state)[0, 2] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("frame", [1, 2, 3, 9])
def test_a_moment_just_before_the_edge_of_a_frame_counts_too(frame):
    time = 0.0
    for _ in range(frame):
        time += 1 / 24
    time = math.nextafter(time, 0.0)
    state = run(particles([(0, 0, 0)]), 1.0, (field("HIT", time=time),))
    assert velocity_of(state)[0, 2] == pytest.approx(1.0, abs=1e-12)


def test_a_moment_that_rounds_to_the_end_of_its_frame_counts_in_the_last_substep():
    duration, substeps = 0.04645404145915617, 18
    time = math.nextafter(duration, 0.0)
    assert int(time / (duration / substeps)) == substeps  # or this tests nothing
    hit = (field("HIT", time=time),)
    state = run(particles([(0, 0, 0)]), 0.2, hit, rate=substeps / duration, fps=1 / duration)
    assert velocity_of(state)[0, 2] == pytest.approx(1.0, abs=1e-12)


def test_near_its_centre_an_explosion_is_finite_and_far_away_it_ends():
    blast = field("EXPLOSION", strength=1.0, distance_min=0.5, distance_max=2.0)
    v = velocity_of(run(particles([(0.1, 0, 0), (0, 0, 0), (2.1, 0, 0)]), 0.1, (blast,)))
    assert v[0] == pytest.approx((4, 0, 0))
    assert v[1] == pytest.approx((0, 0, 4))
    assert (v[2] == 0).all()


def test_a_hit_reaches_what_is_within_its_radius_and_no_pin():
    builder = ModelBuilder()
    builder.add_particles("p", [(0, 0, 0), (0.9, 0, 0), (1.1, 0, 0), (0, 0.1, 0)], mass=1.0)
    builder.pin([3])
    hit = field("HIT", strength=2.0, distance_max=1.0, orientation=(1, 0, 1, 0))  # Z to X
    v = velocity_of(run(builder.finalize(), 0.1, (hit,)))
    assert v[:2] == pytest.approx(np.array([(2, 0, 0), (2, 0, 0)]))
    assert (v[2:] == 0).all()


@BODIES
def test_a_body_that_is_hit_off_its_centre_spins(kind):
    builder = ModelBuilder()
    builder.add_body("b", "BOX", (0.5, 0.1, 0.1), (0, 0, 0), mass=1.0, model=kind)
    model = builder.finalize()
    state = run(model, 0.2, (field("HIT", position=(0.4, 0, 0), distance_max=0.5),))
    centre, turned = body_poses(model, state)
    assert centre[0, 2] > 0.05
    assert abs(turned[0, 2]) > 0.02


# ---------------------------------------------------------------------------- noise and eddies


def test_noise_is_the_same_on_every_run_and_another_one_for_another_seed():
    x = np.random.default_rng(1).uniform(-1, 1, (200, 3))
    ends = [
        run(particles(x), 0.5, (field("WIND", strength=0.0, noise=2.0, seed=seed),)).position
        for seed in (3, 3, 4)
    ]
    assert ends[0].tobytes() == ends[1].tobytes()
    assert not np.allclose(ends[0], ends[2])
    a = accelerations((field("WIND", strength=0.0, noise=2.0),), x)[:, 2]
    assert np.abs(a).max() <= 2.0
    assert abs(a.mean()) < 0.3
    assert a.std() == pytest.approx(2 / math.sqrt(3), rel=0.1)


@pytest.mark.parametrize("octaves", [1, 3])
def test_curl_noise_has_the_promised_mean_speed(octaves):
    points = np.random.default_rng(2).uniform(-300, 300, (20_000, 3))
    u = np.array([curl_noise(p, 5, 2.0, octaves, 0.0) for p in points])
    assert math.sqrt((u**2).sum(axis=1).mean()) == pytest.approx(1.0, rel=0.01)
    assert np.abs(u.mean(axis=0)).max() < 0.02
    moving = np.array([curl_noise(p, 5, 2.0, octaves, 3.5) for p in points])
    assert math.sqrt((moving**2).sum(axis=1).mean()) == pytest.approx(1.0, rel=0.01)


def test_curl_noise_changes_steadily_with_place_and_time():
    def at(p, age):
        return np.array(curl_noise(p, 1, 1.0, 2, age))

    p = np.array([1.0, -2.0, 3.0])  # on the corner of cells, at the change of two ticks
    for step in (1e-3, 1e-5):
        for near in (at(p + step, 2.0), at(p - step, 2.0), at(p, 2.0 - step), at(p, 2.0 + step)):
            assert np.abs(near - at(p, 2.0)).max() < 20 * step
    assert np.abs(at(p, 2.5) - at(p, 0.0)).max() > 0.05
    assert not np.allclose(at(p, 0.0), curl_noise(p, 2, 1.0, 2, 0.0))
    assert np.isfinite(at(1e15 * p, 1e15)).all()


def test_curl_noise_drags_particles_along():
    x = np.random.default_rng(5).uniform(-3, 3, (20, 3))
    state = run(particles(x), 1.0, (field("CURL_NOISE", strength=0.01, flow=50.0, size=2.0),))
    u = np.array([curl_noise(p, 0, 2.0, 2, 0.0) for p in state.position])
    assert velocity_of(state) == pytest.approx(0.01 * u, abs=1e-4)


def test_eddies_move_with_their_field_unless_they_are_global():
    x = np.array([(0.3, 0.4, 0.5)])
    here = accelerations((field("TURBULENCE"),), x)
    there = field("TURBULENCE", position=(10, 0, 0))
    assert accelerations((there,), x + (10, 0, 0)) == pytest.approx(here, abs=1e-8)
    fixed = field("TURBULENCE", position=(10, 0, 0), is_global=True)
    assert accelerations((fixed,), x) == pytest.approx(here, abs=1e-8)


PLAIN = """
import json
import numpy as np
from verlet_physics import FrameInputs, ModelBuilder, SolverSettings, WindSettings, advance
from verlet_physics.kernels import jit
from verlet_physics.model.field import Field
from verlet_physics.forces.flock import Flock
random = np.random.default_rng(8)
builder = ModelBuilder()
x = random.uniform(-1, 1, (12, 3))
builder.add_particles("p", x, mass=1.0, velocity=random.uniform(-1, 1, (12, 3)))
builder.add_triangles(np.array([(0, 1, 2)]))
builder.add_wires([(3, 4)], 0.05)
builder.add_force(Flock(0, np.arange(6, 12)))
model = builder.finalize()
fields = [
    Field(kind, kind, flow=0.3, noise=0.1, linear_drag=0.2, quadratic_drag=0.1, power=1.0, seed=-3,
          surface=0.5, falloff=falloff, shape="PLANE", speed=0.7, time=0.05)
    for falloff in ("SPHERE", "TUBE", "CONE")
    for kind in ("WIND", "FORCE", "VORTEX", "TURBULENCE", "DRAG", "EXPLOSION", "HIT")
]
state = model.initial_state()
for _ in range(4):
    state, _ = advance(
        model, state, FrameInputs(fields=tuple(fields), wind=WindSettings(velocity=(2, 0, 0))),
        SolverSettings(substep_rate=120.0),
    )
print(json.dumps([jit.compiled, state.position.tolist()]))
"""


@pytest.mark.skipif(not jit.compiled, reason="needs Numba to compare with")
def test_plain_python_agrees_with_compiled_code():
    ends = []
    for plain in ("", "1"):
        done = subprocess.run(
            [sys.executable, "-c", PLAIN],
            env={**os.environ, "VERLET_NO_NUMBA": plain},
            capture_output=True,
            text=True,
            check=True,
        )
        compiled, position = json.loads(done.stdout)
        assert compiled is not bool(plain)
        ends.append(np.array(position))
    assert ends[0] == pytest.approx(ends[1], abs=1e-9)


# ---------------------------------------------------------------------------- surfaces


def test_across_a_surface_only_its_normal_part_acts():
    builder = ModelBuilder()
    x = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (5, 5, 5)], float)
    builder.add_particles("sheet", x, mass=0.1)
    builder.add_triangles(np.array([(0, 1, 2), (0, 2, 3)]))
    model = builder.finalize()
    slanted = (math.cos(math.pi / 8), 0, math.sin(math.pi / 8), 0)  # Z to 45° between X and Z
    for share in (1.0, 0.5):
        wind = field("WIND", strength=2.0, orientation=slanted, surface=share)
        v = velocity_of(run(model, 0.1, (wind,)))
        assert v[:4, 0] == pytest.approx((1 - share) * v[4, 0], abs=1e-9)
        assert v[:4, 2] == pytest.approx(v[4, 2])  # the loose particle feels all of it
        assert v[4, 0] == pytest.approx(v[4, 2])


def test_across_a_surface_that_stands_askew():
    builder = ModelBuilder()
    x = np.array([(0.1, 0.2, 0.3), (1.0, 0.3, -0.4), (0.2, 1.5, 0.9)])
    builder.add_particles("sheet", x, mass=0.1)
    builder.add_triangles(np.array([(0, 1, 2)]))
    normal = np.cross(x[1] - x[0], x[2] - x[0])
    normal /= np.linalg.norm(normal)
    wind = field("WIND", strength=2.0, orientation=TILTED, surface=1.0)
    way = run(builder.finalize(), 0.5, (wind,)).position - x  # ½·2·0.5² of the push
    direction = rotation_matrix(np.array(TILTED) / np.linalg.norm(TILTED))[:, 2]
    assert way == pytest.approx(np.tile(0.25 * (direction @ normal) * normal, (3, 1)), rel=1e-6)


def test_flow_across_a_surface_carries_it_at_the_speed_of_the_air():
    builder = ModelBuilder()
    builder.add_particles("sheet", [(0, 0, 0), (1, 0, 0), (1, 1, 0)], mass=0.1)
    builder.add_triangles(np.array([(0, 1, 2)]))
    v = velocity_of(run(builder.finalize(), 10, (field("WIND", flow=2.0, surface=1.0),)))
    assert v == pytest.approx(np.broadcast_to((0, 0, 0.5), (3, 3)), abs=1e-6)


# ---------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    "about",
    [
        {"strength": math.nan},
        {"position": (0.0, math.inf, 0.0)},
        {"orientation": (math.nan, 0, 0, 0)},
        {"orientation": (0, 0, 0, 0)},
        {"distance_max": math.inf},
        {"distance_min": -1.0},
        {"time": math.nan},
        {"octaves": 0},
        {"shape": "SURFACE"},
        {"falloff": "BOX"},
        {"side": "LEFT"},
    ],
    ids=str,
)
def test_bad_numbers_name_the_field(about):
    with pytest.raises(ModelError, match="Gale") as caught:
        Field("Gale", "WIND", **about)
    assert caught.value.object_name == "Gale"


def test_unknown_kinds_are_refused_and_the_known_ones_listed():
    with pytest.raises(ModelError, match="VORTEX"):
        Field("Gale", "MAGNET")
