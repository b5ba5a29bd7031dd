"""Chooses between one thread and several by what the last frames took."""

from __future__ import annotations

import math

GAIN = 0.9
"""Share of one thread's time that several may take at most: a second processor that gains less is
of more use to whoever else wants it, Blender's drawing among them."""

PROBE = 24
"""Frames at least until the other way is tried again, for one frame."""

PROBE_SHARE = 0.02
"""Of all time, what such tries may cost: the worse the other way was, the longer until the next."""

LONGEST = 2400
"""Frames at most until then: what made it worse may be over."""

JUMP = 1.5
"""Times as long as usual that a frame on several threads takes when they may have lost a processor:
then one thread is tried at once."""


class Governor:
    """Which of both ways is faster, and when to try the other one again.

    On a busy machine every barrier can cost milliseconds and one thread is faster. The result
    has the same bits either way, so the choice is free. Only frames that follow each other are
    compared, as what is simulated grows dearer and cheaper by itself.
    """

    def __init__(self) -> None:
        self.tries = {True: 0, False: 0}  # by "several threads"
        self.last: tuple[bool, float] | None = None  # way and seconds of the last frame that counts
        self.ratio: float | None = None  # of the time that several threads take to that of one
        self.usual = 0.0  # s, a frame of the faster way, running mean
        self.until_probe = PROBE  # frames

    def choose(self, limit: int) -> int:
        """Threads for the next frame, at most ``limit``."""
        if limit <= 1:
            return 1
        if self.ratio is None:
            several = self.tries[True] <= self.tries[False]
        else:
            several = self._is_several_faster() != (self.until_probe <= 0)
        return limit if several else 1

    def learn(self, threads: int, seconds: float) -> None:
        """Remember how long a frame took; the first of each way does not count (it compiles)."""
        several = threads > 1
        self.tries[several] += 1
        if self.tries[several] == 1:
            return
        before, self.last = self.last, (several, seconds)
        if before is not None and before[0] != several:
            one, other = (seconds, before[1]) if several else (before[1], seconds)
            ratio = one / other
            self.ratio = ratio if self.ratio is None else math.sqrt(self.ratio * ratio)
        if self.ratio is None:
            return
        if several != self._is_several_faster():
            slower = max(self.ratio, 1.0 / self.ratio) - 1.0
            self.until_probe = round(min(max(PROBE, slower / PROBE_SHARE), LONGEST))
            return
        self.until_probe -= 1
        if several and seconds > JUMP * self.usual > 0.0:
            self.until_probe = 0
        self.usual = 0.5 * (self.usual + seconds) if self.usual else seconds

    def _is_several_faster(self) -> bool:
        return self.ratio is not None and self.ratio < GAIN
