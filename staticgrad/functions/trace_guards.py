"""Guards of a trace: it is valid while the state that the program reads is unchanged."""

from collections.abc import Set
from typing import Any

from gradops import type_of
from gradops.core.tracer_protocol import held

from ..build.guards import Guard
from .captures import TraceContext
from .tape import are_arrays


class TraceGuards:
    """The conditions under which a trace is valid, other than those on its arguments.

    `used` has the ids of captured holders that are fed, `changed` of those that calls change.
    """

    def __init__(self, inside: TraceContext, used: Set[int], changed: Set[int]) -> None:
        givens = [g for g in inside.given if g.is_captured]
        self.givens = [g for g in givens
                       if g.look is not None or id(g) in changed
                       or id(g.x if g.base is None else g.base) in used]  # fmt: skip
        self.holders, self.looks = [g.x for g in self.givens], [g.look for g in self.givens]
        self.views = [(g.x, g.base, g.kind) for g in self.givens if g.base is not None]
        self.ids = inside.captured.keys() & set(map(id, self.holders))
        self.kind: Any = inside.given[0].kind if inside.given else None
        self.mode = None if self.kind is None else self.kind.is_recording
        self.recording = None if self.kind is None else self.kind.is_recording()
        self.guard, self.others, self.unread = Guard(inside.found), inside.looks, inside.unread()
        self.is_free = self.guard.is_trivial and not (inside.given or self.others or self.unread)

    def fits(self) -> bool:
        """Whether all conditions hold, except those on the types of captured values."""
        return self.is_free or (
            (not self.holders or self.kind.looks(self.holders) == self.looks)
            and (self.mode is None or self.mode() is self.recording)
            and self.guard.holds()
            and (not self.views or all(kind.base(x) is base for x, base, kind in self.views))
            and (not self.unread or all(x.tobytes() == before for x, before in self.unread))
            and (not self.others or all(look() == before for look, before in self.others))
        )

    def has_types(self) -> bool:
        """Whether the values of captured holders have the types that they had."""
        values = [(held(g.x), g.type) for g in self.givens]
        return all(not are_arrays([v]) or type_of(v) == t for v, t in values)
