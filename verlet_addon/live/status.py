"""The state of a simulation in a few words: what the panel shows, worked out without a window."""

from time import perf_counter

import bpy

from .. import session
from ..blender.types import Icon
from ..properties.participants import moves_any
from ..session import Session
from ..session.phase import Standing
from . import delivery, keeping


def status(scene: bpy.types.Scene) -> tuple[str, Icon]:
    """The state of the simulation in a few words, and its icon."""
    running = session.of(scene)
    if running is not None and any(problem.is_error for problem in running.problems):
        return "Cannot start", "ERROR"
    if running is not None and not running.is_ready and running.failure:
        return "Cannot start", "ERROR"
    if running is not None and running.building is not None:
        return running.building.what, "TIME"
    if running is not None and running.job is not None and running.last == running.start:
        return f"Simulating frame {running.job.frame}", "TIME"
    if running is None or not running.is_ready or running.last == running.start:
        if not moves_any(scene):
            return "Nothing moves yet: select objects and press a verb", "INFO"
        return "Not simulated: press Play", "DOT"
    to = "–" if running.start >= 0 else " to "  # two signs in a row are hard to read
    cached = f"Simulated {running.start}{to}{running.last}"
    phase = running.phase
    match phase.standing(running.last):
        case Standing.FAILED:
            return cached, "ERROR"
        case Standing.OUTDATED:
            return f"{cached}, out of date", "FILE_REFRESH"
        case Standing.FLUNG:
            return f"{cached}, flung away in {phase.flung}", "ERROR"
        case Standing.CROSSED:
            return f"{cached}, something is gone through in {phase.crossed}", "ERROR"
        case Standing.IMPROVISED:
            return f"{cached}, improvised from {phase.improvised} on", "REC"
        case Standing.DRAFT:
            return f"{cached}, a draft from {phase.draft} on", "TEMP"
    return cached, "CHECKMARK"


LONG_WAIT = 0.5  # s: who waits longer for a frame is told what for


def _is_long(running: Session) -> bool:
    return running.frame_seconds is None or running.frame_seconds > LONG_WAIT


MOST_NAMED_CHANGES = 2  # of what was changed; of more only how many there are


def outdated_by(running: Session) -> str:
    """What put the frames out of date, as the beginning of a sentence."""
    names = running.changed
    if not names:
        return "Something was changed"
    if len(names) > MOST_NAMED_CHANGES:
        return f"{names[0]} and {len(names) - 1} others were changed"
    text = f"{' and '.join(names)} {'was' if len(names) == 1 else 'were'} changed"
    return f"T{text[1:]}" if text.startswith("the ") else text


def reason(scene: bpy.types.Scene) -> tuple[str, bool]:
    """Why the view does not show what the timeline asks for, and whether that is an error.

    "" when it does. Also what will not come out of a bake as it is seen.
    """
    running = session.of(scene)
    if running is None:
        return "", False
    errors = [problem.message for problem in running.problems if problem.is_error]
    frame = scene.frame_current
    if frame > running.start and (errors or running.failure):
        return errors[0] if errors else running.failure, True
    if running.is_outdated:
        shown = min(frame, running.last)
        return f"{outdated_by(running)}: frame {shown} is as it was. Play starts over", False
    if running.building is not None and (frame > running.start or delivery.is_playing()):
        return "The simulation is being built", False
    if not running.is_ready or frame <= running.start:
        return "", False
    if running.job is not None and _is_long(running):
        return f"Frame {running.job.frame} is simulated, frame {running.last} is shown", False
    if frame > running.last + 1:
        return f"Frame {running.last} is shown, the last one simulated", False
    first = running.improvised_from
    if first is not None and frame >= first:
        return f"Improvised from frame {first}: Bake starts over, Record keeps it", False
    return "", False


def remarks(running: Session) -> list[tuple[str, Icon]]:
    """What more there is to say of the frames, each with its icon."""
    found: list[tuple[str, Icon]] = []
    if running.phase.flung is not None:
        text = (
            f"In frame {running.phase.flung} something is flung away or torn: look there for a "
            "collider that jumps or an overlap at the start, or raise Substep Rate"
        )
        found.append((text, "ERROR"))
    if running.phase.crossed is not None:
        found.append((_crossed(running, running.phase.crossed), "ERROR"))
    if running.phase.forced is not None:
        found.append((_forced(running, running.phase.forced), "INFO"))
    if running.improvised_from is not None:
        found.append(("Bake starts over without that, Record keeps it", "INFO"))
    if running.phase.draft is not None:
        found.append(("The time budget cut frames short: Bake simulates them in full", "INFO"))
    found += [(file.failure, "ERROR") for file in running.files.values() if file.failure]
    text = keeping.remark(running)
    if text:
        found.append((text, "INFO"))
    return found


def _crossed(running: Session, frame: int) -> str:
    """What passes through what, now or in the first frame in which anything does."""
    figures = running.last_diagnostics
    if figures is None or not figures.crossings:
        return (
            f"In frame {frame} cloth passes through cloth, a mesh or a body: look there for pins "
            "or a start inside of one. In the last frame nothing does"
        )
    one = max(figures.crossings, key=lambda crossing: crossing.pairs)
    other = "itself" if one.name == one.other else one.other
    more = len(figures.crossings) - 1
    also = f" and {more} more like it," if more else ""
    return (
        f"{one.name} passes through {other}, {one.pairs} pairs of faces,{also} first in frame "
        f"{frame}: look there for pins, or a start like that, which Check Scene mends"
    )


def _forced(running: Session, frame: int) -> str:
    """What is pressed or pulled farther than it reaches, now or in the first such frame."""
    figures = running.last_diagnostics
    if figures is None or not figures.forced:
        return (
            f"In frame {frame} something was pressed or pulled farther than it reaches, and "
            "stretched. In the last frame nothing is"
        )
    one = max(figures.forced, key=lambda forcing: forcing.share)
    return (
        f"{one.name} is stretched by {100 * one.share:.0f} %, first in frame {frame}: what presses "
        "it goes farther than it reaches, or its pins are that far apart"
    )


def bake_bar(running: Session) -> tuple[float, str]:
    """How far a bake is, as a share, and in words with the time that is left."""
    done, total = running.bake_progress or (0, 1)
    text = f"Frame {running.last} of {running.last + total - done}"
    if done >= 3:  # the first frames load the kernels
        left = (perf_counter() - running.bake_begun) / done * (total - done)
        text += f", {_duration(left)} left"
    return done / max(total, 1), text


def _duration(seconds: float) -> str:
    if seconds < 90.0:
        return f"{max(round(seconds), 1)} s"
    if seconds < 5400.0:
        return f"{round(seconds / 60.0)} min"
    return f"{seconds / 3600.0:.1f} h"
