"""Progress is a bar where a person watches, and few lines elsewhere."""

import io
import sys
from contextlib import suppress

import pytest

from gradops.inspection import progress as module
from gradops.inspection.progress import Progress, duration, progress


class Terminal(io.StringIO):
    """A stream that a person watches."""

    def isatty(self):
        return True


class Clock:
    """The time, as a test says."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


def test_lines_come_ever_more_rarely_and_say_rate_and_time_left(clock):
    stream = io.StringIO()
    with Progress(1000, "training", stream=stream) as shown:
        for step in range(1000):
            clock.now += 0.125
            shown.update(loss=1 / (step + 1))
    lines = stream.getvalue().splitlines()
    assert lines[0] == "training: 8/1000 steps, loss 0.125, 8 steps/s, 2 min 4 s left"
    assert lines[-1] == "training: 1000/1000 steps, loss 0.001, 8 steps/s, took 2 min 5 s"
    assert len(lines) == 9


def test_a_loop_that_fails_says_how_far_it_came(clock):
    stream = io.StringIO()
    with suppress(KeyError), Progress(10, stream=stream) as shown:
        clock.now += 0.5
        shown.update(3, loss="?")
        raise KeyError
    assert stream.getvalue() == "3/10 steps, loss ?, 6 steps/s, took 0 s\n"


def test_steps_without_a_known_number_are_counted(clock):
    stream = io.StringIO()
    assert list(progress(iter("abc"), unit="file", stream=stream)) == ["a", "b", "c"]
    assert stream.getvalue() == "3 files, took 0 s\n"


def test_a_terminal_has_a_bar():
    pytest.importorskip("tqdm", reason="bars are tqdm's, from the extra `examples`")
    stream = Terminal()
    with Progress(4, "training", stream=stream) as shown:
        for _ in range(4):
            shown.update(loss=0.25)
    last = stream.getvalue().rsplit("\r", 1)[-1]
    assert last.startswith("training: 100%")
    assert "loss 0.25" in last


def test_a_terminal_without_tqdm_has_lines(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    stream = Terminal()
    assert list(progress([1, 2], stream=stream)) == [1, 2]
    assert stream.getvalue().startswith("2/2 steps, ")


def test_durations_are_rounded_to_what_a_person_reads():
    assert [duration(s) for s in (0.4, 59.6, 125, 3840, float("inf"))] == [
        "0 s", "1 min 0 s", "2 min 5 s", "1 h 4 min", "?",
    ]  # fmt: skip
