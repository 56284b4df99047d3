"""Why a way to run a function failed: the error, when it surfaced, and the user's line."""

from dataclasses import dataclass

from gradops.core.source_location import OURS, describe, here


@dataclass(frozen=True)
class Failure:
    """An error of the user's program in one of the modes.

    `stage` says when it was raised, `place` is the user's line that ran then. `before` is what
    happens without the checks that found it.
    """

    stage: str
    kind: str
    message: str
    place: str
    before: str = ""

    def __str__(self) -> str:
        first, *others = self.message.splitlines()
        return "\n".join([f"{self.stage}: {self.kind}: {first}", *others])


def failure_of(error: Exception, stage: str) -> Failure:
    """The failure that an error is, with its message and the user's line."""
    notes = "\n".join([str(error) or type(error).__name__, *getattr(error, "__notes__", [])])
    caller = describe(here())  # made the arguments, which says nothing
    first, *others = notes.splitlines()
    kept = [first.replace(caller, "this call"), *[line for line in others if caller not in line]]
    text = "\n".join(kept)
    place = place_of(error)
    if place and place.split(":")[0] not in text:
        text += f"\n  at {place}"
    return Failure(stage, type(error).__name__, text, place)


def place_of(error: Exception) -> str:
    """The innermost line outside the library that an error passed."""
    result, trace = "", error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if not OURS[code.co_filename]:
            result = describe((code, trace.tb_lasti))
        trace = trace.tb_next
    return result
