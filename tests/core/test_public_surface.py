"""The public names: all there, described on a page that is current, and enough for every verb."""

import ast
import dataclasses
import inspect
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import reference

import verlet_physics
from verlet_physics import (
    PRESETS,
    RECIPES,
    AnimatedSettings,
    BodySettings,
    BonePin,
    ColliderSettings,
    Field,
    FrameInputs,
    Geometry,
    JointSettings,
    ModelBuilder,
    OnBody,
    OnCollider,
    PinSettings,
    RagdollSettings,
    Skeleton,
    SolverSettings,
    WindSettings,
    add_body,
    add_collider,
    add_ragdoll,
    add_stick_figure,
    advance,
    body_poses,
    measure_stretch,
    plan_figure,
    plan_ragdoll,
    tie_to_limb,
)

pytestmark = pytest.mark.quick

DOCS = Path(__file__).resolve().parents[2] / "docs"
UPRIGHT = (1.0, 0.0, 0.0, 0.0)


def block(at, size=0.2):
    """A cube's corners and quads."""
    corner = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corner * size + at, np.array(faces)


def bones():
    """A trunk of two bones and a head."""
    head = np.array([(0, 0, 1.0), (0, 0, 1.3), (0, 0, 1.6)])
    tail = np.array([(0, 0, 1.3), (0, 0, 1.6), (0, 0, 1.8)])
    upright = np.array([(1.0, 0, 0), (0, 0, -1.0), (0, 1.0, 0)])
    return Skeleton(
        ("spine", "chest", "head"),
        np.array([-1, 0, 1], dtype=np.int32),
        head,
        tail,
        np.tile(upright, (3, 1, 1)),
        deforms=np.ones(3, dtype=bool),
        ik_lock=np.zeros((3, 3), dtype=bool),
        ik_lower=np.full((3, 3), -np.inf),
        ik_upper=np.full((3, 3), np.inf),
    )


def run(builder, frames=3, **inputs):
    model = builder.finalize()
    state = model.initial_state()
    for _ in range(frames):
        state, figures = advance(model, state, FrameInputs(**inputs), SolverSettings())
    assert figures.substeps == 20
    assert np.isfinite(state.position).all()
    return model, state


@pytest.mark.parametrize("kind", sorted(RECIPES))
def test_a_script_makes_every_kind_of_mesh(kind):
    points, quads = block((0.0, 0.0, 1.0))
    mesh = Geometry.of("mesh", points, (), np.arange(len(quads) + 1) * 4, quads.ravel())
    builder = ModelBuilder()
    settings = next(iter(PRESETS[kind].values())).settings
    number = RECIPES[kind](builder, mesh, settings, pin_weight=np.arange(8) == 0)
    wind = WindSettings(velocity=(3.0, 0.0, 0.0))
    model, state = run(builder, wind=wind, fields=(Field("pull", "FORCE", strength=-1.0),))
    moved = np.linalg.norm(state.position - model.particles.position, axis=1)
    assert model.objects[number].name == "mesh"
    assert moved[0] == 0.0 < moved.max()
    assert measure_stretch(model, state)[1] >= 0.0


def test_a_script_makes_bodies_colliders_and_joints():
    points, quads = block((0.0, 0.0, 0.5))
    triangles = np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]])
    builder = ModelBuilder()
    body = add_body(builder, "cube", points, UPRIGHT, BodySettings(mass=2.0), triangles=triangles)
    floor = np.array([(-1, -1, 0), (1, -1, 0), (-1, 1, 0), (1, 1, 0)], dtype=float)
    ground = add_collider(builder, "floor", floor, UPRIGHT, ColliderSettings(shape="PLANE"))
    hinge = JointSettings(kind="HINGE", is_limited=True)
    level = (0.7071, 0.7071, 0.0, 0.0)
    ends = (OnCollider(ground), OnBody(body))
    builder.add_joint("hinge", *ends, (0.4, 0.1, 0.6), level, hinge)
    model, state = run(builder, animated=(AnimatedSettings(),))
    places, _ = body_poses(model, state)
    assert len(model.joints) == 1
    assert np.linalg.norm(places[0] - model.bodies.position[0]) > 1e-4


def test_a_script_makes_ragdolls_and_stick_figures_and_dresses_them():
    plan = plan_ragdoll("doll", bones(), RagdollSettings())
    builder = ModelBuilder()
    hand = OnCollider(builder.add_handle("hand", (0.0, 0.0, 1.8), UPRIGHT))
    made = add_ragdoll(builder, plan, pins=(BonePin(2, PinSettings(), hand),))
    assert len(made.pins) == 1
    run(builder)

    figure = plan_figure(plan_ragdoll("stick", bones(), RagdollSettings(model="STICKS")))
    builder = ModelBuilder()
    shirt = builder.add_particles("shirt", [(0.1, 0.0, 1.5), (0.1, 0.1, 1.5)], mass=0.1)
    number = add_stick_figure(builder, figure)
    first = builder.objects[number].first_particle
    tie_to_limb(builder, shirt, figure, first, 1, np.arange(2, dtype=np.int32))
    model, state = run(builder)
    assert state.position[0, 2] < model.particles.position[0, 2]


def test_the_example_in_the_docstring_runs():
    text = inspect.cleandoc(verlet_physics.__doc__).split("\n\n")
    example = [part for part in text if part.startswith("    ")]
    scope = {}
    exec("\n".join(inspect.cleandoc("\n" + part) for part in example), scope)
    assert scope["state"].position[0, 2] < 2.0


def test_every_list_of_public_names_says_the_same():
    tree = ast.parse(Path(verlet_physics.__file__).read_text("utf-8"))
    typed = {
        (node.module, alias.name)
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        for alias in node.names
    }
    assert typed == {(home, name) for name, home in verlet_physics._HOME.items()}
    assert sorted(verlet_physics._HOME) == sorted(verlet_physics.__all__)


def test_every_public_name_stands_on_the_page_with_a_word_on_it():
    page = reference.api_page()
    assert set(verlet_physics._HOME.values()) == {m for _, _, ms in reference.SECTIONS for m in ms}
    for name in verlet_physics.__all__:
        about = page.split(f"\n### {name}\n")[1].split("\n### ")[0].strip()
        assert len(about) > 20, name
    for kind in (getattr(verlet_physics, name) for name in verlet_physics.__all__):
        if inspect.isclass(kind):
            for method in reference.public_methods(kind):
                assert method.__doc__, method.__qualname__


@pytest.mark.parametrize("name", sorted(reference.PAGES))
def test_pages_are_current(name):
    """`python dev.py docs` makes them."""
    assert (DOCS / name).read_text("utf-8") == reference.PAGES[name]()


def test_every_setting_stands_in_the_settings_page():
    page = reference.settings_page()
    for name in reference.public_names("settings"):
        kind = getattr(verlet_physics, name)
        if inspect.isclass(kind) and dataclasses.is_dataclass(kind) and name != "Tunable":
            table = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
            for field, (_, about) in verlet_physics.tunables(kind).items():
                assert f"| `{field}` | {about.label} |" in table


def test_importing_the_package_imports_no_numpy():
    code = "import sys, verlet_physics; print({'numpy', 'numba'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
