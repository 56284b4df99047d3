"""Training over blocks: the steps of a session, and the same bits after any interruption."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import staticgrad as sg
from gradops import FeedError, FetchError, OptionError, StateError, StateFormatError
from staticgrad.distributed.checkpoints import Checkpoint, from_bytes, to_bytes
from staticgrad.distributed.training import Trainer
from tests.staticgrad.distributed.regression import Y, model, trained

ROOT = Path(__file__).parents[3]
rng = np.random.default_rng(4)


def bits(result):
    return result.losses.tobytes(), {k: v.tobytes() for k, v in result.variables.items()}


def test_steps_are_those_of_a_session():
    data, step = model()
    ours, theirs = sg.Session(), sg.Session()
    result = trained(data, step, blocks_per_step=None, epochs=10, seed=None, session=ours)
    losses = [theirs.run(step, data)[0] for _ in range(10)]
    np.testing.assert_allclose(result.losses, losses, rtol=1e-12)  # another order of sums
    for name, value in theirs.snapshot().values.items():
        np.testing.assert_allclose(ours.snapshot().values[name], value, rtol=1e-12)
        np.testing.assert_array_equal(result.variables[name], ours.snapshot().values[name])


@pytest.mark.parametrize("engine", [2, 7])
def test_bits_do_not_depend_on_the_number_of_workers(engine):
    data, step = model()
    assert bits(trained(data, step, engine=1)) == bits(trained(data, step, engine=engine))


def test_a_session_gives_the_initial_values():
    data, step = model()
    session = sg.Session()
    session.restore({"b": 0.5})
    assert trained(data, step, session=session).losses[0] != trained(data, step).losses[0]


def test_training_goes_on_from_a_checkpoint_with_the_same_bits(tmp_path):
    data, step = model()
    path = tmp_path / "fit.ckpt"
    whole = trained(data, step)
    for epochs in (1, 3, 3, 4):
        result = trained(data, step, epochs=epochs, checkpoint=path)
    assert bits(result) == bits(whole)
    assert [file.name for file in tmp_path.iterdir()] == ["fit.ckpt"]


@pytest.mark.parametrize("stop", [1, 4, 5, 13])
def test_an_error_loses_only_the_steps_after_the_checkpoint(tmp_path, stop, monkeypatch):
    data, step = model()
    whole = trained(data, step)
    take = Trainer.take

    def interrupted(self, here, program, places):
        if here.steps == stop:
            raise KeyboardInterrupt
        take(self, here, program, places)

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "take", interrupted)
        with pytest.raises(KeyboardInterrupt):
            trained(data, step, checkpoint=tmp_path / "fit.ckpt", every=2)
    resumed = trained(data, step, checkpoint=tmp_path / "fit.ckpt", every=2)
    assert bits(resumed) == bits(whole)


PROGRAM = """
import resource
import numpy as np
from tests.staticgrad.distributed.regression import model, trained
{setup}
result = trained(*model(), epochs=40, checkpoint={path!r}, every=1)
np.save({path!r} + ".npy", result.losses)
"""


def program(path, setup=""):
    """A process that trains, and writes a checkpoint after each step."""
    text = PROGRAM.format(path=str(path), setup=setup)
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen([sys.executable, "-c", text], env=environment, stderr=subprocess.PIPE)


def test_a_killed_process_leaves_a_whole_checkpoint_to_go_on_from(tmp_path):
    path = tmp_path / "fit.ckpt"
    for _ in range(2):
        process = program(path)
        steps = from_bytes(path.read_bytes()).steps if path.exists() else 0
        while not path.exists() or from_bytes(path.read_bytes()).steps < steps + 5:
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    data, step = model()
    resumed = trained(data, step, epochs=40, checkpoint=path)
    assert bits(resumed) == bits(trained(data, step, epochs=40))


def test_a_full_disk_loses_neither_the_checkpoint_nor_the_training(tmp_path):
    path = tmp_path / "fit.ckpt"
    data, step = model()
    trained(data, step, epochs=1, checkpoint=path, blocks_per_step=3)
    before = path.read_bytes()
    full = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({len(before)}, -1))"
    process = program(path, full)
    _, errors = process.communicate()
    assert process.returncode == 0
    assert b"cannot be written, and the one before stays" in errors
    assert path.read_bytes() == before
    assert np.load(f"{path}.npy").tobytes() == trained(data, step, epochs=40).losses.tobytes()
    resumed = trained(data, step, epochs=40, checkpoint=path)
    assert bits(resumed) == bits(trained(data, step, epochs=40))


@pytest.mark.parametrize(
    "other", [{"seed": 8}, {"block_rows": 20}, {"blocks_per_step": 2}, {"rate": 0.1}], ids=str
)
def test_a_checkpoint_of_another_training_is_refused(tmp_path, other):
    trained(*model(), checkpoint=tmp_path / "fit.ckpt")
    options = dict(other)
    graph = sg.Graph()
    with graph.as_default():
        data, step = model(options.pop("rate", 0.05))
    with pytest.raises(StateError, match="another training"):
        trained(data, step, checkpoint=tmp_path / "fit.ckpt", **options)


def test_a_damaged_checkpoint_is_one_kind_of_error():
    whole = to_bytes(Checkpoint("key", {"w": np.arange(5.0)}, [1.0, 2.0]))
    for _ in range(300):
        content = bytearray(whole)
        for place in rng.integers(len(content), size=rng.integers(1, 4)):
            content[place] = rng.integers(256)
        content = content[: rng.integers(len(content))] if rng.random() < 0.3 else content
        with suppress(StateFormatError):
            from_bytes(bytes(content))


def test_a_step_is_a_loss_and_what_trains_it():
    data, (loss, train) = model()
    for wrong in (train, [train], [loss, 3], None):
        with pytest.raises(FetchError, match="a step is a loss and what trains it"):
            trained(data, wrong)
    with pytest.raises(FetchError, match="reads no gradient"):
        trained(data, [loss * 2, train])


def test_an_update_that_reads_data_is_refused():
    data, (loss, train) = model()
    x = next(iter(data))
    seen = sg.Variable(0.0, name="seen", dtype="float64")
    both = sg.group(train, seen.assign(sg.reduce_max(x)))
    with pytest.raises(FeedError, match="other ways than the gradients"):
        trained(data, [loss, both])


def test_a_loss_that_draws_random_numbers_is_refused():
    x = sg.placeholder("float64", [None], name="x")
    w = sg.Variable(1.0, name="w", dtype="float64")
    loss = sg.reduce_mean(w * x * sg.random_uniform(sg.shape(x), dtype="float64"))
    train = sg.train.GradientDescentOptimizer(0.1).minimize(loss)
    with pytest.raises(FeedError, match="random numbers"):
        trained({x: Y}, [loss, train])


@pytest.mark.parametrize("option", ["epochs", "blocks_per_step", "every"])
def test_numbers_of_steps_are_positive(option):
    with pytest.raises(OptionError, match=f"{option} is at least 1"):
        trained(*model(), **{option: 0})


def test_progress_is_shown(capsys):
    trained(*model(), progress=True)
    assert "training: 20/20 steps, loss" in capsys.readouterr().err
