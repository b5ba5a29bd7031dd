"""What `advance` is given must fit the model: looked at once, before any kernel runs.

A state that `advance` has handed out for the model is known to fit, as long as it holds the same
arrays; every other one is looked at as closely as what a person has typed.
"""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from operator import attrgetter, is_
from typing import Any

import numpy as np

from .arrays import Floats
from .checks import indices, number, numbers, vector
from .errors import ModelError
from .forces.field import FIELD_NUMBERS
from .model import SHORTEST_STEP, FrameInputs, Model, State
from .model.contact_state import REMEMBERED_CONTACT
from .model.field import Field
from .model.grab import Grab
from .model.pull import Pull
from .model.rest_table import WAKING_FACTORS
from .model.state import FACTORS, NO_WIND, STATE_COLUMNS, STATE_PARTS
from .pairs import pair_keys
from .particles.heaps.ball_table import MOST_WALLS
from .records import plain_columns
from .settings import AnimatedSettings, SolverSettings, WindSettings

MOST_SUBSTEPS = 1_000_000
"""In one frame: more are a duration in the wrong unit."""

QUATERNIONS = ("collider_orientation", "body_orientation", "body_previous_orientation")

UNIT_TOLERANCE = 2e-3
"""How far the square of a quaternion may be from 1: those of Blender have 32 bits."""

QUICK_TO_LOOP = 32
"""Numbers that Python goes through faster than NumPy does."""

_FLOAT, _INT = np.dtype(np.float64), np.dtype(np.int32)


class Layout:
    """The shapes that arrays of states and inputs of one model have."""

    def __init__(self, model: Model) -> None:
        particles, pins, bodies = len(model.particles), len(model.pins), len(model.bodies)
        joints, colliders = len(model.joints), len(model.colliders)
        shared = {
            "pin_position": (pins, 3),
            "collider_position": (colliders, 3),
            "collider_orientation": (colliders, 4),
            "body_position": (bodies, 3),
            "body_orientation": (bodies, 4),
            "mesh_vertex": (len(model.shapes.meshes.vertex), 3),
        }
        self.state: dict[str, tuple[int, ...]] = shared | {
            "position": (particles, 3),
            "previous": (particles, 3),
            "collider_velocity": (colliders, 3),
            "body_previous": (bodies, 3),
            "body_previous_orientation": (bodies, 4),
            "body_rest": (bodies,),
            "body_load": (bodies, 3),
            "body_hold": (bodies, 2, 3),
            "balls.rest": (len(model.self_collision.balls),),
            "joints.impulse": (joints, 6),
            "joints.broken": (joints,),
            "tears.weld": (0 if model.tears is None else particles,),
            "tears.tension": (0 if model.tears is None else len(model.tears.pair),),
            "rest.time": (len(model.objects),),
            "rest.calm": (len(model.objects),),
            "rest.crossed": (len(model.objects),),
            "rest.calm_middle": (len(model.rests.patch), 3),
            "rest.middle": (len(model.rests.patch), 3),
            "rest.pin_weight": (pins,),
            "rest.factors": (len(model.objects), len(WAKING_FACTORS)),
            "stretch.excess": (len(model.objects),),
            "stretch.share": (len(model.objects),),
        }
        inputs = shared | {
            "pin_weight": (pins,),
            "joint_target": (joints,),
            "joint_speed": (joints,),
            "joint_pose": (joints, 4),
            "joint_strength": (joints,),
            "joint_hold": (joints,),
        }
        self.inputs = tuple(inputs.items())
        self.object_count = len(model.objects)
        self.acted = 3 + len(NO_WIND) + len(FACTORS) * self.object_count  # numbers, without fields
        self.body_count = bodies
        self.particle_count = particles
        self.shape_count = len(model.shapes.kind)
        self.ball_count = len(model.self_collision.balls)
        self.known: tuple[Any, ...] = ()  # what the state holds that was handed out last

    def hand_out(self, state: State) -> None:
        """Know a state again that this model has made."""
        self.known = _held_by(state)

    def knows(self, state: State) -> bool:
        """Whether a state holds exactly what was handed out last."""
        given = _held_by(state)
        return len(given) == len(self.known) and all(map(is_, given, self.known))


_held_by = attrgetter(*STATE_COLUMNS)
"""All that a state holds, its parts' arrays among it."""


def check_arguments(model: Any, state: Any, inputs: Any, settings: Any) -> None:
    """Raise `ModelError` unless each argument of `advance` is what it should be."""
    for what, given, wanted in (
        ("model", model, Model),
        ("state", state, State),
        ("inputs", inputs, FrameInputs),
        ("settings", settings, SolverSettings),
    ):
        if not isinstance(given, wanted):
            raise ModelError("", f"{what} must be {wanted.__name__}, not {type(given).__name__}")
    for name, kind in STATE_PARTS.items():
        if not isinstance(getattr(state, name), kind):
            raise ModelError("", f"{name} of the state must be {kind.__name__}")


def model_of(model: Model, state: State) -> Model:
    """The model of what is torn in a state; raises `ModelError` for a state of another model."""
    tears = model.tears
    assert tears is not None
    weld = _state_array("tears.weld", state.tears.weld, _INT, tears.weld.shape)
    if np.array_equal(weld, tears.weld):
        return model
    number_of = np.arange(len(weld))
    fits = len(weld) == 0 or (weld.min() >= 0 and (weld <= number_of).all())
    if not fits or not np.array_equal(weld[weld], weld):
        raise ModelError("", "tears.weld of the state names copies that the model has not")
    return tears.model_for(weld)


def check_state(layout: Layout, state: State) -> None:
    """Raise `ModelError` unless the arrays of a state are those of the model."""
    if layout.knows(state):
        return
    columns = state.columns()
    for name, shape in layout.state.items():
        whole = name in ("joints.broken", "tears.weld")
        array = _state_array(name, columns[name], _INT if whole else _FLOAT, shape)
        if not whole and not np.isfinite(array).all():
            raise ModelError("", f"{name} of the state holds numbers that are not finite")
        if name in QUATERNIONS:
            _require_unit(f"{name} of the state", array)
    _check_contacts(layout, state.contacts.remembered)
    _check_cushions(layout, state)
    _check_balls(layout, state)
    _check_pressed(layout, state.stretch.pressed)
    _check_acted(layout, state.acted)
    number("", "step of the state", state.step, least=SHORTEST_STEP)
    number("", "time of the state", state.time, least=0.0)
    if not isinstance(state.frame, int | np.integer):
        raise ModelError("", f"frame of the state = {state.frame!r} is no whole number")


def _check_contacts(layout: Layout, remembered: Any) -> None:
    """What is remembered of contacts must be of shapes of the model."""
    name = "contacts.remembered"
    rows = _length_of(remembered)
    _state_array(name, remembered, REMEMBERED_CONTACT, (rows,))
    if not all(np.isfinite(column).all() for column in plain_columns(remembered)):
        raise ModelError("", f"{name} of the state holds numbers that are not finite")
    shape = remembered["shape"]
    if rows and (shape.min() < 0 or shape.max() >= layout.shape_count):
        raise ModelError("", f"{name} of the state names shapes that the model has not")


def _check_cushions(layout: Layout, state: State) -> None:
    """What cloth keeps apart must be pairs of shapes of the model, in order."""
    cushions = state.cushions
    rows = len(cushions.key) if isinstance(cushions.key, np.ndarray) else 0
    key = _state_array("cushions.key", cushions.key, _INT, (rows, 2))
    if rows and (key.min() < 0 or key.max() >= layout.shape_count):
        raise ModelError("", "cushions.key of the state names shapes that the model has not")
    rises = np.diff(pair_keys(key, layout.shape_count)) > 0
    if (key[:, 0] >= key[:, 1]).any() or not rises.all():
        raise ModelError("", "cushions.key of the state is not sorted")
    for name in ("thickness", "friction"):
        column = _state_array(f"cushions.{name}", getattr(cushions, name), _FLOAT, (rows,))
        if not (np.isfinite(column).all() and (column >= 0.0).all()):
            raise ModelError("", f"cushions.{name} of the state must be finite and not below zero")


def _check_balls(layout: Layout, state: State) -> None:
    """What balls have touched must be balls and shapes of the model, in order."""
    rows = len(state.balls.contact) if isinstance(state.balls.contact, np.ndarray) else 0
    key = _state_array("balls.contact", state.balls.contact, _INT, (rows, 2))
    if len(np.atleast_1d(state.balls.impulse)) != rows:
        raise ModelError("", "balls.contact and balls.impulse of the state have unlike lengths")
    impulse = _state_array("balls.impulse", state.balls.impulse, _FLOAT, (rows, 3))
    if not np.isfinite(impulse).all():
        raise ModelError("", "balls.impulse of the state holds numbers that are not finite")
    if not rows:
        return
    ball, other = key[:, 0], key[:, 1]
    is_known = (ball >= 0) & (ball < layout.ball_count) & (other < layout.ball_count)
    is_known &= (other > ball) | (other < 0) & (-1 - other < layout.shape_count)
    if not is_known.all():
        raise ModelError("", "balls.contact of the state names what the model has not")
    walls = int((other < 0).sum())
    is_sorted = (other[:walls] < 0).all() and (np.diff(ball[:walls]) >= 0).all()
    if not (is_sorted and (np.diff(ball[walls:]) >= 0).all()):
        raise ModelError("", "balls.contact of the state is not sorted, shapes before balls")
    if walls and np.bincount(ball[:walls]).max() > MOST_WALLS:
        raise ModelError("", "balls.contact of the state has a ball against too many shapes")


def _check_pressed(layout: Layout, pressed: Any) -> None:
    """What was pressed must be particles of the model."""
    rows = _length_of(pressed)
    _state_array("stretch.pressed", pressed, _INT, (rows,))
    if rows and (pressed.min() < 0 or pressed.max() >= layout.particle_count):
        raise ModelError("", "stretch.pressed of the state names what the model has not")


def _check_acted(layout: Layout, acted: Any) -> None:
    """What acted in the frame before must be of as many objects, and of whole fields."""
    length = _length_of(acted)
    _state_array("acted", acted, _FLOAT, (length,))
    if length < layout.acted or (length - layout.acted) % FIELD_NUMBERS:
        raise ModelError("", "acted of the state is of another model")
    if not np.isfinite(acted).all():
        raise ModelError("", "acted of the state holds numbers that are not finite")


def _length_of(array: Any) -> int:
    """Length of an array of one dimension, 0 of all else."""
    return len(array) if isinstance(array, np.ndarray) and array.ndim == 1 else 0


def _state_array(name: str, array: Any, dtype: Any, shape: tuple[int, ...]) -> Any:
    """An array of a state, of exactly that type and shape."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype:
        raise ModelError("", f"{name} of the state must be an array of {dtype}")
    if array.shape != shape:
        raise ModelError(
            "",
            f"{name} of the state has shape {array.shape}, expected {shape}: it belongs to "
            "another model",
        )
    if not array.flags.c_contiguous:
        raise ModelError("", f"{name} of the state must lie in one piece (np.ascontiguousarray)")
    return array


def checked_inputs(layout: Layout, inputs: FrameInputs, settings: SolverSettings) -> FrameInputs:
    """The inputs with arrays of float64 in one piece; raises `ModelError` where one is wrong."""
    changed: dict[str, Any] = {}
    for name, shape in layout.inputs:
        given = getattr(inputs, name)
        if given is None:
            continue
        array = _input_array(name, given, shape)
        if array is not given:
            changed[name] = array
    if type(inputs.gravity) is not tuple or not _is_plain_vector(inputs.gravity):
        changed["gravity"] = tuple(vector("", "gravity", inputs.gravity).tolist())
    duration = inputs.duration
    if type(duration) is not float or not SHORTEST_STEP <= duration <= 1.0:
        changed["duration"] = duration = number("", "duration", duration, least=SHORTEST_STEP)
        if settings.substep_rate * duration > MOST_SUBSTEPS:
            raise ModelError(
                "",
                f"duration = {duration:g} s asks for {settings.substep_rate * duration:.3g} "
                f"substeps in one frame, more than {MOST_SUBSTEPS:,}: it is in seconds",
            )
    _check_parts(layout, inputs)
    return replace(inputs, **changed) if changed else inputs


def _is_plain_vector(values: tuple[Any, ...]) -> bool:
    """Whether these are three floats and all finite."""
    if len(values) != 3:
        return False
    x, y, z = values
    return type(x) is type(y) is type(z) is float and bool(np.isfinite(x + y + z))


def _input_array(name: str, given: Any, shape: tuple[int, ...]) -> Floats:
    """An array of the inputs as kernels take it."""
    if not (
        type(given) is np.ndarray
        and given.dtype is _FLOAT
        and given.shape == shape
        and given.flags.carray  # of what is read-only, kernels would be compiled anew
    ):
        if np.shape(given) != shape:
            raise ModelError("", f"{name} has shape {np.shape(given)}, expected {shape}")
        given = numbers("", name, given, shape)
    if given.size:
        if not _is_finite(given):
            row = int(np.argwhere(~np.isfinite(given))[0][0])
            raise ModelError("", f"{name} holds numbers that are not finite (row {row})")
        if name in QUATERNIONS:
            _require_unit(name, given)
        if name == "pin_weight" and not (given.min() >= 0.0 and given.max() <= 1.0):
            raise ModelError("", "pin_weight must lie between 0 and 1")
    found: Floats = given
    return found


def _is_finite(array: Floats) -> bool:
    """Whether all numbers are finite; the sum of a few tells that faster than NumPy."""
    if array.size <= QUICK_TO_LOOP and isfinite(sum(array.ravel().tolist())):
        return True
    return b"\0" not in np.isfinite(array).tobytes()


def _require_unit(name: str, quaternions: Floats) -> None:
    """Raise `ModelError` where one of (k, 4) is not of unit length."""
    if len(quaternions) <= QUICK_TO_LOOP // 4:
        rows = quaternions.tolist()
        if all(abs(w * w + x * x + y * y + z * z - 1.0) <= UNIT_TOLERANCE for w, x, y, z in rows):
            return
    with np.errstate(over="ignore"):
        square = (quaternions * quaternions).sum(axis=1)
    wrong = np.abs(square - 1.0) > UNIT_TOLERANCE
    if wrong.any():
        row = int(np.argmax(wrong))
        length = float(np.sqrt(square[row]))
        raise ModelError("", f"{name}: row {row} is no unit quaternion, its length is {length:g}")


def _check_parts(layout: Layout, inputs: FrameInputs) -> None:
    """Raise `ModelError` for wind, fields, factors, a pull and a grab that are something else."""
    if type(inputs.wind) is not WindSettings:
        raise ModelError("", f"wind must be WindSettings, not {type(inputs.wind).__name__}")
    if inputs.fields:
        for one in inputs.fields:
            if not isinstance(one, Field):
                raise ModelError("", f"fields hold {type(one).__name__}, expected Field")
    if inputs.animated is not None:
        count = layout.object_count
        if len(inputs.animated) != count:
            raise ModelError(
                "", f"animated holds {len(inputs.animated)} settings for {count} objects"
            )
        for kind in set(map(type, inputs.animated)):
            if kind is not AnimatedSettings:
                raise ModelError("", f"animated holds {kind.__name__}, expected AnimatedSettings")
    if inputs.pull is not None:
        if not isinstance(inputs.pull, Pull):
            raise ModelError("", f"pull must be Pull, not {type(inputs.pull).__name__}")
        if len(inputs.pull.frequency) != layout.body_count:
            raise ModelError("", f"a pull on {layout.body_count} bodies must name each")
    if inputs.grab is not None:
        if not isinstance(inputs.grab, Grab):
            raise ModelError("", f"grab must be Grab, not {type(inputs.grab).__name__}")
        indices("", "particle of a grab", inputs.grab.particle, layout.particle_count)
        if inputs.grab.body >= layout.body_count:
            raise ModelError(
                "", f"a grab holds body {inputs.grab.body} of {layout.body_count} rigid bodies"
            )
