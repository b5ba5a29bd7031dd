"""Chooses between one thread and several by what the last frames took."""

from __future__ import annotations

import math

GAIN = 0.9
"""Share of one thread's time that several may take at most: a second processor that gains less is
of more use to whoever else wants it, Blender's drawing among them."""

PROBE = 24
"""Frames at least until the other way is tried again, if nothing else asks for it."""

GROWN = 1.5
"""Times as long or as short that a frame takes when what was learnt no longer holds: the scene has
grown dearer or cheaper, or a processor is lost or free."""

PROBE_SHARE = 0.02
"""Of all time, what tries may cost: the worse the other way was, the longer until the next."""

LONGEST_WAIT = 240
"""Frames at most until then: what made it worse may be over."""


class Governor:
    """Which of both ways is faster, and when to try the other one again.

    On a busy machine every barrier can cost milliseconds and one thread is faster. The result
    has the same bits either way, so the choice is free. Only frames that follow each other are
    compared, as what is simulated grows dearer and cheaper by itself: one of the way taken, one of
    the other, and one more of the first.
    """

    def __init__(self) -> None:
        self.tries = {True: 0, False: 0}  # by "several threads"
        self.last: tuple[bool, float] | None = None  # way and seconds of the last frame that counts
        self.changes = 2  # of way that a try still makes
        self.ratios: list[float] = []  # of such frames: time on several threads to that on one
        self.is_several_faster = False
        self.known = {True: 0.0, False: 0.0}  # s, a frame of either way when that was learnt
        self.since = 0  # frames since then
        self.saved = 0.0  # s, that a try may cost

    def choose(self, limit: int) -> int:
        """Threads for the next frame, at most ``limit``."""
        if limit <= 1:
            return 1
        if self.last is None:
            several = self.tries[True] <= self.tries[False]
        else:
            if self.changes == 0 and self._is_to_be_tried(*self.last):
                self.changes = 2
            several = not self.last[0] if self.changes else self.is_several_faster
        return limit if several else 1

    def learn(self, threads: int, seconds: float) -> None:
        """Remember how long a frame took; the first of each way does not count (it compiles)."""
        several = threads > 1
        self.tries[several] += 1
        if self.tries[several] == 1:
            return
        before, self.last = self.last, (several, seconds)
        self.since += 1
        self.saved += PROBE_SHARE * seconds
        if before is not None and before[0] != several and self.changes:
            self._compare({several: seconds, before[0]: before[1]})

    def _compare(self, seconds: dict[bool, float]) -> None:
        """Learn from two frames that follow each other, one of either way."""
        self.ratios.append(seconds[True] / seconds[False])
        self.changes -= 1
        if self.changes:
            return
        several = math.sqrt(math.prod(self.ratios)) < GAIN
        self.ratios.clear()
        self.is_several_faster, self.known, self.since = several, seconds, 0
        self.saved -= max(0.0, seconds[not several] - seconds[several])

    def _is_to_be_tried(self, several: bool, seconds: float) -> bool:
        """Whether the other way is to be tried after a frame of one that took so long."""
        if several != self.is_several_faster:  # that was the last frame of a try
            return False
        known, other = self.known[several], self.known[not several]
        if self.since >= LONGEST_WAIT:
            return True
        if self.since < PROBE and known / GROWN <= seconds <= known * GROWN:
            return False
        return self.saved >= other - seconds
