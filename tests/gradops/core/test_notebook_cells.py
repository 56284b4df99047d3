"""Cells of notebooks have the names that their users know: a real IPython, a real kernel."""

import queue
import re
import sys

import pytest

from gradops.core.notebook_cells import cell_of, defined_in_cells

COLOURS = re.compile(r"\x1b\[[0-9;]*m")
PROGRAM = """\
import numpy as np, staticgrad as sg, dynamicgrad as dg
x = sg.placeholder("float32", [2, 3], name="x")"""
FAILING = """\
w = dg.ones(4)
y = x @ np.ones((2, 2), np.float32)"""


def test_other_files_are_no_cells():
    assert cell_of("/home/me/model.py") is None
    assert cell_of("/tmp/ipykernel_12/345.py") is None  # no kernel runs
    assert cell_of("<ipython-input-12-0a1b2c>") == "In[12]"
    assert cell_of("<ipython-input-x>") is None


def test_nothing_is_defined_where_no_notebook_runs():
    if "IPython" not in sys.modules:
        assert defined_in_cells() == {}


@pytest.fixture(scope="module")
def kernel():
    """A client of a running kernel of IPython."""
    pytest.importorskip("ipykernel", reason="the extra dev has no ipykernel, which is large")
    manager = pytest.importorskip("jupyter_client").manager
    kernel, client = manager.start_new_kernel(kernel_name="python3", startup_timeout=60)
    yield client
    client.stop_channels()
    kernel.shutdown_kernel(now=True)


def run(client, code):
    """What a cell of a kernel shows: the data of its result, and the text of its error."""
    request = client.execute(code)
    data, error = {}, ""
    while True:
        try:
            message = client.get_iopub_msg(timeout=60)
        except queue.Empty:
            pytest.fail("the kernel does not answer")
        if message["parent_header"].get("msg_id") != request:
            continue
        content = message["content"]
        if message["msg_type"] == "execute_result":
            data = content["data"]
        elif message["msg_type"] == "error":
            error = COLOURS.sub("", "\n".join(content["traceback"]))
        elif message["msg_type"] == "status" and content["execution_state"] == "idle":
            return data, error


@pytest.mark.filterwarnings("default")
def test_a_kernel_shows_graphs_and_names_cells(kernel):
    assert run(kernel, PROGRAM) == ({}, "")
    _, error = run(kernel, FAILING)
    assert 'x: float32[2, 3], made at In[1]:2: x = sg.placeholder("float32"' in error
    assert "made at In[2]:2: y = x @" in error
    data, error = run(kernel, 'sg.freeze([sg.tanh(x, name="energy")], [x])')
    assert not error
    assert data["text/plain"].startswith("<graph of 2 expressions")
    assert "<svg" in data["text/html"]
    assert "energy" in data["text/html"]
    data, error = run(kernel, "w.requires_grad_()\n(w * w).sum()")
    assert not error
    assert data["text/plain"] == "tensor(4., grad_fn=<SumBackward0>)"
    assert ">w</text>" in data["text/html"]
    data, error = run(kernel, "print_ = (w * w).exp()\ndg.to_text(print_)")
    assert "In[5]:1" in data["text/plain"]


def test_plain_ipython_names_cells():
    interactive = pytest.importorskip(
        "IPython.core.interactiveshell", reason="the extra dev has no IPython, which is large"
    )
    shell = interactive.InteractiveShell.instance()
    shell.run_cell(PROGRAM, store_history=True)
    result = shell.run_cell(FAILING, store_history=True)
    assert "In[1]:2" in "".join(result.error_in_exec.__notes__)
    shell.run_cell("w = w.requires_grad_()\nt = dg.to_text((w * w).sum())", store_history=True)
    assert "In[3]:2" in shell.user_ns["t"]
    assert shell.user_ns["t"].startswith("tape(w: float32[4])")
    shell.clear_instance()
