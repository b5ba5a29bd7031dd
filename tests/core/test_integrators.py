"""Each integrator against its formula in NumPy, and against what it promises."""

import math

import numpy as np
import pytest

from verlet_physics import (
    FrameCache,
    FrameInputs,
    ModelBuilder,
    ModelError,
    SimulationDiverged,
    SolverSettings,
    advance,
)
from verlet_physics.bench.scenes import add_sheet
from verlet_physics.forces.spring import SpringSystem
from verlet_physics.kernels import jit
from verlet_physics.particles.integrators.carries import CARRIES, left_out
from verlet_physics.particles.integrators.implicit import solve_backward_euler
from verlet_physics.settings import INTEGRATORS
from verlet_physics.truth.integrators import damped_net

KINDS = [identifier for identifier, _, _ in INTEGRATORS]
BY_FORCES = [kind for kind in KINDS if SolverSettings(integrator=kind).is_force_based]
HALF_STEP = ("POSITION_VERLET", "TIME_CORRECTED", "LEAPFROG")
G = np.array((0.0, 0.0, -9.81))
WEIGHTLESS = (0.0, 0.0, 0.0)
H = 1 / 100


def net(drag=0.3):
    """A pin, and four unlike masses that hang on it and on each other by damped springs."""
    random = np.random.default_rng(5)
    builder = ModelBuilder()
    builder.add_particles(
        "net",
        random.normal(0.0, 1.0, (5, 3)),
        mass=random.uniform(0.5, 2.0, 5),
        velocity=random.normal(0.0, 1.0, (5, 3)),
        drag=drag,
    )
    builder.pin([0])
    pairs = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 1), (0, 3)]
    builder.add_springs(pairs, [50, 80, 20, 40, 60, 30], 0.9, damping=[1, 0, 2, 0.5, 1, 3])
    return builder.finalize()


def forces(model, x, v):
    """(force (n, 3), K (3n, 3n), D (3n, 3n)) of the springs, weight and drag, written out."""
    n = len(x)
    f = model.particles.mass[:, None] * (G - model.particles.drag[:, None] * v)
    stiff = np.zeros((n, 3, n, 3))
    damp = np.zeros((n, 3, n, 3))
    for (a, b), rest, compliance, c in zip(
        model.springs.pair,
        model.springs.rest_length,
        model.springs.compliance,
        model.springs.damping,
    ):
        k = 1.0 / compliance
        length = np.linalg.norm(x[b] - x[a])
        u = (x[b] - x[a]) / length
        pull = (k * (length - rest) + c * (v[b] - v[a]) @ u) * u
        f[a] += pull
        f[b] -= pull
        along = np.outer(u, u)
        block = k * (along + max(0.0, 1.0 - rest / length) * (np.eye(3) - along))
        for p, q, sign in ((a, a, -1), (b, b, -1), (a, b, 1), (b, a, 1)):
            stiff[p, :, q, :] += sign * block
            damp[p, :, q, :] += sign * c * along
    for i in range(n):
        damp[i, :, i, :] -= np.eye(3) * model.particles.mass[i] * model.particles.drag[i]
    return f, stiff.reshape(3 * n, 3 * n), damp.reshape(3 * n, 3 * n)


def reference_step(kind, model, x, v, h):
    """One step of the textbook formula; v of half a step before for leapfrog."""
    free = model.particles.inverse_mass > 0.0

    def a(x, v):
        return np.where(free[:, None], forces(model, x, v)[0] / model.particles.mass[:, None], 0.0)

    if kind == "EXPLICIT_EULER":
        return x + h * v, v + h * a(x, v)
    if kind == "SYMPLECTIC_EULER":
        v = v + h * a(x, v)
        return x + h * v, v
    if kind == "MIDPOINT":
        xm, vm = x + h / 2 * v, v + h / 2 * a(x, v)
        return x + h * vm, v + h * a(xm, vm)
    if kind == "TRAPEZOID":
        xe, ve = x + h * v, v + h * a(x, v)
        return x + h / 2 * (v + ve), v + h / 2 * (a(x, v) + a(xe, ve))
    if kind == "VELOCITY_VERLET":
        xn = x + h * v + h * h / 2 * a(x, v)
        return xn, v + h / 2 * (a(x, v) + a(xn, v + h * a(x, v)))
    if kind == "LEAPFROG":
        v = v + h * a(x, v + h / 2 * a(x, v))
        return x + h * v, v
    assert kind == "IMPLICIT_EULER"
    f, stiff, damp = forces(model, x, v)
    mass = np.diag(np.repeat(model.particles.mass, 3))
    rows = np.repeat(free, 3)
    matrix = (mass - h * damp - h * h * stiff)[np.ix_(rows, rows)]
    right = h * (f.ravel() + h * stiff @ v.ravel())[rows]
    change = np.zeros(3 * len(x))
    change[rows] = np.linalg.solve(matrix, right)
    v = v + change.reshape(x.shape)
    return x + h * v, v


@pytest.mark.parametrize("kind", BY_FORCES)
def test_three_steps_agree_with_the_formula(kind):
    model = net()
    state = model.initial_state()  # laid out for another step: the start must be exact all the same
    x, v = (
        model.particles.position,
        model.particles.velocity * (model.particles.inverse_mass > 0.0)[:, None],
    )
    if kind == "LEAPFROG":
        f = forces(model, x, v)[0] / model.particles.mass[:, None]
        v = v - H / 2 * np.where((model.particles.inverse_mass > 0.0)[:, None], f, 0.0)
    for _ in range(3):
        state, _ = advance(
            model, state, FrameInputs(duration=H), SolverSettings(integrator=kind, substep_rate=100)
        )
        x, v = reference_step(kind, model, x, v, H)
        assert np.allclose(state.position, x, rtol=0, atol=1e-9)
        free = model.particles.inverse_mass > 0.0
        moved = (state.position - state.previous) / state.step
        assert np.allclose(moved[free], v[free], rtol=0, atol=1e-9)


def test_position_verlet_with_springs_as_forces_is_leapfrog():
    model = net(drag=0.0)
    ends = []
    for settings in (
        SolverSettings(integrator="LEAPFROG"),
        SolverSettings(spring_form="FORCE"),
        SolverSettings(integrator="TIME_CORRECTED", spring_form="FORCE"),
    ):
        state = model.initial_state()
        for _ in range(5):
            state, figures = advance(model, state, FrameInputs(), settings)
        ends.append((state.position, figures.kinetic_energy))
    assert np.allclose(ends[0][0], ends[1][0], atol=1e-12)
    assert np.array_equal(ends[1][0], ends[2][0])
    assert ends[0][1] == pytest.approx(ends[1][1], rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_kinetic_energy_is_that_of_the_place_at_the_end(kind):
    """A spring let go: kinetic and elastic energy add up to what was put in, to second order."""
    builder = ModelBuilder()
    builder.add_particles("spring", [(0, 0, 0), (1.2, 0, 0)], mass=2.0)
    builder.pin([0])
    builder.add_springs([[0, 1]], 80.0, 1.0)
    model = builder.finalize()
    state = model.initial_state(gravity=WEIGHTLESS)
    settings = SolverSettings(integrator=kind, spring_form="FORCE", substep_rate=9600)
    error = 0.0
    for _ in range(24):
        state, figures = advance(model, state, FrameInputs(gravity=WEIGHTLESS), settings)
        error = max(error, abs(figures.kinetic_energy + figures.elastic_energy - 1.6))
    first_order = kind in ("EXPLICIT_EULER", "IMPLICIT_EULER", "SYMPLECTIC_EULER")
    assert error < (1e-2 if first_order else 1e-6)


@pytest.mark.parametrize("settings", [
    *({"integrator": kind, "spring_form": "FORCE"} for kind in KINDS), {}], ids=str)  # fmt: skip
def test_a_damped_spring_dies_away_as_its_damper_says(settings):
    builder = ModelBuilder()
    builder.add_particles("damped", [(0, 0, 0), (1.1, 0, 0)], mass=[1.0, 3.0])
    builder.add_springs([[0, 1]], 60.0, 1.0, damping=1.5)
    model = builder.finalize()
    reduced = 0.75
    decay = 1.5 / (2 * reduced)
    turn = math.sqrt(60.0 / reduced - decay**2)
    state = model.initial_state(gravity=WEIGHTLESS)
    inputs = FrameInputs(duration=2 * math.pi / turn, gravity=WEIGHTLESS)
    for _ in range(2):
        state, _ = advance(model, state, inputs, SolverSettings(substep_rate=20_000, **settings))
    left = np.linalg.norm(state.position[1] - state.position[0]) - 1.0
    assert left == pytest.approx(0.1 * math.exp(-decay * state.time), rel=0.01)


@pytest.mark.parametrize("damping", [1.0, 1e3, 1e9])
def test_dampers_of_compliant_springs_are_stable_and_leave_rest_alone(damping):
    """A weight hangs m g/k lower than its rest length, whatever the damper."""
    builder = ModelBuilder()
    builder.add_particles("weight", [(0, 0, 0), (0, 0, -1), (0, 0, -2)], mass=2.0, drag=2.0)
    builder.pin([0])
    place = [1 + 2 * 2 * 9.81 / 500, 1 + 2 * 9.81 / 500]
    builder.add_springs([[0, 1], [1, 2]], 500.0, 1.0, damping=damping)
    model = builder.finalize()
    state = model.initial_state()
    if damping > 1.0:  # so slow that it must start where it ends
        state.position[1:, 2] = -np.cumsum(place)
        state.previous = state.position.copy()
    for _ in range(240):
        state, _ = advance(model, state, FrameInputs(), SolverSettings())
    assert np.allclose(-state.position[1:, 2], np.cumsum(place), rtol=1e-3)
    assert np.abs(state.position - state.previous).max() < 1e-5 * state.step


def test_dampers_of_compliant_springs_keep_angular_momentum():
    model = damped_net()
    state = model.initial_state(gravity=WEIGHTLESS)

    def angular(state):
        momentum = model.particles.mass[:, None] * (state.position - state.previous)
        return np.cross(state.position, momentum).sum(axis=0) / state.step

    start = angular(state)
    for _ in range(48):
        state, _ = advance(model, state, FrameInputs(gravity=WEIGHTLESS), SolverSettings())
    assert np.linalg.norm(angular(state) - start) < 1e-6 * np.linalg.norm(start)


def sheet_on_a_ball():
    builder = ModelBuilder()
    add_sheet(builder, 10, height=0.6)
    builder.add_collider("ball", "SPHERE", (0.5,), (0.0, 0.0, 0.0))
    return builder.finalize()


@pytest.mark.skipif(not jit.compiled, reason="threads need Numba")
@pytest.mark.parametrize("kind", KINDS)
def test_one_thread_and_two_give_the_same_bits(kind):
    model = sheet_on_a_ball()
    ends = []
    for threads in (1, 2):
        state = model.initial_state()
        settings = SolverSettings(integrator=kind, threads=threads, edge_stiffness=20.0,
                                  spring_form="FORCE", substep_rate=2400)  # fmt: skip
        for _ in range(6):
            state, _ = advance(model, state, FrameInputs(), settings)
        ends.append(state.position.tobytes() + state.previous.tobytes())
    assert ends[0] == ends[1]


@pytest.mark.parametrize("kind", KINDS)
def test_resuming_from_a_file_gives_the_same_bits(kind, tmp_path):
    model = net()
    settings = SolverSettings(integrator=kind, spring_form="FORCE")
    state = model.initial_state()
    cache = FrameCache(model)
    for frame in range(10):
        state, _ = advance(model, state, FrameInputs(), settings)
        if frame == 4:
            cache.store(state)
            cache.save(tmp_path / "run.npz")
    cache = FrameCache(model)
    cache.load(tmp_path / "run.npz")
    again = cache[5]
    for _ in range(5):
        again, _ = advance(model, again, FrameInputs(), settings)
    assert again.position.tobytes() == state.position.tobytes()
    assert again.previous.tobytes() == state.previous.tobytes()


@pytest.mark.parametrize("stiffness", [1e2, 1e5, 1e8])
def test_conjugate_gradients_solve_the_system(stiffness):
    """Their own residual, and the momentum that a free net must not gain."""
    random = np.random.default_rng(2)
    n, count = 40, 120
    x, v = random.normal(size=(n, 3)), random.normal(size=(n, 3))
    ends = random.integers(0, n, count)
    pairs = np.stack([ends, (ends + random.integers(1, n, count)) % n], axis=1).astype(np.int32)
    mass = random.uniform(0.1, 5.0, n)
    system = SpringSystem(
        pairs, np.full(count, 1.0), np.full(count, stiffness), np.full(count, 2.0),
        1.0 / mass, np.zeros(n), np.zeros(3), np.zeros((n, 3)),
    )  # fmt: skip
    change = np.zeros((n, 3))

    def solve():
        return solve_backward_euler(x, v, system, 1 / 60, 1e-10, 2000, change)

    iterations, left = solve()
    assert 0 < iterations < 2000
    assert left < 1e-9
    momentum = np.abs((mass[:, None] * change).sum(axis=0)).max()
    assert momentum < 1e-9 * np.abs(mass[:, None] * change).sum()
    solution = change.copy()
    again, _ = solve()  # a solution is where it starts from
    assert again <= iterations // 4
    assert np.allclose(change, solution, rtol=1e-6, atol=1e-9 * np.abs(solution).max())


@pytest.mark.parametrize("kind", KINDS)
def test_bounces_return_what_restitution_says(kind):
    builder = ModelBuilder()
    builder.add_particles("ball", [(0, 0, 2.0)], mass=1.0, restitution=0.8)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    model = builder.finalize()
    state = model.initial_state()
    heights = []
    settings = SolverSettings(integrator=kind, substep_rate=4800)
    for _ in range(int(480 * 1.6)):
        state, _ = advance(model, state, FrameInputs(duration=1 / 480), settings)
        heights.append(state.position[0, 2])
    fall = math.sqrt(2 * 2.0 / 9.81)
    after = np.array(heights[int(480 * fall) :])
    assert after.max() == pytest.approx(2.0 * 0.64, rel=0.01)


@pytest.mark.parametrize("kind", BY_FORCES)
def test_things_rest_and_stop_on_a_rough_floor(kind):
    builder = ModelBuilder()
    builder.add_particles("sled", [(0, 0, 0)], mass=1.0, velocity=(1.0, 0, 0), friction=0.5)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0), friction=0.5)
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(48):
        state, _ = advance(model, state, FrameInputs(), SolverSettings(integrator=kind))
    assert state.position[0, 0] == pytest.approx(1.0 / (2 * 0.5 * 9.81), rel=0.02)
    still = state.position.copy()
    state, _ = advance(model, state, FrameInputs(), SolverSettings(integrator=kind))
    assert np.allclose(state.position, still, atol=1e-9)
    assert abs(state.position[0, 2]) < 1e-4


@pytest.mark.parametrize("kind", BY_FORCES)
def test_pins_move_weak_pins_draw_and_crowds_keep_apart(kind):
    builder = ModelBuilder()
    builder.add_particles("rope", [(0, 0, 0), (1, 0, 0), (3, 0, 0)], mass=1.0)
    builder.add_particles(
        "balls", [(9, 0, 0), (9.15, 0, 0)], mass=1.0, radius=0.1, self_collision=True
    )
    builder.pin([0])
    builder.pin([2], 0.9)
    builder.add_springs([[0, 1]], 100.0, 1.0, damping=5.0)
    model = builder.finalize()
    state = model.initial_state(gravity=WEIGHTLESS)
    goal = np.array([(0, 0, 1.0), (3, 0, 1.0)])
    for _ in range(96):
        inputs = FrameInputs(pin_position=goal, gravity=WEIGHTLESS)
        state, _ = advance(model, state, inputs, SolverSettings(integrator=kind))
    assert np.array_equal(state.position[0], goal[0])
    assert np.allclose(state.position[2], goal[1], atol=1e-2)
    assert np.linalg.norm(state.position[1] - state.position[0]) == pytest.approx(1.0, abs=0.05)
    assert np.linalg.norm(state.position[4] - state.position[3]) > 0.199


def test_a_moving_pin_pulls_with_its_speed():
    """Dragged steadily through a damper of b = 4 against drag of 2/s: both ends at one speed."""
    builder = ModelBuilder()
    builder.add_particles("tow", [(0, 0, 0), (-1, 0, 0)], mass=2.0, drag=2.0)
    builder.pin([0])
    builder.add_springs([[0, 1]], 50.0, 1.0, damping=4.0)
    model = builder.finalize()
    for kind in BY_FORCES:
        state = model.initial_state(gravity=WEIGHTLESS)
        for frame in range(96):
            place = np.array([[(frame + 1) / 24, 0.0, 0.0]])
            state, _ = advance(
                model,
                state,
                FrameInputs(pin_position=place, gravity=WEIGHTLESS),
                SolverSettings(integrator=kind),
            )
        gap = state.position[0, 0] - state.position[1, 0]
        assert gap == pytest.approx(1.0 + 2.0 * 2.0 * 1.0 / 50.0, rel=1e-3), kind


def test_springs_of_no_length_swing_freely_in_space():
    builder = ModelBuilder()
    builder.add_particles(
        "swing", [(0, 0, 0), (1, 0, 0)], mass=1.0, velocity=[(0, 0, 0), (0, 2.0, 0)]
    )
    builder.pin([0])
    builder.add_springs([[0, 1]], 16.0, 0.0)
    model = builder.finalize()
    for kind in ("POSITION_VERLET", "MIDPOINT", "IMPLICIT_EULER"):
        state = model.initial_state(gravity=WEIGHTLESS)
        settings = SolverSettings(integrator=kind, spring_form="FORCE", substep_rate=9600)
        for _ in range(10):
            inputs = FrameInputs(duration=0.1, gravity=WEIGHTLESS)
            state, _ = advance(model, state, inputs, settings)
        exact = (math.cos(4.0), 0.5 * math.sin(4.0), 0.0)
        assert np.allclose(state.position[1], exact, atol=1e-2)


def test_time_corrected_verlet_has_the_bits_of_plain_verlet_at_a_steady_step():
    model = sheet_on_a_ball()
    ends = []
    for kind in ("POSITION_VERLET", "TIME_CORRECTED"):
        state = model.initial_state()
        for _ in range(12):
            state, _ = advance(model, state, FrameInputs(), SolverSettings(integrator=kind))
        ends.append(state.position.tobytes())
    assert ends[0] == ends[1]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "POSITION_VERLET"])
def test_a_change_of_step_in_flight_does_not_kick(kind):
    model = net(drag=0.0)
    straight = model.initial_state()
    changing = model.initial_state()
    for frame in range(24):
        rate = 4800.0 if frame % 2 else 1200.0
        forms = {"integrator": kind, "spring_form": "FORCE"}
        straight, _ = advance(
            model, straight, FrameInputs(), SolverSettings(substep_rate=4800, **forms)
        )
        changing, _ = advance(
            model, changing, FrameInputs(), SolverSettings(substep_rate=rate, **forms)
        )
    first_order = kind in ("EXPLICIT_EULER", "IMPLICIT_EULER", "SYMPLECTIC_EULER")
    error = np.abs(straight.position - changing.position).max()
    assert error < (0.1 if first_order else 1e-4)


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "IMPLICIT_EULER"])
def test_a_blow_up_names_the_integrator_and_a_rate_that_is_enough(kind):
    builder = ModelBuilder()
    builder.add_particles("cart", [(0, 0, 0), (1.1, 0, 0), (2.0, 0, 0)], mass=1.0)
    builder.add_springs([[0, 1], [1, 2]], 3e4, 1.0)
    model = builder.finalize()

    def run(rate):
        state = model.initial_state(gravity=WEIGHTLESS)
        settings = SolverSettings(integrator=kind, spring_form="FORCE", substep_rate=rate)
        for _ in range(24):
            state, _ = advance(model, state, FrameInputs(gravity=WEIGHTLESS), settings)
        return state

    label = SolverSettings(integrator=kind).integrator_label
    with pytest.raises(SimulationDiverged) as caught:
        run(72.0)
    message = str(caught.value)
    assert message.startswith(f"cart: {label}")
    assert ("Implicit Euler" in message) == (kind in BY_FORCES)
    if kind == "EXPLICIT_EULER":
        assert "No Substep Rate is high enough" in message
        return
    rate = float(message.split("at least ")[1].split(" 1/s")[0].replace(",", ""))
    assert np.abs(run(rate).position).max() < 3.0
    assert np.abs(run(10_000.0).position).max() < 3.0


def test_a_blow_up_that_springs_are_not_to_blame_for_keeps_its_advice():
    model = net()
    state = model.initial_state()
    with pytest.raises(
        SimulationDiverged, match=r"net: the simulation blew up.*Raise Substep Rate"
    ):
        advance(model, state, FrameInputs(), SolverSettings(integrator="MIDPOINT", speed_limit=1.0))


def test_implicit_euler_holds_a_stiff_net_of_any_masses():
    random = np.random.default_rng(8)
    builder = ModelBuilder()
    builder.add_particles(
        "net", random.normal(size=(20, 3)), mass=10.0 ** random.uniform(-3, 2, 20)
    )
    builder.pin([0])
    pairs = [(i, j) for i in range(20) for j in range(i) if random.random() < 0.3]
    builder.add_springs(pairs, 10.0 ** random.uniform(2, 7, len(pairs)))
    model = builder.finalize()
    state = model.initial_state()
    settings = SolverSettings(integrator="IMPLICIT_EULER", substep_rate=60.0)
    for _ in range(240):
        state, _ = advance(model, state, FrameInputs(), settings)
    assert np.linalg.norm(state.position - state.position[0], axis=1).max() < 10.0


def test_what_an_integrator_does_not_carry_is_said():
    builder = ModelBuilder()
    add_sheet(builder, 4, pins=(0,))
    model = builder.finalize()
    assert set(CARRIES) == set(KINDS)
    for kind in KINDS:
        said = left_out(model, SolverSettings(integrator=kind))
        if kind in BY_FORCES:
            assert any("24 become springs of 1000 N/m" in line for line in said)
            assert any(line.startswith("tethers (") for line in said)
        else:
            assert said == ()
    builder.add_body("crate", "BOX", (1, 1, 1), (5, 0, 0), mass=1.0)
    model = builder.finalize()
    settings = SolverSettings(integrator="MIDPOINT")
    assert "rigid bodies (crate)" in left_out(model, settings)
    with pytest.raises(ModelError, match="crate: Midpoint does not carry rigid bodies; choose"):
        advance(model, model.initial_state(), FrameInputs(), settings)


def test_constraints_that_do_not_act_are_named():
    class Bolt:
        object = 0
        particles = np.zeros(1, dtype=np.int32)
        multiplier_count = 0

        def project(self, moving, multiplier):
            moving.x[0] = 100.0

    builder = ModelBuilder()
    builder.add_particles("gate", [(0, 0, 0)], mass=1.0)
    builder.add_constraint(Bolt())
    model = builder.finalize()
    assert left_out(model, SolverSettings(integrator="LEAPFROG")) == ("Bolt (gate)",)
    state, _ = advance(
        model, model.initial_state(), FrameInputs(), SolverSettings(integrator="LEAPFROG")
    )
    assert abs(state.position).max() < 1.0


@pytest.mark.parametrize("form", ["MOMENTUM", "SQRT_FREE", "MASS_WEIGHTED", "EXACT"])
@pytest.mark.parametrize("spring", [None, 500.0])
@pytest.mark.parametrize("squashed", [False, True])
def test_coinciding_ends_part_by_themselves_and_always_alike(form, spring, squashed):
    builder = ModelBuilder()
    mass = 1e9 if spring is None else 1.0
    builder.add_particles("pair", [(1, 2, 3), (1, 2, 3)], mass=mass, drag=5.0)
    if spring is None:
        builder.add_sticks([[0, 1]], 1.0)
    else:
        builder.add_springs([[0, 1]], spring, 1.0)
    model = builder.finalize()
    assert 0.0 < np.linalg.norm(model.particles.position[1] - model.particles.position[0]) < 0.01
    ends = []
    for _ in range(2):
        state = model.initial_state(gravity=WEIGHTLESS)
        if squashed:
            state.position[1] = state.previous[1] = state.position[0]
        for _ in range(96):
            state, _ = advance(
                model, state, FrameInputs(gravity=WEIGHTLESS), SolverSettings(stick_form=form)
            )
        ends.append(state.position)
    assert np.linalg.norm(ends[0][1] - ends[0][0]) == pytest.approx(1.0, abs=0.01)
    assert np.array_equal(ends[0], ends[1])


@pytest.mark.parametrize("kind", BY_FORCES)
def test_coinciding_ends_part_under_forces(kind):
    builder = ModelBuilder()
    builder.add_particles("pair", [(0, 0, 0), (0, 0, 0)], mass=1.0)
    builder.add_springs([[0, 1]], 100.0, 1.0, damping=2.0)
    model = builder.finalize()
    state = model.initial_state(gravity=WEIGHTLESS)
    state.position[:] = state.previous[:] = 0.0
    for _ in range(96):
        state, _ = advance(
            model, state, FrameInputs(gravity=WEIGHTLESS), SolverSettings(integrator=kind)
        )
    assert np.linalg.norm(state.position[1] - state.position[0]) == pytest.approx(1.0, abs=0.01)


def test_bad_dampers_are_refused():
    builder = ModelBuilder()
    builder.add_particles("rope", [(0, 0, 0), (1, 0, 0)], mass=1.0)
    for bad, what in ((-1.0, "= -1 must be 0 or more"), (float("nan"), "not finite")):
        with pytest.raises(ModelError, match=rf"rope: spring damping .*{what}"):
            builder.add_springs([[0, 1]], 5.0, damping=bad)
