"""What is known of simulated frames, and how that changes: see verlet_addon/session/phase.py."""

import importlib.util
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest

PATH = Path(__file__).resolve().parents[2] / "verlet_addon/session/phase.py"
NAME = "verlet_session_phase"


def loaded():
    """The module by itself: the add-on around it needs Blender."""
    spec = importlib.util.spec_from_file_location(NAME, PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module
    spec.loader.exec_module(module)
    return module


phases = loaded()
Event, Frames, EventKind, Phase, Standing = (
    getattr(phases, name) for name in ("Event", "Frames", "EventKind", "Phase", "Standing")
)


def after(*events, phase=None):
    """The phase after some events: kinds, or kinds with what belongs to them."""
    phase = phase or Phase()
    for event in events:
        kind, *rest = event if isinstance(event, tuple) else (event,)
        phase = phases.transition(phase, Event(kind, *rest))
    return phase


def test_it_needs_no_blender():
    assert not {"bpy", "mathutils"} & set(vars(phases))
    assert "import bpy" not in PATH.read_text("utf-8")


def test_every_event_is_in_the_table():
    assert set(phases._TABLE) == set(EventKind)


@pytest.mark.parametrize("kind", list(EventKind))
def test_a_transition_changes_no_phase_that_was(kind):
    before = after(EventKind.EDITED, (EventKind.CUT, 4), (EventKind.IMPROVISED, 9))
    copy = replace(before)
    phases.transition(before, Event(kind, 5, True, "why"))
    assert before == copy


def test_an_edit_makes_frames_suspect_and_a_comparison_settles_it():
    assert after(EventKind.EDITED).is_suspect
    assert not after(EventKind.EDITED).is_sound
    assert after(EventKind.EDITED, (EventKind.COMPARED, 0, False)) == Phase()
    outdated = after(EventKind.EDITED, (EventKind.COMPARED, 0, True))
    assert (outdated.is_outdated, outdated.is_suspect) == (True, False)


def test_an_edit_that_is_taken_back_makes_the_frames_current_again():
    outdated = after(EventKind.EDITED, (EventKind.COMPARED, 0, True))
    assert after(EventKind.EDITED, (EventKind.COMPARED, 0, False), phase=outdated) == Phase()


def test_no_comparison_clears_an_edited_action():
    moved = after(EventKind.ACTION_EDITED, EventKind.EDITED, (EventKind.COMPARED, 0, False))
    assert moved.frames is Frames.MOVED
    assert moved.is_outdated
    assert not after(EventKind.FOUND_CURRENT, phase=moved).is_outdated


@pytest.mark.parametrize(("kind", "mark"), [("GUESSED", "guessed"), ("CUT", "draft")])
def test_the_first_frame_of_a_sort_stays_the_first(kind, mark):
    phase = after((EventKind[kind], 7), (EventKind[kind], 9))
    assert getattr(phase, mark) == 7
    assert phase.inexact_by(20) == 7


def test_a_bake_begins_again_at_the_first_frame_that_does_not_hold():
    phase = after((EventKind.CUT, 12), (EventKind.IMPROVISED, 8), (EventKind.GUESSED, 10))
    assert phase.inexact_by(20) == 8
    assert phase.inexact_by(7) == 10  # nothing is improvised up to there
    assert Phase().inexact_by(20) is None


def test_frames_that_are_dropped_take_with_them_what_was_said_of_them():
    phase = after(
        (EventKind.CUT, 4),
        (EventKind.FLUNG, 8),
        (EventKind.IMPROVISED, 9),
        (EventKind.FAILED, 0, False, "!"),
    )
    left = after((EventKind.DROPPED, 8), phase=phase)
    assert (left.draft, left.flung, left.improvised, left.failure) == (4, None, None, "")


def test_frames_that_are_dropped_leave_doubts_and_a_bake_s_hold():
    phase = after(EventKind.EDITED, EventKind.HELD, EventKind.ACTION_EDITED, (EventKind.DROPPED, 1))
    assert (phase.is_suspect, phase.is_held, phase.is_outdated) == (True, True, True)
    assert not after(EventKind.RELEASED, phase=phase).is_held


def test_what_is_said_is_the_worst():
    events = [
        (EventKind.CUT, 3),
        (EventKind.IMPROVISED, 5),
        (EventKind.CROSSED, 6),
        (EventKind.FLUNG, 6),
        (EventKind.COMPARED, 0, True),
        (EventKind.FAILED, 0, False, "It blew up"),
    ]
    said = [after(*events[:count]).standing(20) for count in range(len(events) + 1)]
    assert said == list(reversed(Standing))


def test_an_improvisation_that_lies_ahead_is_not_said_yet():
    phase = after((EventKind.IMPROVISED, 6))
    assert phase.standing(5) is Standing.WHOLE
    assert phase.standing(6) is Standing.IMPROVISED


def test_no_mark_is_forgotten_by_dropping():
    marks = {f.name for f in fields(Phase) if f.type == "int | None"}
    kinds = ("GUESSED", "CUT", "IMPROVISED", "FLUNG", "CROSSED", "FORCED")
    phase = after(*((EventKind[kind], 5) for kind in kinds))
    assert all(getattr(phase, mark) == 5 for mark in marks)
    left = after((EventKind.DROPPED, 5), phase=phase)
    assert all(getattr(left, mark) is None for mark in marks)
