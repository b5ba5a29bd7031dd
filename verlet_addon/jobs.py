"""Something that a thread does once: a frame, or the model that frames need.

At the window it is done in a thread of its own, while the window stays fluent; who waits for it
has it done at once. It knows nothing of Blender's data.
"""

from __future__ import annotations

import threading
from typing import Any, Generic, TypeVar

Result = TypeVar("Result")


class Job(Generic[Result]):
    """What is to be done, and what came of it."""

    what = ""  # in words, for the status

    def __init__(self) -> None:
        self.is_dropped = False
        self._result: Result | Exception | None = None
        self._is_done = threading.Event()

    def work(self) -> Result | None:
        """Do what it is there for; in any thread."""
        raise NotImplementedError

    @property
    def is_done(self) -> bool:
        """Whether there is a result, or an error."""
        return self._is_done.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait for a moment at most; whether it is done."""
        return self._is_done.wait(seconds)

    def run(self) -> None:
        """Do it, in any thread; what goes wrong is raised by `result`."""
        try:
            if not self.is_dropped:
                self._result = self.work()
        except Exception as error:
            self._result = error
        finally:
            self._is_done.set()

    def result(self) -> Result | None:
        """What came of it, None where it was not done. Raises what was raised."""
        if isinstance(self._result, Exception):
            raise self._result
        return self._result

    def drop(self) -> None:
        """Nobody wants it any more: it is not begun, or nobody looks at what comes out."""
        self.is_dropped = True


_thread: threading.Thread | None = None


def begin(job: Job[Any]) -> None:
    """Do a job in a thread of its own, after the one before: a model is advanced by one at a time.

    The thread ends with it, so Blender quits as soon as the frame is over.
    """
    global _thread
    before = _thread

    def work() -> None:
        if before is not None:
            before.join()
        job.run()

    _thread = threading.Thread(target=work, name="Verlet Physics")
    _thread.start()


def finish() -> None:
    """Wait for the job that is under way, a dropped one too."""
    global _thread
    if _thread is not None:
        _thread.join()
        _thread = None
