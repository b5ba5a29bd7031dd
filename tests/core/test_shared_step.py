"""Contacts that several threads solve: the order that allows it, and that it changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from verlet_physics.bench.cloth_scenes import sheet
from verlet_physics.bench.rigid_bodies import model_of
from verlet_physics.bench.rigid_scenes import (
    RigidScene,
    heap,
    large_pyramid,
    pyramid,
    stack,
)
from verlet_physics.building.builder import ModelBuilder
from verlet_physics.model import FrameInputs
from verlet_physics.recipes.cloth import add_cloth
from verlet_physics.recipes.geometry import Geometry
from verlet_physics.rigid.contacts import contact_order
from verlet_physics.rigid.contacts.contact_order import PHASES, order_rows
from verlet_physics.rigid.shared_step import threads_of
from verlet_physics.rigid.sleep.stillness import REST_TIME
from verlet_physics.settings import AnimatedSettings, ClothSettings, SolverSettings
from verlet_physics.stages import bodies
from verlet_physics.step import advance
from verlet_physics.workspace import workspace_of

SCENES = [heap(300), large_pyramid(20)]


def crates_on_cloth():
    """Eight layers of 25 crates that fall on a sheet of cloth on a floor."""
    builder = ModelBuilder()
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    positions, quads = sheet(20, 20, 1.6, 1.6)
    offsets = np.arange(0, quads.size + 1, 4)
    mesh = Geometry.of("sheet", positions + (0.0, 0.0, 0.01), (), offsets, quads.reshape(-1))
    add_cloth(builder, mesh, ClothSettings())
    side, up = np.arange(5) * 0.24 - 0.5, np.arange(8) * 0.205 + 0.12
    for n, place in enumerate(np.stack(np.meshgrid(side, side, up), axis=-1).reshape(-1, 3)):
        builder.add_body(f"crate {n}", "BOX", (0.1, 0.1, 0.1), place, mass=0.5)
    return builder.finalize()


def end_of(scene: RigidScene, threads: int, frames: int = 40):
    """The model and where its bodies are after some frames."""
    model = model_of(scene, sleeps=False)
    state = model.initial_state()
    for _ in range(frames):
        state, _ = advance(model, state, FrameInputs(), SolverSettings(threads=threads))
    return model, state


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_any_number_of_threads_gives_the_same_bits(scene):
    ends = [end_of(scene, threads)[1] for threads in (1, 2, 3, 8)]
    for other in ends[1:]:
        assert other.body_position.tobytes() == ends[0].body_position.tobytes()
        assert other.contacts.remembered.tobytes() == ends[0].contacts.remembered.tobytes()


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_tasks_of_a_phase_share_no_body_that_moves(scene):
    model, _ = end_of(scene, 1)
    contacts = workspace_of(model).body_contacts
    order = contacts.order
    assert order.phases[0] == PHASES
    count = int(contacts.count[0])
    first = order.first_row[: order.first_task[PHASES] + 1]
    assert first[0] == 0
    assert first[-1] == count
    heads = contacts.rows["points"][first[:-1][np.diff(first) > 0]]
    assert (heads > 0).all()  # no manifold is cut
    moves = workspace_of(model).owners.inverse_mass > 0.0
    task = np.repeat(np.arange(len(first) - 1), np.diff(first))
    for phase in range(PHASES):
        begin, end = order.first_task[phase : phase + 2]
        held_by: dict[int, int] = {}
        for row in np.flatnonzero((task >= begin) & (task < end)):
            for owner in contacts.rows["owner"][row]:
                if moves[owner]:
                    assert held_by.setdefault(int(owner), int(task[row])) == task[row]


def solved_one_by_one(monkeypatch):
    """Have rows solved one by one, in the order that they have."""

    def order_alone(*arguments):
        count = order_rows(*arguments)
        order = arguments[6]
        order.phases[0] = 0
        return count

    monkeypatch.setattr(bodies, "order_rows", order_alone)


@pytest.mark.parametrize(
    ("scene", "frames"),
    [(heap(12), 40), (heap(100), 40), (heap(300), 40), (large_pyramid(20), 10)],
    ids=["a few", "small heap", "heap", "pyramid"],
)
def test_four_at_a_time_end_where_one_by_one_do(scene, frames, monkeypatch):
    """From the same rows, to the last bit."""
    model, shared = end_of(scene, 1, frames)
    assert workspace_of(model).body_contacts.packets.count[0] > 0
    solved_one_by_one(monkeypatch)
    model, alone = end_of(scene, 1, frames)
    assert workspace_of(model).body_contacts.packets.count[0] == 0
    assert shared.body_position.tobytes() == alone.body_position.tobytes()
    assert shared.body_previous.tobytes() == alone.body_previous.tobytes()
    assert shared.contacts.remembered.tobytes() == alone.contacts.remembered.tobytes()


@pytest.mark.parametrize(("scene", "is_packed"), [(stack(40), False), (pyramid(6), True)])
def test_a_stack_whose_lanes_would_stay_free_is_solved_one_by_one(scene, is_packed):
    model, _ = end_of(scene, 1, frames=2)
    contacts = workspace_of(model).body_contacts
    assert (contacts.packets.count[0] > 0) == is_packed


@pytest.mark.parametrize(("scene", "threads"), [(pyramid(6), 1), (large_pyramid(20), 8)])
def test_what_is_one_task_is_solved_by_one_thread(scene, threads):
    model, _ = end_of(scene, 1, frames=2)
    assert threads_of(workspace_of(model).body_contacts, 8) == threads


def test_four_at_a_time_meet_cloth_as_one_by_one_do(monkeypatch):
    """Where particles take part, a substep is done in three parts."""
    ends = []
    for is_alone in (False, True):
        if is_alone:
            solved_one_by_one(monkeypatch)
        model = crates_on_cloth()
        state = model.initial_state()
        for _ in range(25):
            state, _ = advance(model, state, FrameInputs(), SolverSettings(threads=1))
        assert (workspace_of(model).body_contacts.packets.count[0] == 0) == is_alone
        ends.append(state)
    assert ends[0].position.tobytes() == ends[1].position.tobytes()
    assert ends[0].body_position.tobytes() == ends[1].body_position.tobytes()


def crates_that_sleep():
    """Two layers of crates asleep; a stone and a soft body fall on them, and one is let go of."""
    builder = ModelBuilder()
    builder.add_collider("floor", "PLANE", (), (0.0, 0.0, 0.0))
    side = np.arange(5) * 0.2
    for n, place in enumerate(np.stack(np.meshgrid(side, side, [0.1, 0.3]), -1).reshape(-1, 3)):
        builder.add_body(f"crate {n}", "BOX", (0.1, 0.1, 0.1), place, mass=0.5)
    builder.add_body("led", "BOX", (0.1, 0.1, 0.1), (0.4, 0.4, 0.6), mass=2.0, follows="ANIMATED")
    builder.add_particles("stone", [(0.13, 0.1, 0.7)], mass=3.0, radius=0.1, velocity=(0, 0, -7))
    place = (0.65, 0.7, 0.7)
    builder.add_body("soft", "BOX", (0.1,) * 3, place, mass=1.0, model="TETRAHEDRON")
    return builder.finalize()


def test_four_at_a_time_are_woken_as_one_by_one_are(monkeypatch):
    """Also in the middle of a substep, where who wakes has another mass than before."""
    ends = []
    for is_alone in (False, True):
        if is_alone:
            solved_one_by_one(monkeypatch)
        model, packed = crates_that_sleep(), 0
        state = model.initial_state()
        for frame in range(16):
            keyed = (AnimatedSettings(pin=float(frame < 6)),) * len(model.objects)
            free = FrameInputs(animated=keyed)
            state, _ = advance(model, state, free, SolverSettings(threads=1))
            if frame == 0:
                state.body_rest[:-1] = REST_TIME
            packed += int(workspace_of(model).body_contacts.packets.count[0])
        assert (packed == 0) == is_alone
        assert (state.body_rest < REST_TIME).sum() > 10  # they have woken
        ends.append(state)
    assert ends[0].position.tobytes() == ends[1].position.tobytes()
    assert ends[0].body_position.tobytes() == ends[1].body_position.tobytes()
    assert ends[0].contacts.remembered.tobytes() == ends[1].contacts.remembered.tobytes()


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_lanes_of_a_packet_share_no_body_that_moves(scene):
    model, _ = end_of(scene, 1)
    contacts, owners = workspace_of(model).body_contacts, workspace_of(model).owners
    packets = contacts.packets.packet[: contacts.packets.count[0]]
    dealt = packets["row"][packets["row"] >= 0]
    heads = np.flatnonzero(contacts.rows["points"][: contacts.count[0]])
    assert sorted(dealt) == heads.tolist()  # each manifold once
    last = dict.fromkeys(range(len(owners.inverse_mass)), -1)
    for packet in packets["row"]:
        held = contacts.rows["owner"][packet[packet >= 0]]
        moving = held[owners.inverse_mass[held] > 0.0]
        assert len(set(moving)) == len(moving)
        for owner, row in ((o, r) for r in packet[packet >= 0] for o in contacts.rows["owner"][r]):
            if owners.inverse_mass[owner] > 0.0:
                assert last[owner] < row or not in_one_phase(contacts, last[owner], row)
                last[owner] = int(row)
    assert len(dealt) >= 0.7 * packets["row"].size  # hardly a lane stays free


def in_one_phase(contacts, one: int, other: int) -> bool:
    """Whether two rows are solved in the same phase."""
    order = contacts.order
    first = order.first_row[order.first_task]
    return bool(np.searchsorted(first, one, "right") == np.searchsorted(first, other, "right"))


def test_what_is_remembered_keeps_the_order_of_shapes():
    _, state = end_of(large_pyramid(20), 1, frames=2)
    remembered = state.contacts.remembered
    first, second = remembered["shape"].T
    order = np.lexsort((remembered["sub_shape"], second, first))
    assert (remembered[order] == remembered).all()


@pytest.mark.parametrize(("base", "manifolds"), [(5, 35), (10, 145)])
def test_few_manifolds_stay_in_the_order_of_shapes(base, manifolds):
    model, _ = end_of(large_pyramid(base), 1, frames=1)
    contacts = workspace_of(model).body_contacts
    assert np.count_nonzero(contacts.rows["points"][: contacts.count[0]]) == manifolds
    assert manifolds < contact_order.ORDERED_FROM
    assert (contacts.order.phases[0] > 0) == (manifolds >= contact_order.SHARED_FROM)
    assert (np.diff(contacts.origin["rank"][: contacts.count[0]]) == 1).all()
