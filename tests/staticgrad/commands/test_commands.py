"""The command line: files in, files out, exit statuses."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.commands.command_line import COMMANDS, main, one_line, parser

LOSS = np.sum(np.tanh(np.ones((2, 3)) @ [0.5, -1.0, 2.0]))


def test_run_prints_results(folder, run):
    status, out, _ = run("run", "model.sg", "x=x.npy")
    assert status == 0
    first, second = out.splitlines()
    assert first == f"loss: float64[] = {LOSS:.8f}"
    assert second.partition(": ")[2].startswith("float64[3] = [")


@pytest.mark.parametrize("feed", ["x=x.npy", "x=[[1,1,1],[1,1,1]]", "feeds.npz", "x=feeds.npz:x"])
def test_feeds_come_from_files_and_from_text(folder, run, feed):
    np.savez("feeds.npz", x=np.ones((2, 3)))
    status, _, _ = run("run", "model.sg", feed, "-o", "out.npz")
    assert status == 0
    with np.load("out.npz") as found:
        assert found["loss"] == LOSS
        assert len(found.files) == 2


def test_variables_can_be_fed(folder, run):
    _, out, _ = run("run", "model.sg", "x=x.npy", "w=[0,0,0]")
    assert out.startswith("loss: float64[] = 0.")


def test_a_type_stands_for_random_numbers(folder, run):
    status, out, _ = run("run", "model.sg", "x=float64[5, 3]", "--backend", "interpreter")
    assert status == 0
    assert "loss: float64[] = " in out


def test_show_prints_text_that_is_read_again(folder, run):
    _, text, _ = run("show", "model.sg")
    assert text.startswith("graph(x: float64[batch, 3], variable w: float64[3])")
    assert "conftest.py" in text
    status, out, _ = run("run", "-", "x=x.npy", "w=[0.5,-1,2]", stdin=text.encode())
    assert status == 0
    assert f"{LOSS:.8f}" in out
    _, quiet, _ = run("show", "model.sg", "--no-lines")
    assert "#" not in quiet


def test_a_summary_counts(folder, run):
    _, out, _ = run("show", "model.sg", "--summary")
    assert "x: float64[batch, 3]" in out
    assert "1 input, 1 parameter" in out
    assert "tanh" in out


def test_one_side_can_be_shown(folder, run):
    _, forward, _ = run("show", "model.sg", "--part", "forward")
    _, backward, _ = run("show", "model.sg", "--part", "backward")
    assert "tanh" in forward
    assert "gradients" not in forward
    assert "gradients/" in backward
    _, counted, _ = run("show", "model.sg", "--part", "forward", "--summary")
    assert "backward" not in counted


def test_diff_has_a_status(folder, run):
    assert run("diff", "model.sg", "model.sg")[0] == 0
    status, out, _ = run("diff", "model.sg", "other.sg", "--html", "diff.html")
    assert status == 1
    assert out.startswith("--- model.sg\n+++ other.sg\n")
    assert "the op was tanh and is sin" in out
    assert Path("diff.html").read_text().startswith("<!DOCTYPE html>")
    assert run("diff", "-q", "model.sg", "other.sg") == (1, "", "")
    assert run("diff", "model.sg", "-", stdin=Path("model.sg").read_bytes())[0] == 0


def test_check_says_what_is_fine(folder, run):
    status, out, _ = run("check", "model.sg")
    assert status == 0
    assert [line[:6].strip() for line in out.splitlines()] == ["fine"] * 4


def test_check_fails_for_a_damaged_file(folder, run):
    data = Path("model.sg").read_bytes()
    Path("model.sg").write_bytes(data[: len(data) // 2])
    status, out, _ = run("check", "model.sg")
    assert status == 1
    assert out.startswith("failed  the file: model.sg: ")
    assert out.count("\n") == 1


def test_check_fails_for_values_that_are_not_finite(folder, run):
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [2], name="x")
        sg.save(sg.freeze([sg.log(x)], [x]), "log.sg")
    status, out, _ = run("check", "log.sg", "x=[0, 1]")
    assert status == 1
    assert "failed  values: log: float64[2] is not finite" in out


def test_check_finds_a_wrong_gradient(folder, run):
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [2], name="x")
        loss = sg.reduce_sum(x * x, name="loss")
        graph = sg.freeze([loss, x * 3], [x])
    import dataclasses

    sg.save(dataclasses.replace(graph, labels=("loss", "d loss / d x")), "wrong.sg")
    if not sg.load("wrong.sg").labels:
        pytest.skip("files have no labels")
    status, out, _ = run("check", "wrong.sg")
    assert status == 1
    assert "failed  gradients: d loss / d x differs from differences of loss" in out


@pytest.mark.parametrize("options", [{"grad_ys": 2.0}, {"stop_gradients": "h"}])
def test_check_takes_no_weighted_or_partial_gradient_for_that_of_the_loss(folder, run, options):
    with sg.Graph().as_default():
        x = sg.placeholder("float64", [2], name="x")
        h = sg.tanh(x, name="h")
        loss = sg.reduce_sum(h * x, name="loss")
        given = {key: h if value == "h" else value for key, value in options.items()}
        sg.save(sg.freeze([loss, *sg.gradients(loss, [x], **given)], [x]), "partial.sg")
    status, out, _ = run("check", "partial.sg")
    assert status == 0
    assert "no result is labelled" in out


def test_feeds_too_large_for_memory_are_wrong_input(folder, run):
    with sg.Graph().as_default():
        x = sg.placeholder("float32", [None, 3], name="x")
        sg.save(sg.freeze([sg.exp(x)], [x]), "large.sg")
    status, _, err = run("run", "large.sg", "x=float32[1000000000000,3]")
    assert status == 2
    assert "Unable to allocate" in err


def test_check_takes_feeds_that_do_not_fit_for_wrong_input(folder, run):
    status, _, err = run("check", "model.sg", "x=[[1, 2]]")
    assert status == 2
    assert "was fed an array of shape (1, 2)" in err


@pytest.mark.parametrize("name", ["file", "allow_pickle"])
def test_results_have_any_name(folder, run, name):
    with sg.Graph().as_default():
        sg.save(sg.freeze([sg.exp(sg.constant(0.0), name=name), sg.constant(2.0)]), "named.sg")
    assert run("run", "named.sg", "-o", "out.npz")[0] == 0
    with np.load("out.npz") as found:
        assert found[name] == 1
        assert len(found.files) == 2


def test_a_page_goes_to_the_standard_output(folder, run):
    status, out, _ = run("inspect", "model.sg", "-o", "-")
    assert status == 0
    assert out.startswith("<!DOCTYPE html>")
    assert not Path("-").exists()


def test_assembly_needs_machine_code(folder, run):
    status, _, err = run("inspect", "model.sg", "--backend", "numpy", "--assembly", "-o", "a.html")
    assert status == 2
    assert "give --backend native" in err


@pytest.mark.parametrize("body", ["def f(:", "def f(x=2.0): raise KeyError('key of the script')"])
def test_errors_of_a_script_are_wrong_input_and_have_a_traceback(folder, run, body):
    Path("script.py").write_text(body)
    status, _, err = run("compare", "script.py:f", "--seconds", "0.01")
    assert status == 2
    assert 'script.py", line 1' in err


def test_streams_may_be_closed(folder, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["show", "model.sg"]) == 0
    sys.stdout.close()
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["show", "-"]) == 2
    sys.stdout.close()
    assert "the standard input is closed" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["dot", "mermaid", "json", "text"])
def test_export_has_formats(folder, run, name):
    status, out, _ = run("export", "model.sg", "--format", name)
    assert status == 0
    assert len(out) > 100


def test_export_goes_by_the_suffix(folder, run):
    run("export", "model.sg", "-o", "model.dot")
    assert Path("model.dot").read_text().startswith("digraph")
    run("export", "model.sg", "-o", "model.py")
    assert "def run(" in Path("model.py").read_text()
    status, _, err = run("export", "model.sg", "-o", "model.xyz")
    assert status == 2
    assert "no format has this suffix" in err


def test_bench_times_all_backends(folder, run):
    status, out, _ = run("bench", "model.sg", "x=x.npy", "--seconds", "0.05", "--json")
    assert status == 0
    found = {row["backend"]: row for row in json.loads(out)}
    assert found["numpy, optimize=2"]["seconds"] > 0
    pictures = ["--timeline", "memory.svg", "--flame", "time.svg"]
    status, out, _ = run("bench", "model.sg", "--seconds", "0.05", *pictures)
    assert all("<svg" in Path(name).read_text() for name in pictures[1::2])
    assert "per call" in out


def test_inspect_writes_a_page(folder, run):
    assert run("inspect", "model.sg") == (0, "", "")
    assert Path("model.html").read_text().lower().startswith("<!doctype html>")
    assert run("inspect", "model.sg", "x=x.npy", "--beside", "other.sg", "-o", "b.html")[0] == 0
    assert Path("b.html").stat().st_size > 1000


@pytest.mark.parametrize("feeds", [[], ["x=x.npy"]])
def test_inspect_shows_machine_code_for_the_sizes_of_a_run(folder, run, feeds):
    pytest.importorskip("llvmlite")
    how = ["--backend", "native", "--ir", "--assembly", "-o", "native.html"]
    assert run("inspect", "model.sg", *feeds, *how) == (0, "", "")


SCRIPT = """
import numpy as np
def loss(x, w=np.ones(3)):
    return np.sum(np.tanh(x @ w))
def branch(x):
    return x if x > 0 else -x
"""


def test_compare_runs_a_function_of_a_script(folder, run):
    Path("script.py").write_text(SCRIPT)
    status, out, _ = run("compare", "script.py:loss", "x=[[1,2,3]]", "--seconds", "0.01",
                         "--html", "compare.html")  # fmt: skip
    assert status == 0
    assert out.startswith("loss(x: float64[1, 3], w: float64[3])")
    assert Path("compare.html").read_text().startswith("<!DOCTYPE html>")
    status, out, _ = run("compare", "script.py:branch", "x=float64[]", "--seconds", "0.01")
    assert status == 1
    assert "not run" in out


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["run", "none.sg"], "none.sg: No such file or directory"),
        (["show", "."], "Is a directory"),
        (["run", "x.npy"], "x.npy is neither a saved graph nor the text of one"),
        (["run", "model.sg"], "no values for x: float64[batch, 3]"),
        (["run", "model.sg", "y=1"], "'y' is no input of the graph; its inputs are x: float64"),
        (["run", "model.sg", "x=none.npy"], "none.npy: No such file or directory"),
        (["run", "model.sg", "x=abc"], "x='abc' is no value"),
        (["run", "model.sg", "nonsense"], "is neither NAME=VALUE nor a file"),
        (["run", "model.sg", "x=[1,2]"], "x"),
        (["run", "model.sg", "x=x.npy", "-o", "a.txt"], "results are written to FILE.npz"),
        (["run", "model.sg", "x=x.npy", "--backend", "gpu"], "gpu"),
        (["diff", "model.sg", "none.sg"], "none.sg: No such file or directory"),
        (["diff", "-", "-"], "only one of the graphs"),
        (["export", "model.sg", "--format", "python"], "give -o FILE.py"),
        (["compare", "none.py:f"], "none.py: No such file or directory"),
        (["compare", "f"], "names no function"),
    ],
)
def test_bad_input_is_one_line_and_status_2(folder, run, arguments, text):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert err.startswith(f"python -m staticgrad {arguments[0]}: ")
    assert text in err


def test_a_malformed_file_is_one_line(folder, run):
    Path("bad.sg").write_text("graph(x: float32[3])\n  y: float32[3] = nonsense(x)\n  return y\n")
    status, _, err = run("run", "bad.sg", "x=[1,2,3]")
    assert status == 2
    assert err.startswith("python -m staticgrad run: bad.sg: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("name", COMMANDS)
def test_help_teaches_by_example(name, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([name, "--help"])
    assert stopped.value.code == 0
    shown = capsys.readouterr().out
    assert "examples:" in shown
    assert f"python -m staticgrad {name}" in shown


def test_all_commands_are_in_the_help():
    text = parser().format_help()
    assert all(f"\n    {name} " in text for name in COMMANDS)
    assert "exit status" in text


def test_an_error_is_told_on_one_line():
    assert one_line(ValueError("a\n  hint: b")) == "a; hint: b"
    assert one_line(KeyError()) == "KeyError"


def test_a_closed_pipe_is_no_error(folder):
    program = f"{sys.executable} -m staticgrad show model.sg | head -c 10"
    here = os.environ | {"PYTHONPATH": str(Path(sg.__file__).parents[1])}
    done = subprocess.run(program, shell=True, env=here, capture_output=True, check=False)
    assert done.stderr == b""
    assert done.stdout == b"graph(x: f"


def test_models_of_onnx_go_out_and_come_in(folder, run):
    pytest.importorskip("onnx")
    assert run("export", "model.sg", "-o", "model.onnx")[0] == 0
    assert run("import", "model.onnx", "-o", "back.sg")[0] == 0
    assert run("import", "model.onnx", "--shape", "x=5,3", "-o", "five.sg")[0] == 0
    assert sg.load("five.sg").inputs[0].shape == (5, 3)
    feeds = ("x=x.npy", "w=[0.5,-1,2]")
    for model in ("model.onnx", "back.sg"):
        found = run("run", model, *feeds)
        assert found[0] == 0
        assert "-1.76" in found[1] or "1.8" in found[1]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["import", "model.onnx"], "give -o FILE.sg"),
        (["import", "model.onnx", "--shape", "x", "-o", "back.sg"], "write NAME=SIZES"),
        (["export", "model.sg", "--format", "onnx"], "give -o FILE"),
    ],
)
def test_models_of_onnx_need_files(folder, run, arguments, says):
    pytest.importorskip("onnx")
    run("export", "model.sg", "-o", "model.onnx")
    status, _, err = run(*arguments)
    assert status == 2
    assert says in err
