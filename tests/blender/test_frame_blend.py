"""What lies between two frames, and whether they differ: of every field that drives them."""

import importlib
from dataclasses import fields, replace

import numpy as np
import pytest
from small_scenes import MODULE, addon

pytestmark = pytest.mark.usefixtures("extension")

QUATERNIONS = ("collider_orientation", "body_orientation", "joint_pose")


def everything():
    """Inputs in which every field holds something, and the classes that they are made of."""
    model, pull = addon("live.simulation").FrameInputs, addon("ragdoll.driving").Pull
    level = np.tile([1.0, 0.0, 0.0, 0.0], (2, 1))
    arrays = {
        f.name: level if f.name in QUATERNIONS else np.arange(6.0).reshape(2, 3) / 7.0
        for f in fields(model)
        if "Floats" in str(f.type)
    }
    lead = arrays["body_position"]
    drawn = pull(lead, lead, np.ones(2), np.ones(2))
    grab = importlib.import_module(f"{MODULE}.core.model.grab").Grab
    hand = grab(1.0, (0.0, 0.0, 0.0), (4.0, 0.0, 0.0), body=0)
    return replace(model(), **arrays, pull=drawn, grab=hand, animated=())


def changed(inputs, name):
    """The same inputs with another value of one field."""
    value = getattr(inputs, name)
    if isinstance(value, np.ndarray):
        return replace(inputs, **{name: np.array(value[::-1]) + 0.5})
    match name:
        case "duration":
            return replace(inputs, duration=0.5)
        case "gravity":
            return replace(inputs, gravity=(0.0, 0.0, -1.0))
        case "wind":
            return replace(inputs, wind=replace(value, velocity=(1.0, 2.0, 3.0)))
        case "fields":
            return replace(inputs, fields=("a field",))
        case "animated":
            return replace(inputs, animated=("a factor",))
        case "pull":
            return replace(inputs, pull=replace(value, most=2.0 * value.most))
        case "grab":
            return replace(inputs, grab=value.toward((5.0, 2.0, 0.0)))
    raise AssertionError(f"what is another {name}?")


def test_a_change_of_any_field_is_seen():
    differ, inputs = addon("live.frame_blend").differ, everything()
    assert not differ(inputs, inputs)
    assert not differ(inputs, replace(inputs, body_position=inputs.body_position.copy()))
    for field in fields(inputs):
        assert differ(inputs, changed(inputs, field.name)), field.name


def test_what_stands_still_stays_what_it_is_to_the_last_bit():
    inputs = everything()
    between = addon("live.frame_blend").between(inputs, replace(inputs), 1.0 / 3.0, 1.0 / 3.0)
    for field in fields(inputs):
        if field.name not in {"pull", "grab"}:
            a, b = getattr(between, field.name), getattr(inputs, field.name)
            np.testing.assert_array_equal(a, b, err_msg=field.name)


def test_half_way_between():
    a = everything()
    b = a
    for field in fields(a):
        b = changed(b, field.name)
    b.body_orientation /= np.linalg.norm(b.body_orientation, axis=1)[:, None]
    half = addon("live.frame_blend").between(a, b, 0.5, 0.25)
    straight = ("pin_position", "collider_position", "body_position", "mesh_vertex")
    for name in (*straight, "joint_speed", "joint_target"):
        mean = 0.5 * (getattr(a, name) + getattr(b, name))
        np.testing.assert_allclose(getattr(half, name), mean, err_msg=name)
    for name in QUATERNIONS:
        length = np.linalg.norm(getattr(half, name), axis=1)
        np.testing.assert_allclose(length, 1.0, err_msg=name)
    for name in ("pin_weight", "joint_strength", "joint_hold", "wind", "animated"):
        assert getattr(half, name) is getattr(b, name), name
    way = b.body_position - a.body_position
    np.testing.assert_allclose(half.pull.start, a.body_position + 0.25 * way)
    np.testing.assert_allclose(half.pull.end, half.body_position)
    np.testing.assert_allclose(half.grab.start, (4.25, 0.5, 0.0))
    np.testing.assert_allclose(half.grab.end, (4.5, 1.0, 0.0))
