"""Many damaged files of graphs: each is a graph, or refused. Run by `make soak`."""

import io
import zipfile

import numpy as np
import pytest

import staticgrad as sg
from gradops import GraphFormatError

MUTATIONS = 50_000  # of each kind


def saved():
    """The bytes of a file, and its members."""
    with sg.Graph().as_default():
        x = sg.placeholder("float32", ["batch", 20], name="x")
        w = sg.Variable(np.full(30, 0.5, np.float32), name="w")
        y = sg.tanh(sg.matmul(x, sg.constant(np.ones((20, 30), np.float32))) * w)
        n = sg.placeholder("int64", [], name="n")
        step = lambda i, s: sg.cond(sg.reduce_sum(s) > 3, lambda: sg.tanh(s), lambda: s + 1.0)
        loss = sg.reduce_mean(sg.fori(0, n, step, y * y))
        graph = sg.freeze([loss, *sg.gradients(loss, w)], [x, n])
    file = io.BytesIO()
    sg.save(graph, file)
    with zipfile.ZipFile(file) as archive:
        return file.getvalue(), {name: archive.read(name) for name in archive.namelist()}


def packed(members):
    """A file with a sound frame, whatever its members hold."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file


def changed(content, rng):
    """Some bytes of the content are others."""
    copy = np.frombuffer(content, np.uint8).copy()
    for _ in range(int(rng.integers(1, 4))):
        copy[rng.integers(len(copy))] = (
            rng.integers(32, 127) if rng.random() < 0.8 else rng.integers(256)
        )
    return copy.tobytes()


def load(file):
    try:
        return sg.load(file)
    except GraphFormatError:
        return None


@pytest.mark.parametrize("where", ["frame", "content"])
def test_damaged_files_are_refused_or_read(where):
    rng = np.random.default_rng(0)
    data, members = saved()
    for _ in range(MUTATIONS):
        if where == "frame":
            load(io.BytesIO(changed(data, rng)))
            continue
        name = str(
            rng.choice(list(members), p=[0.9, *[0.1 / (len(members) - 1)] * (len(members) - 1)])
        )
        load(packed({**members, name: changed(members[name], rng)}))
