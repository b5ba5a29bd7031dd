"""Whatever is handed to the core from outside is refused by name, or works: nothing crashes.

Tables of all public entries, each tried with wrong shapes, types, numbers and indices.
"""

import dataclasses
import pickle

import numpy as np
import pytest

import verlet_physics.settings as all_settings
from verlet_physics import (
    FrameInputs,
    ModelBuilder,
    ModelError,
    SimulationDiverged,
    SolverSettings,
    State,
    WindSettings,
    advance,
)
from verlet_physics.building.tearing import Seams
from verlet_physics.collision.shape import Shape, Surface
from verlet_physics.model.grab import Grab
from verlet_physics.model.joint_table import OnBody, OnCollider
from verlet_physics.model.pull import Pull
from verlet_physics.model.state import STATE_COLUMNS
from verlet_physics.records import plain_columns
from verlet_physics.settings import AnimatedSettings, JointSettings, tunables

NAN, INF = float("nan"), float("inf")
NO_ARRAYS = {
    "text": "seven",
    "nothing": None,
    "an object": object(),
    "complex": 1j,
    "ragged": [[0.0], [0.0, 1.0]],
}
NO_NUMBERS = {"NaN": NAN, "∞": INF, "−∞": -INF, **NO_ARRAYS}
NO_PLACES = {
    **NO_ARRAYS,
    "NaN in one": [(0.0, NAN, 0.0)],
    "∞ in one": [(0.0, 0.0, INF)],
    "two wide": [(0.0, 0.0)],
    "three deep": np.zeros((2, 2, 2)),
}
NO_VECTORS = {**NO_ARRAYS, "NaN": (0.0, NAN, 0.0), "∞": (INF, 0.0, 0.0), "two": (0.0, 0.0)}
NO_TURNS = {**NO_VECTORS, "zero": (0.0,) * 4, "five": (1.0,) * 5, "∞ long": (1e200,) * 4}
NO_INDICES = {
    "text": ["a", "b"],
    "an object": object(),
    "nothing": None,
    "below": [-1, 0],
    "one too many": [0, 8],
    "2³¹": [0, 2**31],
    "2⁴⁰": [0, 2**40],
    "2⁶³": np.array([0, 2**63], dtype=np.uint64),
    "−2⁴⁰": [0, -(2**40)],
    "floats": [0.0, 1.0],
    "truths": [True, False],
    "NaN": [NAN, 0],
    "ragged": [[0], [0, 1]],
}
BELOW = {**NO_NUMBERS, "−1": -1.0}
NO_MASS = {**BELOW, "0": 0.0, "smaller than 1/∞": 1e-320}

SQUARE = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], dtype=float)
BALL = Shape.of("ball", "SPHERE", (0.5,))


def builder_of_all():
    """A sheet of 4 particles, a crate, one of particles, a floor: 8 particles in all."""
    builder = ModelBuilder()
    builder.add_particles("sheet", SQUARE + (0, 0, 2), mass=1.0, radius=0.01)
    builder.add_body("crate", "BOX", (0.5, 0.5, 0.5), (3, 0, 1), mass=2.0)
    builder.add_body("cube", "BOX", (0.5, 0.5, 0.5), (6, 0, 1), mass=2.0, model="TETRAHEDRON")
    builder.add_body("ball", "SPHERE", (0.5,), (9, 0, 1), mass=2.0)
    builder.add_collider("floor", "PLANE", (), (0, 0, 0))
    return builder


def rows_of(indices):
    """Bad indices as rows of two."""
    return {what: given if what == "nothing" else [given] for what, given in indices.items()}


GOOD_BODY = {
    "position": (0, 0, 5),
    "orientation": (1, 0, 0, 0),
    "mass": 1.0,
    "inertia": (1, 1, 1),
    "velocity": (0, 0, 0),
    "angular_velocity": (0, 0, 0),
    "drag": 0.1,
    "angular_drag": 0.1,
    "friction": 0.5,
    "static_friction": 1.0,
    "restitution": 0.1,
    "layers": 1,
}
BAD_BODY = {
    "position": NO_VECTORS,
    "orientation": NO_TURNS,
    "mass": NO_MASS,
    "velocity": NO_VECTORS,
    "angular_velocity": NO_VECTORS,
    "drag": BELOW,
    "angular_drag": BELOW,
    "friction": BELOW,
    "static_friction": BELOW,
    "restitution": BELOW,
    "layers": {"text": "a", "NaN": NAN, "2⁴⁰": 2**40, "−1": -1},
}
BAD_FEEL = {
    name: BAD_BODY[name]
    for name in ("friction", "static_friction", "restitution", "layers", "position", "orientation")
}
# method: its good arguments, and by name bad ones in their place
TWO_COPIES = Seams(
    weld=[0, 0, 2, 3],
    bond=[[0, 1, 0, 0]],
    half=[[1.0, 0.0, 0.0]],
    pair=[[0, 2], [1, 3]],
    strength=[1.0] * 4,
)


def add_four(builder, weld):
    return builder.add_particles("torn", SQUARE + (20, 0, 5), mass=1.0)


ENTRIES = {
    "add_particles": (
        {"name": "dust", "position": SQUARE, "mass": 1.0, "self_collision": True},
        {
            "position": {**NO_PLACES, "none": []},
            "mass": {**NO_MASS, "too many": [1.0] * 5, "one 0": [1, 1, 0, 1]},
            "velocity": {**NO_NUMBERS, "too many": np.zeros((5, 3))},
            "drag": BELOW,
            "radius": BELOW,
            "friction": BELOW,
            "restitution": BELOW,
            "contact_radius": {k: v for k, v in BELOW.items() if k != "nothing"},
        },
    ),
    "pin": (
        {"particles": [0, 1]},
        {"particles": NO_INDICES, "weight": {**BELOW, "2": 2.0, "too many": [1.0] * 3}},
    ),
    "touch_nothing": ({"particles": [0, 1]}, {"particles": NO_INDICES}),
    "add_sticks": (
        {"pairs": [[0, 1]], "rest_length": 1.0},
        {
            "pairs": {**rows_of(NO_INDICES), "three": [[0, 1, 2]], "one twice": [[1, 1]]},
            "rest_length": {k: v for k, v in BELOW.items() if k != "nothing"},
        },
    ),
    "add_tearable": (
        {"seams": TWO_COPIES, "add": add_four},
        {
            "seams": {
                "nothing": None,
                "a later copy": dataclasses.replace(TWO_COPIES, weld=[1, 1, 2, 3]),
                "a copy of a copy": dataclasses.replace(TWO_COPIES, weld=[0, 0, 1, 3]),
                "no such copy": dataclasses.replace(TWO_COPIES, weld=[0, 0, 2, 4]),
                "a bond too far": dataclasses.replace(TWO_COPIES, bond=[[0, 4, 0, 0]]),
                "NaN": dataclasses.replace(TWO_COPIES, half=[[NAN, 0.0, 0.0]]),
                "no pair": dataclasses.replace(TWO_COPIES, pair=[[0, 1, 2]]),
                "too weak": dataclasses.replace(TWO_COPIES, strength=[-1.0] * 4),
            }
        },
    ),
    "add_springs": (
        {"pairs": [[0, 1]], "stiffness": 5.0},
        {
            "pairs": {**rows_of(NO_INDICES), "three": [[0, 1, 2]]},
            "stiffness": {**{k: v for k, v in BELOW.items() if k != "∞"}, "0": 0.0, "tiny": 1e-320},
            "damping": BELOW,
            "turn": {"5": 5, "NaN": NAN, "text": "a"},
        },
    ),
    "add_tethers": (
        {"particles": [0], "anchors": [1], "length": [1.0]},
        {
            "particles": {**NO_INDICES, "two": [0, 2]},
            "anchors": {**NO_INDICES, "two": [0, 2]},
            "length": {**BELOW, "too many": [1.0] * 3},
        },
    ),
    "add_triangles": (
        {"triangle": [[0, 1, 2]]},
        {"triangle": {**rows_of(NO_INDICES), "two wide": [[0, 1]], "four wide": [[0, 1, 2, 3]]}},
    ),
    "add_wires": (
        {"pairs": [[0, 1]], "diameter": 0.1},
        {"pairs": {**rows_of(NO_INDICES), "three": [[0, 1, 2]]}, "diameter": BELOW},
    ),
    "add_lines": (
        {"pairs": [[0, 1]]},
        {"pairs": {**rows_of(NO_INDICES), "three": [[0, 1, 2]]}},
    ),
    "add_limbs": (
        {"pairs": [[0, 1], [1, 2]], "radius": 0.1, "own": [[0, 1]]},
        {
            "pairs": rows_of(NO_INDICES),
            "radius": {**BELOW, "0": 0.0},
            "own": {**rows_of(NO_INDICES), "no such limb": [[0, 2]]},
            "own_reach": BELOW,
        },
    ),
    "add_constraint": ({}, {"constraint": {"text": "a", "nothing": None}}),
    "add_force": ({}, {"force": {"text": "a", "nothing": None}}),
    "add_surface": (
        {"triangle": [(0, 1, 2)], "quads": ()},
        {
            "triangle": {"a pair": [(0, 1)], "beyond": [(0, 1, 2**40)], "below": [(0, 1, -1)]},
            "quads": {"three": [(0, 1, 2)], "beyond": [(0, 1, 2, 2**40)], "below": [(0, 1, 2, -1)]},
        },
    ),
    "add_body": (
        {"name": "can", "shape": "BOX", "size": (1, 1, 1), "position": (0, 0, 5), "mass": 1.0},
        {
            **BAD_BODY,
            "shape": {"none such": "TEAPOT", "nothing": None},
            "size": {**NO_VECTORS, "0": (1, 0, 1), "−1": (1, -1, 1), "four": (1, 1, 1, 1)},
            "model": {"none such": "JELLY"},
            "follows": {"none such": "ME"},
        },
    ),
    "add_rigid_body": (
        {"name": "can", "shapes": [BALL], **GOOD_BODY},
        {
            **BAD_BODY,
            "inertia": {**NO_VECTORS, "0": (1, 0, 1)},
            "shapes": {"text": ["a"], "other": [None]},
        },
    ),
    "add_collider": (
        {"name": "wall", "shape": "BOX", "size": (1, 1, 1), "position": (0, 0, 0)},
        {**BAD_FEEL, "shape": {"none such": "TEAPOT"}, "size": NO_VECTORS},
    ),
    "add_collider_shapes": (
        {"name": "wall", "shapes": [BALL], "position": (0, 0, 0)},
        {**BAD_FEEL, "shapes": {"text": ["a"]}},
    ),
    "add_handle": (
        {"name": "hand", "position": (0, 0, 0), "orientation": (1, 0, 0, 0)},
        {"position": NO_VECTORS, "orientation": NO_TURNS},
    ),
    "add_joint": (
        {"name": "hinge", "first": OnBody(1), "second": OnBody(3), "position": (4, 0, 1)},
        {
            "first": {
                "no body": OnBody(0),
                "none such": OnBody(9),
                "below": OnBody(-1),
                "no collider": OnCollider(5),
                "the same": OnBody(3),
                "a number": 1,
                "text": "crate",
            },
            "position": NO_VECTORS,
            "orientation": NO_TURNS,
            "second_orientation": {k: v for k, v in NO_TURNS.items() if k != "nothing"},
            "second_position": {k: v for k, v in NO_VECTORS.items() if k != "nothing"},
            "settings": {"text": "HINGE", "others": SolverSettings()},
        },
    ),
    "keep_apart": (
        {"name": "crate", "first": OnBody(1), "second": OnBody(3)},
        {"first": {"no body": OnBody(0), "the world": None, "a number": 3}},
    ),
    "add_skin": (
        {
            "name": "arm",
            "bodies": [1, 3],
            "points": SQUARE,
            "triangles": [[0, 1, 2]],
            "vertex": [0, 1, 2, 3],
            "body": [0, 1, 1, 0],
            "weight": 1.0,
            "friction": 0.5,
        },
        {
            "bodies": {**NO_INDICES, "none": [], "no body": [0, 1], "of particles": [1, 2]},
            "points": NO_PLACES,
            "triangles": {**rows_of(NO_INDICES), "two": [[0, 1]]},
            "vertex": {**NO_INDICES, "none": [], "three of four": [0, 1, 2, 2]},
            "body": {**NO_INDICES, "five": [0, 1, 1, 0, 0]},
            "weight": {**BELOW, "none": 0.0, "three": [1.0] * 3},
            "carried": {k: v for k, v in NO_PLACES.items() if v is not None},
            "friction": BELOW,
        },
    ),
    "add_attachment": (
        {"body": OnBody(1), "particles": [0, 1]},
        {
            "body": {"the world": None, "no body": OnBody(0), "text": "a"},
            "particles": NO_INDICES,
            "place": {
                k: v for k, v in {**NO_PLACES, "five": np.zeros((5, 3))}.items() if v is not None
            },
            "weights": {"NaN": NAN, "2": 2.0, "text": "a"},
        },
    ),
}


def cases(table):
    return [
        pytest.param(entry, argument, given, id=f"{entry}({argument}: {what})")
        for entry, (_, bad) in table.items()
        for argument, values in bad.items()
        for what, given in values.items()
    ]


@pytest.mark.parametrize("entry", [entry for entry, (good, _) in ENTRIES.items() if good])
def test_the_good_arguments_are_taken(entry):
    getattr(builder_of_all(), entry)(**ENTRIES[entry][0])


@pytest.mark.parametrize(("entry", "argument", "given"), cases(ENTRIES))
def test_the_builder_refuses_and_stays_as_it_was(entry, argument, given):
    builder = builder_of_all()
    before = pickle.dumps(vars(builder))
    with pytest.raises(ModelError):
        getattr(builder, entry)(**{**ENTRIES[entry][0], argument: given})
    assert pickle.dumps(vars(builder)) == before


def test_every_way_to_add_something_is_in_the_table():
    public = {n for n in dir(ModelBuilder) if n.startswith("add_") or n in ("pin", "keep_apart")}
    assert public | {"touch_nothing"} == set(ENTRIES)


@pytest.mark.parametrize(
    "triangle", [[[0, 1, 4]], [[0, 1, -1]], [[0, 1, 2**40]], [[0.0, 1.0, 2.0]], [[0, 1]]]
)
def test_triangles_of_a_mesh_name_its_vertices(triangle):
    with pytest.raises(ModelError, match=r"wall: triangles"):
        Shape.of("wall", "MESH", surface=Surface(SQUARE, np.array(triangle)))


# ------------------------------------------------------------------ settings


NO_SETTING = {"NaN": NAN, "∞": INF, "−∞": -INF, "nothing": None, "text": "none such"}
SETTINGS = [
    kind
    for name, kind in vars(all_settings).items()
    if name.endswith("Settings") and dataclasses.is_dataclass(kind)
]


@pytest.mark.parametrize("kind", SETTINGS, ids=lambda kind: kind.__name__)
def test_settings_refuse_what_is_no_value_of_theirs(kind):
    for name, (default, about) in tunables(kind).items():
        wrong = {**NO_SETTING, "an array": np.zeros(7), "an object": object()}
        if isinstance(default, str) and not about.choices:
            del wrong["text"]
        if isinstance(default, tuple):
            wrong["one short"] = default[:-1]
            wrong["NaN in one"] = (NAN, *default[1:])
        for what, value in wrong.items():
            with pytest.raises(ModelError, match=about.label):
                raise AssertionError(f"{name}: {what} was taken, {kind(**{name: value})}")


def test_settings_take_numbers_of_numpy_and_lists():
    wind = WindSettings(velocity=np.array([1, 2, 3], dtype=np.float32), gust=np.float32(0.5))
    assert wind == WindSettings(velocity=(1.0, 2.0, 3.0), gust=0.5)
    assert type(wind.velocity) is tuple
    assert type(wind.gust) is float
    assert SolverSettings(threads=np.int64(2)).threads == 2
    assert SolverSettings(substep_rate=480) == SolverSettings()
    with pytest.raises(ModelError, match=r"Threads = 1\.5 must be a whole number"):
        SolverSettings(threads=1.5)


# ------------------------------------------------------------------ a frame


@pytest.fixture(scope="module")
def model():
    """Particles that are pinned or may tear, balls, bodies, a driven joint, a deforming mesh."""
    builder = builder_of_all()
    balls = [(20.0, 0.0, 0.2), (20.0, 0.0, 0.45)]
    builder.add_particles("balls", balls, mass=1.0, radius=0.1, self_collision=True)
    builder.pin([0, 1])
    builder.add_sticks([[0, 1], [1, 2], [2, 3]])
    builder.add_tearable(TWO_COPIES, add_four)
    motor = JointSettings(kind="HINGE", motor="VELOCITY", motor_force=1.0)
    builder.add_joint("hinge", OnBody(1), OnBody(3), (6, 0, 1), settings=motor)
    sheet = Shape.of("wall", "MESH", surface=Surface(SQUARE, np.array([[0, 1, 2]], np.int32)))
    builder.add_collider_shapes("wall", [sheet], (0, 0, -1))
    return builder.finalize()


def arrays_of_inputs(model):
    joints = len(model.joints)
    return {
        "pin_position": model.particles.position[model.pins.particle],
        "pin_weight": model.pins.weight,
        "collider_position": model.colliders.position,
        "collider_orientation": model.colliders.orientation,
        "body_position": model.bodies.position,
        "body_orientation": model.bodies.orientation,
        "mesh_vertex": model.shapes.meshes.vertex,
        "joint_target": np.zeros(joints),
        "joint_speed": np.zeros(joints),
        "joint_pose": np.tile([1.0, 0, 0, 0], (joints, 1)),
        "joint_strength": np.ones(joints),
        "joint_hold": np.ones(joints),
    }


def is_finite(state):
    arrays = [held for held in state.columns().values() if isinstance(held, np.ndarray)]
    return all(np.isfinite(v).all() for array in arrays for v in plain_columns(array))


def wrongs(array):
    """The array in every way in which it can be wrong."""
    for bad in (NAN, INF, -INF):
        broken = np.array(array, dtype=float)
        broken.reshape(-1)[-1:] = bad
        yield broken
    yield array[:-1]
    yield np.concatenate([array, array])
    yield array[None]
    yield array.ravel()[:0].reshape(0, 9)
    yield "text"
    yield 1j * array
    yield np.full(array.shape, None)
    yield 3.0


def wrong_contacts(remembered):
    """What is remembered of contacts in every way in which it can be wrong; any number fits."""
    assert len(remembered)
    wrong = [
        remembered[None],
        remembered["normal_impulse"],
        remembered[["shape"]],
        "text",
        None,
        3.0,
    ]
    for column in ("normal_impulse", "friction_impulse", "overlap"):
        for bad in (NAN, INF, -INF):
            wrong.append(remembered.copy())
            wrong[-1][column][-1] = bad
    for shape in (-1, 100):
        wrong.append(remembered.copy())
        wrong[-1]["shape"][-1, 1] = shape
    return wrong


@pytest.mark.parametrize("name", [f.name for f in dataclasses.fields(FrameInputs)])
def test_inputs_are_refused_by_name(model, name):
    state = model.initial_state()
    others = {
        "duration": [0.0, -1.0, NAN, INF, 1e9, 1e-300, "1", None, (1.0,), 1j],
        "gravity": [
            (0, 0),
            (0, 0, 0, 0),
            9.81,
            (0, 0, NAN),
            (INF, 0, 0),
            "down",
            None,
            ((0, 0, 1),) * 2,
        ],
        "wind": [None, (1, 0, 0), SolverSettings()],
        "fields": [(None,), ("wind",), (WindSettings(),)],
        "animated": [(), (AnimatedSettings(),), (None,) * 4, (WindSettings(),) * 4],
        "grab": [
            "it",
            Grab(1.0, (0, 0, 0), (0, 0, 0), body=99),
            Grab(1.0, (0, 0, 0), (0, 0, 0), np.array([99]), np.ones(1)),
            Grab(1.0, (0, 0, 0), (0, 0, 0), np.array([-1]), np.ones(1)),
            Grab(1.0, (0, 0, 0), (0, 0, 0), np.array([0.5]), np.ones(1)),
        ],
        "pull": ["up", Pull(np.zeros((1, 3)), np.zeros((1, 3)), np.zeros(1), np.zeros(1))],
    }
    arrays = arrays_of_inputs(model)
    given = list(wrongs(arrays[name])) if name in arrays else others[name]
    if name in ("collider_orientation", "body_orientation"):
        given += [0.0 * arrays[name], 2.0 * arrays[name], 1e200 * arrays[name]]
    if name == "pin_weight":
        given += [arrays[name] + 0.5, arrays[name] - 1.5]
    before = pickle.dumps(vars(state))
    for value in given:
        with pytest.raises(ModelError, match=name):
            raise AssertionError(
                advance(model, state, FrameInputs(**{name: value}), SolverSettings())
            )
    assert pickle.dumps(vars(state)) == before


@pytest.mark.parametrize("name", STATE_COLUMNS)
def test_states_that_do_not_fit_are_refused_by_name(model, name):
    good, _ = advance(model, model.initial_state(), FrameInputs(), SolverSettings())
    for _ in range(30):  # until there are contacts
        good, _ = advance(model, good, FrameInputs(), SolverSettings())
    array = good.columns()[name]
    if name == "contacts.remembered":
        given = wrong_contacts(array)
    elif isinstance(array, np.ndarray):
        given = list(wrongs(array))
    else:
        given = [NAN, INF, "1", None, array - 1e3]
    if name == "step":
        given += [0.0, 1e-300]
    if name == "frame":
        given = [NAN, 0.5, "1", None]
    if isinstance(array, np.ndarray) and array.ndim == 2:
        given += [array.astype(np.float32), np.asfortranarray(array)] if array.shape[0] > 1 else []
    if name == "balls.contact":
        assert len(array)
        given += [array + 100, -array - 1]
    if name == "stretch.pressed":  # any number of particles fits
        given = [np.array([row], dtype=np.int32) for row in (-1, 10**6)]
        given += [array.astype(float), array[None], "text", None, 3.0]
    if name == "cushions.key":  # nothing is between bodies in this model, but might be
        given = [np.array(row, dtype=np.int32) for row in ([[0, 99]], [[-1, 0]], [[1, 0]])]
        given += [np.array([[0, 1], [0, 1]], dtype=np.int32), array.astype(float), "text", None]
    elif name.startswith("cushions."):
        given = [np.ones(1), np.full(1, NAN), array.astype(np.float32), "text", None, 3.0]
    for value in given:
        state = State.of_columns({**good.columns(), name: value})
        with pytest.raises(ModelError, match=name):
            raise AssertionError(
                f"{value!r} {advance(model, state, FrameInputs(), SolverSettings())}"
            )


def test_a_state_of_another_model_is_refused(model):
    builder = ModelBuilder()
    builder.add_particles("dust", SQUARE, mass=1.0)
    other = builder.finalize()
    for ours, theirs in ((model, other), (other, model)):
        with pytest.raises(ModelError, match="another model"):
            advance(ours, theirs.initial_state(), FrameInputs(), SolverSettings())


def test_numbers_written_into_a_state_that_was_handed_out(model):
    """Known arrays are not looked at again: what is not finite blows up, by name."""
    for name in ("position", "previous", "body_position", "body_previous_orientation"):
        state, _ = advance(model, model.initial_state(), FrameInputs(), SolverSettings())
        getattr(state, name)[-1] = NAN
        with pytest.raises(SimulationDiverged):
            raise AssertionError(advance(model, state, FrameInputs(), SolverSettings()))


@pytest.mark.parametrize("position", range(4))
def test_arguments_of_other_types_are_refused(model, position):
    good = [model, model.initial_state(), FrameInputs(), SolverSettings()]
    for wrong in (None, "text", *(good[:position] + good[position + 1 :])):
        arguments = [*good]
        arguments[position] = wrong
        with pytest.raises(ModelError, match=r"must be \w+, not"):
            advance(*arguments)


@pytest.mark.parametrize(
    "arguments",
    [{"step": 0.0}, {"step": NAN}, {"gravity": (0, 0)}, {"gravity": (0, 0, NAN)}, {"frame": NAN}],
)
def test_a_state_does_not_begin_with_bad_numbers(model, arguments):
    with pytest.raises(ModelError, match=next(iter(arguments))):
        model.initial_state(**arguments)


def test_inputs_of_any_layout_give_the_same_bits(model):
    """Read-only arrays, other types and orders are taken as they are meant, never written to."""
    arrays = arrays_of_inputs(model)
    plain, _ = advance(model, model.initial_state(), FrameInputs(**arrays), SolverSettings())
    for change in (
        lambda a: np.asfortranarray(a),
        lambda a: a.tolist() if a.size else a,
        lambda a: np.repeat(a, 2, axis=0)[::2],
        lambda a: a.astype(">f8"),
    ):
        given = {name: change(array) for name, array in arrays.items()}
        for array in given.values():
            if isinstance(array, np.ndarray):
                array.flags.writeable = False
        state, _ = advance(
            model,
            model.initial_state(),
            FrameInputs(**given, gravity=[0, 0, np.float32(-9.81)], duration=np.float64(1 / 24)),
            SolverSettings(),
        )
        assert is_finite(state)
    exact, _ = advance(model, model.initial_state(), FrameInputs(**given), SolverSettings())
    found = exact.columns()
    for name, value in plain.columns().items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)
