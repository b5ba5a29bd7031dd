"""Where the playhead waits while a frame is simulated: see verlet_addon/session/playhead.py."""

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import pytest

PATH = Path(__file__).resolve().parents[2] / "verlet_addon/session/playhead.py"
NAME = "verlet_session_playhead"


def loaded():
    """The module by itself: the add-on around it needs Blender."""
    spec = importlib.util.spec_from_file_location(NAME, PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = module
    spec.loader.exec_module(module)
    return module


playheads = loaded()
PLAYING = playheads.Playhead(stood=8, last=7, simulating=8, is_playing=True, ends=(1, 20))
STEPPING = replace(PLAYING, is_playing=False)
IDLE = replace(PLAYING, stood=7, simulating=None)


def shown(playhead, asked):
    return playheads.frame_to_show(playhead, asked)


@pytest.mark.parametrize("asked", [8, 9, 12, 500])
def test_what_plays_waits_on_the_frame_that_is_simulated(asked):
    assert shown(PLAYING, asked) == 8


def test_it_waits_before_it_begins_anew_too():
    assert shown(replace(PLAYING, stood=20, last=19, simulating=20), 1) == 20


@pytest.mark.parametrize("asked", [1, 3, 7])
def test_who_plays_backwards_or_goes_back_gets_there(asked):
    assert shown(PLAYING, asked) == asked


def test_a_step_waits_and_a_jump_does_not():
    assert shown(STEPPING, 9) == 8
    assert [shown(STEPPING, asked) for asked in (1, 7, 8, 10, 20)] == [1, 7, 8, 10, 20]


def test_what_plays_leaves_no_frame_out():
    assert [shown(IDLE, asked) for asked in (8, 9, 30)] == [8, 8, 8]
    assert shown(replace(IDLE, stood=8), 9) == 8  # its frame was dropped: once more


def test_simulated_frames_may_be_left_out():
    assert shown(replace(IDLE, stood=3), 6) == 6


def test_who_plays_far_from_what_is_simulated_stays_there():
    assert shown(replace(IDLE, stood=15), 16) == 16


def test_whoever_jumps_gets_there():
    assert shown(replace(IDLE, is_playing=False), 15) == 15
