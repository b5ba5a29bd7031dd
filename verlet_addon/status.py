"""The state of a simulation in a few words: what the panel shows, worked out without a window."""

from time import perf_counter

import bpy

from . import session
from .session import Session


def status(scene: bpy.types.Scene) -> tuple[str, str]:
    """The state of the simulation in a few words, and its icon."""
    running = session.of(scene)
    if running is not None and any(problem.is_error for problem in running.problems):
        return "Cannot start", "ERROR"
    if running is not None and not running.is_ready and running.failure:
        return "Cannot start", "ERROR"
    if running is None or not running.is_ready or running.last == running.start:
        return "Not simulated: press Play", "DOT"
    cached = f"Simulated {running.start}–{running.last}"
    if running.failure:
        return cached, "ERROR"
    if running.is_outdated:
        return f"{cached}, out of date", "FILE_REFRESH"
    if running.first_wild is not None:
        return f"{cached}, flung away in {running.first_wild}", "ERROR"
    if running.improvised_from is not None:
        return f"{cached}, improvised from {running.improvised_from} on", "REC"
    if running.first_draft is not None:
        return f"{cached}, a draft from {running.first_draft} on", "TEMP"
    return cached, "CHECKMARK"


def remarks(running: Session) -> list[tuple[str, str]]:
    """What more there is to say of the frames, each with its icon."""
    found = []
    if running.first_wild is not None:
        text = (
            f"In frame {running.first_wild} something is flung away or torn: look there for a "
            "collider that jumps or an overlap at the start, or raise Substep Rate"
        )
        found.append((text, "ERROR"))
    if running.improvised_from is not None:
        text = f"Improvised from frame {running.improvised_from}: Bake starts over with it"
        found.append((text, "INFO"))
    if running.first_draft is not None:
        found.append(("The time budget cut frames short: Bake simulates them in full", "INFO"))
    found += [(file.failure, "ERROR") for file in running.files.values() if file.failure]
    return found


def bake_bar(running: Session) -> tuple[float, str]:
    """How far a bake is, as a share, and in words with the time that is left."""
    done, total = running.bake_progress or (0, 1)
    text = f"Frame {running.last} of {running.last + total - done}"
    if done >= 3:  # the first frames may compile
        left = (perf_counter() - running.bake_begun) / done * (total - done)
        text += f", {_duration(left)} left"
    return done / max(total, 1), text


def _duration(seconds: float) -> str:
    if seconds < 90.0:
        return f"{max(round(seconds), 1)} s"
    if seconds < 5400.0:
        return f"{round(seconds / 60.0)} min"
    return f"{seconds / 3600.0:.1f} h"
