"""A saved graph, and a way to run commands."""

import io
import sys

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.commands.command_line import main


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with model.sg, a loss and its gradient, and with values for it."""
    monkeypatch.chdir(tmp_path)
    with sg.Graph().as_default():
        x = sg.placeholder("float64", ["batch", 3], name="x")
        w = sg.Variable(np.array([0.5, -1.0, 2.0]), name="w")
        loss = sg.reduce_sum(sg.tanh(x @ w), name="loss")
        (g,) = sg.gradients(loss, w)
        sg.save(sg.freeze([loss, g], [x]), "model.sg")
        sg.save(sg.freeze([sg.reduce_sum(sg.sin(x @ w), name="loss")], [x]), "other.sg")
    np.save("x.npy", np.ones((2, 3)))
    return tmp_path


@pytest.fixture
def run(capsys, monkeypatch):
    """Run a command: its exit status, output and errors."""

    def call(*arguments, stdin=b""):
        stream = io.TextIOWrapper(io.BytesIO(stdin))
        monkeypatch.setattr(sys, "stdin", stream)
        status = main(list(arguments))
        out, err = capsys.readouterr()
        return status, out, err

    return call
