"""The choice of the integrator and the time budget, as the user meets them."""

import bpy
import numpy as np
import pytest
from small_scenes import addon, body, cloth, pin, play, seen, session_of

pytestmark = pytest.mark.usefixtures("scene")


def test_what_an_integrator_leaves_out_is_said_with_a_button(scene):
    ob = cloth()
    pin(ob, [0, 4])
    scene.verlet.solver.integrator = "IMPLICIT_EULER"
    play(scene, 1, 5)
    (problem,) = session_of(scene).problems
    assert not problem.is_error
    assert "tethers" in problem.message
    assert session_of(scene).last == 5
    assert np.isfinite(seen(ob)).all()
    assert problem.operator == "verlet.use_position_verlet"
    assert bpy.ops.verlet.use_position_verlet() == {"FINISHED"}
    assert scene.verlet.solver.integrator == "POSITION_VERLET"
    play(scene, 1, 3)
    assert session_of(scene).problems == []


def test_rigid_bodies_stop_an_integrator_that_carries_none(scene):
    body(name="Crate")
    scene.verlet.solver.integrator = "EXPLICIT_EULER"
    play(scene, 1, 3)
    assert "Crate" in session_of(scene).failure


def test_drafts_are_simulated_again_by_a_bake(scene, monkeypatch):
    ob = cloth()
    pin(ob, [0, 4])
    scene.verlet.solver.iterations = 30
    play(scene, 1, 8)
    exact = seen(ob)
    bpy.ops.verlet.reset()
    scene.verlet.solver.time_budget = 0.001
    monkeypatch.setattr(addon("live.simulation"), "is_live", lambda: True)
    play(scene, 1, 8)
    running = session_of(scene)
    assert running.phase.draft == 2
    assert "draft" in addon("live.status").status(scene)[0]
    assert not np.array_equal(seen(ob), exact)
    scene.frame_end = 8
    assert bpy.ops.verlet.bake() == {"FINISHED"}
    assert session_of(scene).phase.draft is None
    scene.frame_set(8)
    np.testing.assert_array_equal(seen(ob), exact)


def test_without_a_window_the_clock_does_not_count(scene):
    ob = cloth()
    pin(ob, [0, 4])
    scene.verlet.solver.iterations = 30
    scene.verlet.solver.time_budget = 0.001
    play(scene, 1, 4)
    assert session_of(scene).phase.draft is None


def test_parameters_that_matter_for_a_choice_name_real_ones(scene):
    """A choice that was renamed would hide a parameter for good."""
    ob = cloth()
    owners = [scene.verlet.solver, ob.verlet.particles, ob.verlet.body, ob.verlet.collider]
    owners.append(ob.verlet.ragdoll)
    for name, (chooser, wanted) in addon("panels.settings").MATTERS_ONLY_FOR.items():
        groups = [one for one in owners if hasattr(one, name) and hasattr(one, chooser)]
        choices = (group.bl_rna.properties[chooser].enum_items for group in groups)
        known = {choice.identifier for items in choices for choice in items}
        assert known >= set(wanted), name
        assert wanted, name
