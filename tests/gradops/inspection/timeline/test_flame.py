"""Flames add up to their profile, and their pictures are harmless."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest

import gradops
from gradops.inspection.timeline.flame import Flame, Frame
from gradops.inspection.timeline.profile import Profile, ProfileRow

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</title></svg><script>alert(1)</script>\u202e\x00" + "long" * 3000


def row(name, seconds, line="model.py:1", op="mul", function="run"):
    scope = name.rpartition("/")[0]
    return ProfileRow(name, 1, seconds, seconds / 10, 5, 8, op, "float32[2]", scope, line, function)


PROFILE = Profile(
    (
        row("net/layer/mul", 4.0), row("gradients/net/layer/mul/mul", 3.0),
        row("net/layer/sub", 2.0, "model.py:2"), row("net/exp", 1.0, function="body"),
        ProfileRow("(entry and return of run)", 1, 0.5, 0.05, 0, 0),
    ),
    10.0, 1,
)  # fmt: skip


def times(frames):
    return {frame.name: frame.seconds for frame in frames}


def test_a_flame_by_scope_has_the_levels_of_names():
    flame = PROFILE.flame()
    assert flame.seconds == PROFILE.seconds
    assert times(flame.frames) == {"net": 7.0, "gradients": 3.0, "(other)": 0.5}
    net = flame.frames[0]
    assert times(net.children) == {"layer": 6.0, "exp": 1.0}
    assert times(net.children[0].children) == {"mul": 4.0, "sub": 2.0}
    assert [frame.kind for frame in flame.frames] == ["forward", "backward", ""]


def test_a_flame_by_line_has_functions_files_and_lines():
    flame = PROFILE.flame(by="line")
    assert times(flame.frames) == {"model.py": 9.0, "body()": 1.0, "(other)": 0.5}
    assert times(flame.frames[0].children) == {"model.py:1": 7.0, "model.py:2": 2.0}
    assert flame.frames[0].children[0].kind == ""


def test_the_data_is_plain_and_complete():
    data = json.loads(PROFILE.flame().to_json())
    assert (data["seconds"], len(data["children"])) == (10.5, 3)
    layer = data["children"][0]["children"][0]
    assert (layer["name"], layer["seconds"], layer["kind"]) == ("layer", 6.0, "forward")
    assert layer["children"][0]["about"] == "mul, float32[2], model.py:1, 5 operations"


def test_the_text_is_a_tree_with_shares():
    assert str(PROFILE.flame()).splitlines()[:3] == [
        "time by scope: 10.50 s", "  67%  net", "  57%    layer",
    ]  # fmt: skip


def test_other_groupings_are_refused():
    with pytest.raises(gradops.OptionError, match="by is scope or line, not 'op'"):
        PROFILE.flame(by="op")


def test_frames_of_a_picture_lie_inside_their_parents(tmp_path):
    flame = PROFILE.flame(tmp_path / "x.svg")
    root = ElementTree.fromstring((tmp_path / "x.svg").read_text(encoding="utf-8"))
    boxes = {
        (r.find(f"{SVG}title").text or "").splitlines()[0]: r
        for r in reversed([*root.iter(f"{SVG}rect")]) if r.find(f"{SVG}title") is not None
    }  # fmt: skip
    left = lambda name: float(boxes[name].get("x"))
    right = lambda name: left(name) + float(boxes[name].get("width"))
    assert left("net") <= left("exp") < right("exp") <= right("net") + 0.1
    assert set(boxes) == {frame.name for _, _, frame in flame.walk()}


def test_a_deep_flame_has_no_recursion():
    frame = Frame("leaf", 1.0)
    for _ in range(20_000):
        frame = Frame("scope", 1.0, children=(frame,))
    flame = Flame("deep", (frame,))
    ElementTree.fromstring(flame.to_svg())
    assert len(str(flame).splitlines()) == 7
    deep = Profile((row("a/" * 5000 + "mul", 1.0),), 1.0, 1)
    assert sum(1 for _ in deep.flame().walk()) == 5001


def test_a_profile_of_nothing_has_a_picture():
    ElementTree.fromstring(Profile((), 0.0, 1).flame().to_svg())


def test_hostile_names_are_inert():
    profile = Profile((row(HOSTILE.replace("/", "|"), 1.0, HOSTILE, HOSTILE, HOSTILE),), 1.0, 1)
    for by in ("scope", "line"):
        picture = profile.flame(by=by).to_svg()
        tags = {e.tag.removeprefix(SVG) for e in ElementTree.fromstring(picture).iter()}
        assert tags <= {"svg", "title", "style", "rect", "text", "path"}
        assert "\u202e" not in picture
        assert len(picture) < 20_000


def test_many_frames_make_a_small_picture():
    rng = np.random.default_rng(0)
    rows = tuple(row(f"s{i % 100}/op_{i}", float(t)) for i, t in enumerate(rng.random(50_000)))
    assert len(Profile(rows, 1.0, 1).flame().to_svg()) < 300_000
