"""Golden scenes: the same bits on one thread and two, and nothing of the engine left out.

What there is to reach is found by walking the source: a constraint, force, joint, shape or kernel
that is added and that no scene reaches fails a test here.
"""

import dataclasses
import functools
import importlib
import inspect
import json
import pkgutil
import sys

import numpy as np
import pytest

import verlet_physics
from verlet_physics import FrameInputs, Model, coupling, forces, particles, recipes
from verlet_physics.__main__ import main
from verlet_physics.building.builder import ModelBuilder
from verlet_physics.collision.kinds import MESH, PLANE, ROOM, SHAPE_KINDS
from verlet_physics.golden import hashes
from verlet_physics.kernels import jit
from verlet_physics.model.field import FALLOFFS, FIELD_KINDS, FIELD_SHAPES, FIELD_SIDES
from verlet_physics.rigid.sleep.stillness import REST_TIME
from verlet_physics.settings import (
    BodySettings,
    JointSettings,
    ParticleSettings,
    RagdollSettings,
    SolverSettings,
    tunables,
)

NOT_OF_A_STEP = ("bench.", "truth.", "geometry.")
"""Modules whose kernels make scenes or judge them and never run in a step."""


def modules_of(package):
    prefix = f"{package.__name__}."
    for found in pkgutil.walk_packages(package.__path__, prefix):
        if not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def classes_with(package, method):
    """Classes of a package's modules that have a method of their own, protocols left out."""
    return {
        kind
        for module in modules_of(package)
        for kind in vars(module).values()
        if isinstance(kind, type)
        and kind.__module__ == module.__name__
        and method in vars(kind)
        and not getattr(kind, "_is_protocol", False)
    }


def constraints():
    """All of them: those that join particles, and those that tie them to bodies."""
    return classes_with(particles, "project") | classes_with(coupling, "project")


def choices(settings, name):
    return {choice for choice, _, _ in tunables(settings)[name][1].choices}


class Reached:
    """What the golden scenes have done, noted while they run."""

    def __init__(self):
        self.kernels = set()
        self.moved = set()  # classes of constraints and forces that have changed something
        self.codes = set()  # functions of recipes that have run
        self.given = {}  # values of arguments and settings by name
        self.pairs = set()  # kinds of shapes that have touched
        self.models = {}
        self.hashes = {}
        self.ends = {}
        self.has_slept = False

    def note(self, record, prefix=""):
        for field in dataclasses.fields(record):
            value = getattr(record, field.name)
            if isinstance(value, str):
                self.given.setdefault(prefix + field.name, set()).add(value)


@pytest.fixture(scope="module")
def reached():
    patch = pytest.MonkeyPatch()
    found = Reached()
    call, call_parallel = jit.Kernel.__call__, jit.Kernel._call_parallel

    def on_one(self, *arguments):
        found.kernels.add(self)
        return call(self, *arguments)

    def on_several(self, *arguments):
        found.kernels.add((self, "parallel"))
        return call_parallel(self, *arguments)

    patch.setattr(jit.Kernel, "__call__", on_one)
    patch.setattr(jit.Kernel, "_call_parallel", on_several)

    def watch(kind, method, changed):
        original = getattr(kind, method)

        @functools.wraps(original)
        def watched(self, moving, *rest):
            before = [array.copy() for array in changed(moving)]
            original(self, moving, *rest)
            if any((a != b).any() for a, b in zip(before, changed(moving), strict=True)):
                found.moved.add(kind)

        patch.setattr(kind, method, watched)

    for kind in constraints():
        watch(kind, "project", lambda moving: [moving.x])
    for kind in classes_with(forces, "apply"):
        watch(kind, "apply", lambda acting: [acting.force, acting.velocity])
    for kind in classes_with(forces, "slow"):
        watch(kind, "slow", lambda particles: [particles.x])

    joint, body, advance = ModelBuilder.add_joint, ModelBuilder.add_rigid_body, hashes.advance

    def add_joint(self, name, first, second, position, *rest, **details):
        bound = inspect.signature(joint).bind(self, name, first, second, position, *rest, **details)
        settings = bound.arguments.get("settings") or JointSettings()
        found.note(settings, "joint.")
        for end in (first, second):
            found.given.setdefault("joint.end", set()).add(type(end).__name__)
        return joint(*bound.args, **bound.kwargs)

    def add_rigid_body(self, *arguments, **details):
        for name in ("model", "follows"):
            if name in details:
                found.given.setdefault(f"body.{name}", set()).add(details[name])
        return body(self, *arguments, **details)

    def advanced(model, state, inputs, settings):
        after, figures = advance(model, state, inputs, settings)
        found.has_slept = found.has_slept or bool((after.body_rest >= REST_TIME).any())
        found.note(settings, "solver.")
        for field in inputs.fields:
            found.note(field, "field.")
        for field in dataclasses.fields(FrameInputs):
            value = getattr(inputs, field.name)
            if value is not None and (not isinstance(value, tuple) or value):
                found.given.setdefault("inputs", set()).add(field.name)
        kinds = model.shapes.kind[after.contacts.remembered["shape"]]
        found.pairs |= {frozenset((int(a), int(b))) for a, b in kinds}
        assert np.isfinite(after.position).all()
        assert np.isfinite(after.body_position).all()
        return after, figures

    patch.setattr(ModelBuilder, "add_joint", add_joint)
    patch.setattr(ModelBuilder, "add_rigid_body", add_rigid_body)
    patch.setattr(hashes, "advance", advanced)
    for name, make in hashes.SCENES.items():
        sys.setprofile(lambda frame, event, _: found.codes.add(frame.f_code))
        try:
            scene = make()
        finally:
            sys.setprofile(None)
        found.models[name] = scene.model
        states = [hashes.final_state(scene, threads) for threads in hashes.THREADS]
        found.ends[name] = states[0]
        found.hashes[name] = [hashes.state_hash(scene.model, state) for state in states]
    patch.undo()
    return found


def test_there_are_scenes_enough_and_each_ends_somewhere_else(reached):
    assert len(reached.hashes) >= 25
    ends = [one for one, _ in reached.hashes.values()]
    alike = {name for name, (one, _) in reached.hashes.items() if ends.count(one) > 1}
    assert len(alike) <= 12, alike  # the same net under settings that say the same


def test_one_thread_and_two_end_with_the_same_bits(reached):
    differ = {name for name, (one, two) in reached.hashes.items() if one != two}
    assert not differ


def test_every_constraint_has_moved_something(reached):
    known = constraints()
    assert len(known) >= 13
    assert not known - reached.moved


def test_every_force_has_pushed_something(reached):
    known = classes_with(forces, "apply")
    assert len(known) >= 4
    assert not known - reached.moved


def test_every_kernel_of_a_step_has_run(reached):
    root = f"{verlet_physics.__name__}."
    list(modules_of(verlet_physics))

    def is_ours(kernel):
        module = kernel.function.__module__
        return module.startswith(root) and not module.removeprefix(root).startswith(NOT_OF_A_STEP)

    known = [kernel for kernel in jit._kernels if is_ours(kernel)]
    missed = [k.function.__qualname__ for k in known if k not in reached.kernels]
    assert len(known) > 60
    assert not missed
    if jit.thread_limit() > 1:
        twins = {(kernel, "parallel") for kernel in known if kernel.can_be_parallel}
        assert not {kernel.function.__qualname__ for kernel, _ in twins - reached.kernels}


def test_every_recipe_has_run(reached):
    verbs = {
        function
        for module in modules_of(recipes)
        for name, function in vars(module).items()
        if inspect.isfunction(function)
        and function.__module__ == module.__name__
        and name.startswith(("add_", "tie_"))
    }
    assert len(verbs) > 8
    assert not {verb.__qualname__ for verb in verbs if verb.__code__ not in reached.codes}
    assert {name.lower() for name in choices(ParticleSettings, "behaviour")} <= {
        span.name.lower() for model in reached.models.values() for span in model.objects
    }


def test_every_way_to_add_to_a_model_has_been_taken(reached):
    ways = {
        name: method
        for name, method in inspect.getmembers(ModelBuilder, inspect.isfunction)
        if not name.startswith("_") and name not in ("add_joint", "add_rigid_body")
    }
    assert not {name for name, way in ways.items() if way.__code__ not in reached.codes}


def test_every_pair_of_shapes_has_touched(reached):
    solid = [kind for kind in SHAPE_KINDS.values() if kind not in (PLANE, ROOM, MESH)]
    pairs = {frozenset((a, b)) for a in solid for b in SHAPE_KINDS.values()}
    names = {number: name for name, number in SHAPE_KINDS.items()}
    missed = {tuple(sorted(names[k] for k in pair)) for pair in pairs - reached.pairs}
    assert not missed


def test_particles_have_met_every_shape(reached):
    model, end = reached.models["shapes-particles"], reached.ends["shapes-particles"]
    time = end.time
    falls = model.particles.position[:, 2] + model.particles.velocity[:, 2] * time - 4.905 * time**2
    met = {
        span.name
        for span in model.objects
        if (end.position[span.particles, 2] > falls[span.particles] + 0.05).any()
    }
    assert {f"on {kind}" for kind in SHAPE_KINDS} | {"on a body"} <= met


def test_every_joint_has_been_driven_every_way(reached):
    assert reached.given["joint.kind"] == choices(JointSettings, "kind")
    assert reached.given["joint.motor"] == choices(JointSettings, "motor")
    assert reached.given["joint.end"] == {"OnBody", "OnCollider", "NoneType"}
    assert any(end.joints.broken.any() for end in reached.ends.values())


def test_every_kind_of_body_and_character_has_moved(reached):
    assert reached.given["body.model"] == choices(BodySettings, "model")
    assert reached.given["body.follows"] == choices(BodySettings, "type")
    assert choices(RagdollSettings, "model") == {"BODIES", "STICKS"}
    assert len(reached.models["stick-figure"].limbs)


def test_every_field_has_blown(reached):
    for name, table in (
        ("kind", FIELD_KINDS),
        ("shape", FIELD_SHAPES),
        ("falloff", FALLOFFS),
        ("side", FIELD_SIDES),
    ):
        assert reached.given[f"field.{name}"] == set(table)


def test_every_choice_of_the_solver_has_been_made(reached):
    for name, (_, about) in tunables(SolverSettings).items():
        if about.choices:
            assert reached.given[f"solver.{name}"] == choices(SolverSettings, name), name


def test_every_input_of_a_frame_has_been_given(reached):
    known = {field.name for field in dataclasses.fields(FrameInputs)} - {"duration"}
    assert not known - reached.given["inputs"]


def test_every_table_of_a_model_has_been_filled(reached):
    names = {field.name for field in dataclasses.fields(Model)}
    filled = {
        name
        for model in reached.models.values()
        for name in names
        if getattr(model, name) is not None and len(getattr(model, name))
    }
    assert not names - filled


def test_somebody_has_slept(reached):
    assert reached.has_slept


def test_one_bit_is_another_hash(reached):
    model, end = reached.models["rope"], reached.ends["rope"].copy()
    before = hashes.state_hash(model, end)
    end.previous[3, 1] = np.nextafter(end.previous[3, 1], 1.0)
    assert hashes.state_hash(model, end) != before


def test_the_command_compares_with_a_file(tmp_path, capsys):
    path = tmp_path / "hashes.json"
    assert main(["golden", "rope", "constraint-rod", "--save", str(path)]) == 0
    assert main(["golden", "rope", "--against", str(path)]) == 0
    saved = json.loads(path.read_text("utf-8"))
    saved["scenes"]["rope"] = "0123456789abcdef"
    saved["scenes"]["of old"] = "0123456789abcdef"
    path.write_text(json.dumps(saved), "utf-8")
    capsys.readouterr()
    assert main(["golden", "rope", "--against", str(path)]) == 1
    told = capsys.readouterr().out
    assert "rope ends elsewhere: 0123456789abcdef before" in told
    assert "of old is gone" in told


def test_the_command_refuses_files_of_other_machines_and_unknown_names(tmp_path, capsys):
    path = tmp_path / "hashes.json"
    path.write_text(json.dumps({"machine": {"processor": "abacus"}, "scenes": {}}), "utf-8")
    assert main(["golden", "rope", "--against", str(path)]) == 2
    assert "is of another machine" in capsys.readouterr().err
    assert main(["golden", "ropes"]) == 2
    assert "no golden scene 'ropes'" in capsys.readouterr().err


def test_hashes_of_kept_models_are_good_for_these_alone(tmp_path, capsys):
    models, others, path = tmp_path / "models", tmp_path / "others", tmp_path / "hashes.json"
    hashes.keep_models(models, ["rope", "constraint-rod"])
    hashes.keep_models(others, ["rope"])
    kept = ["golden", "rope", "--models", str(models)]
    assert main([*kept, "--save", str(path)]) == 0
    assert main([*kept, "--against", str(path)]) == 0
    assert main(["golden", "rope", "--models", str(others), "--against", str(path)]) == 2
    assert "is of another machine: models" in capsys.readouterr().err
    assert main(["golden", "heap", "--models", str(models)]) == 2
    assert "no golden scene 'heap'; known are: rope, constraint-rod" in capsys.readouterr().err
