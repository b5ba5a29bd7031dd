"""Contacts that several threads solve: the order that allows it, and that it changes nothing."""

from __future__ import annotations

import numpy as np
import pytest

from verlet_physics.bench.rigid_bodies import model_of
from verlet_physics.bench.rigid_scenes import RigidScene, heap, large_pyramid
from verlet_physics.model import FrameInputs
from verlet_physics.rigid.contacts import contact_order
from verlet_physics.rigid.contacts.contact_order import PHASES
from verlet_physics.settings import SolverSettings
from verlet_physics.stages import bodies
from verlet_physics.step import advance
from verlet_physics.workspace import workspace_of

SCENES = [heap(300), large_pyramid(20)]


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
        assert other.contacts.impulse.tobytes() == ends[0].contacts.impulse.tobytes()


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


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
def test_passes_do_what_the_loop_over_substeps_does(scene, monkeypatch):
    """From the same rows, to the last bit."""
    _, shared = end_of(scene, 1, frames=1)
    monkeypatch.setattr(bodies, "is_shared", lambda contacts: False)
    _, alone = end_of(scene, 1, frames=1)
    assert shared.body_position.tobytes() == alone.body_position.tobytes()


def test_what_is_remembered_keeps_the_order_of_shapes():
    _, state = end_of(large_pyramid(20), 1, frames=2)
    key = state.contacts.key
    order = np.lexsort((key[:, 2], key[:, 1], key[:, 0]))
    assert (key[order] == key).all()


def test_few_manifolds_stay_in_the_order_of_shapes():
    model, _ = end_of(large_pyramid(5), 1, frames=1)
    assert workspace_of(model).body_contacts.order.phases[0] == 0
    assert contact_order.ORDERED_FROM > 15
