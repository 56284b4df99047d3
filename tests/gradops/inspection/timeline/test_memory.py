"""Timelines add up what is alive, and their pictures show the peak and nothing harmful."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest

from gradops.inspection.timeline.memory import Allocation, Keeps, MemoryTimeline, Step

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '</title></svg><script>alert(1)</script><img onerror="x">\u202e\x00' + "long" * 3000


def random_timeline(seed, steps=50):
    """A timeline with allocations of random sizes and lifetimes."""
    rng = np.random.default_rng(seed)
    first, more = rng.integers(0, steps, 40), rng.integers(0, steps, 40)
    kinds = list(Keeps)[:4]
    allocations = tuple(
        Allocation(f"a{i}", int(n), int(a), min(int(a + b), steps - 1), kinds[i % 4], "model.py:3")
        for i, (a, b, n) in enumerate(zip(first, more, rng.integers(1, 10**6, 40), strict=True))
    )
    names = tuple(Step(f"s{i}", "op", "", "", i >= steps // 2) for i in range(steps))
    return MemoryTimeline("graph", names, allocations, inside={steps // 3: 10**6})


@pytest.mark.parametrize("seed", range(10))
def test_live_bytes_are_those_of_what_is_alive(seed):
    t = random_timeline(seed)
    for step in range(len(t.steps)):
        alive = sum(a.nbytes for a in t.alive(step)) + t.inside.get(step, 0)
        assert t.live[step] == alive
    assert t.peak == t.live[t.peak_step] == max(t.live)
    assert sum(v[t.peak_step] for v in t.by_reason.values()) == t.peak


def test_the_data_is_plain_and_complete():
    t = random_timeline(0)
    data = json.loads(t.to_json())
    assert data["live"] == t.live.tolist()
    assert (data["peak"], data["peak_step"], data["backward_step"]) == (t.peak, t.peak_step, 25)
    assert data["allocations"][3] == {
        "name": "a3", "nbytes": t.allocations[3].nbytes, "first": t.allocations[3].first,
        "last": t.allocations[3].last, "keeps": "results", "line": "model.py:3",
    }  # fmt: skip
    assert data["steps"][0] == {
        "name": "s0",
        "op": "op",
        "scope": "",
        "line": "",
        "backward": False,
    }


def test_the_text_says_what_is_alive_at_the_peak():
    lines = str(random_timeline(1)).splitlines()
    t = random_timeline(1)
    assert f"step {t.peak_step + 1} of 50" in lines[0]
    assert t.alive(t.peak_step)[0].name in lines[1]


def test_a_timeline_without_steps_has_text_and_picture():
    t = MemoryTimeline("graph", (), ())
    assert (str(t), t.peak, t.backward_step) == ("graph: no steps", 0, None)
    ElementTree.fromstring(t.to_svg())


def test_a_picture_has_the_peak_and_what_is_alive_there():
    t = random_timeline(2)
    picture = t.to_svg(random_timeline(3))
    root = ElementTree.fromstring(picture)
    texts = " ".join(e.text or "" for e in root.iter(f"{SVG}text"))
    largest = t.alive(t.peak_step)[0]
    assert f"at {t.steps[t.peak_step].name}" in texts
    assert largest.name in texts
    assert picture.count("alive at the peak") == 2


def test_a_picture_of_many_steps_stays_small_and_keeps_the_peak():
    steps = tuple(Step(f"s{i}", "op") for i in range(100_000))
    allocations = [Allocation("small", 10, i, i, Keeps.FORWARD) for i in range(100_000)]
    allocations.append(Allocation("spike", 10**9, 77_777, 77_777, Keeps.BACKWARD))
    t = MemoryTimeline("graph", steps, tuple(allocations))
    picture = t.to_svg()
    assert len(picture) < 300_000
    assert "peak 1 GB at s77777" in picture


def test_hostile_names_are_inert():
    steps = (Step(HOSTILE, HOSTILE, HOSTILE, HOSTILE),)
    t = MemoryTimeline(HOSTILE, steps, (Allocation(HOSTILE, 5, 0, 0, Keeps.SAVED, HOSTILE),))
    picture = t.to_svg()
    root = ElementTree.fromstring(picture)
    assert {e.tag.removeprefix(SVG) for e in root.iter()} <= {
        "svg", "title", "style", "defs", "pattern", "path", "rect", "text", "circle",
    }  # fmt: skip
    assert "\u202e" not in picture
    assert len(picture) < 20_000


def test_pictures_need_nothing_from_outside(tmp_path):
    file = tmp_path / "x.svg"
    random_timeline(4).save(file)
    text = file.read_text(encoding="utf-8")
    assert "prefers-color-scheme:dark" in text
    for word in ("<script", "href", "@import", "http://", "https://"):
        assert word not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")
