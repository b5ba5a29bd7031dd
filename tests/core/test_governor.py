"""The thread governor takes the faster way and notices when that changes."""

import pytest

from verlet_physics.thread_governor import LONGEST_WAIT, Governor

pytestmark = pytest.mark.quick


def drive(governor, several, single, frames):
    chosen = []
    for _ in range(frames):
        threads = governor.choose(2)
        governor.learn(threads, several if threads > 1 else single)
        chosen.append(threads)
    return chosen


def test_both_ways_are_tried_and_the_faster_one_is_kept():
    chosen = drive(Governor(), 0.005, 0.009, 100)
    assert chosen.count(1) <= 6
    chosen = drive(Governor(), 0.050, 0.009, 100)
    assert chosen.count(2) <= 6


def test_a_change_of_load_is_noticed():
    governor = Governor()
    drive(governor, 0.005, 0.009, 100)
    assert drive(governor, 0.090, 0.010, 100).count(1) > 80
    assert drive(governor, 0.005, 0.009, 300)[-20:].count(2) >= 18


def test_the_first_frame_of_each_way_does_not_count():
    governor = Governor()
    for seconds in (20.0, 20.0, 0.005, 0.009):  # compiling takes 20 s
        governor.learn(governor.choose(2), seconds)
    assert governor.choose(2) == 2


def test_a_machine_with_one_processor_has_nothing_to_compare():
    governor = Governor()
    for _ in range(4):
        threads = governor.choose(1)
        governor.learn(threads, 0.01)
        assert threads == 1


def test_what_gains_less_than_a_tenth_is_not_worth_a_processor():
    assert drive(Governor(), 0.0095, 0.010, 100).count(2) <= 6


def test_tries_cost_a_fiftieth_however_slow_the_other_way_is():
    chosen = drive(Governor(), 0.017, 0.010, 1000)
    assert 2 <= chosen[24:].count(2) <= 0.02 * 1000 / 0.7 + 1
    assert drive(Governor(), 10.0, 0.010, LONGEST_WAIT + 24)[24:].count(2) <= 1


def test_a_scene_that_grows_dearer_does_not_have_the_slower_way_tried_again_and_again():
    governor, chosen = Governor(), []
    for frame in range(100):
        threads = governor.choose(2)
        governor.learn(threads, (1.0 + frame) * (0.013 if threads > 1 else 0.010))
        chosen.append(threads)
    assert chosen.count(2) <= 12


def test_what_grows_until_several_threads_pay_gets_them():
    """A heap: they cost a tenth as long as it falls, and halve its time when it lies."""
    governor, chosen = Governor(), []
    for frame in range(100):
        dear = 0.005 + 0.0002 * frame
        threads = governor.choose(2)
        governor.learn(threads, 0.0045 + 0.5 * (dear - 0.002) if threads > 1 else dear)
        chosen.append(threads)
    pays = 34  # the first frame in which they take less than nine tenths
    assert chosen[pays + 15 :].count(1) <= 3
    assert chosen[4 : pays - 10].count(2) <= 4


def test_one_core_has_no_choice():
    assert Governor().choose(1) == 1
