"""Where the playhead goes while frames are simulated that nobody waits for: one rule, no Blender.

The inputs of a frame can be read only while Blender stands on it, and each frame follows from the
one before. So playback waits on the frame that is simulated; the window does not.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Playhead:
    """How things stand when the window asks for a frame."""

    stood: int  # the frame that was shown before
    last: int  # the last simulated one
    simulating: int | None  # the frame that is simulated just now, which is `stood`, if any is
    is_playing: bool  # forward, and nobody drags the playhead
    ends: tuple[int, int]  # first and last frame that are played


def frame_to_show(playhead: Playhead, asked: int) -> int:
    """The frame to show in place of the one that is asked for.

    What plays, or is stepped, waits for the frame that is simulated, and leaves none out. Who jumps
    elsewhere gets there.
    """
    waiting = playhead.simulating
    if waiting is None:
        goes_on = playhead.is_playing and playhead.stood in (playhead.last, playhead.last + 1)
        return min(asked, playhead.last + 1) if goes_on else asked
    begins_anew = (waiting, asked) == (playhead.ends[1], playhead.ends[0])
    is_ahead = asked > waiting or begins_anew
    is_held = is_ahead if playhead.is_playing else asked == waiting + 1
    return waiting if is_held else asked
