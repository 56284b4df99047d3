"""Several processes started by mpiexec: the bits of one process, and errors that end all."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import staticgrad as sg
from staticgrad.distributed.engines.message_passing import checksum, leaves_of_rank, transfers
from staticgrad.distributed.tree import Partial, merge, root, total
from tests.staticgrad.distributed.regression import X, Y, model, squares, trained

ROOT = Path(__file__).parents[3]
SECONDS = 60

START = """
import os, signal
import numpy as np
import staticgrad as sg
from mpi4py import MPI
from tests.staticgrad.distributed.regression import X, Y, model, squares, trained
rank = MPI.COMM_WORLD.rank
engine = sg.distributed.mpi(timeout={timeout})
"""


@cache
def why_not():
    """The reason for which programs of MPI cannot be run here; None if they can."""
    if shutil.which("mpiexec") is None:
        return "there is no mpiexec"
    code = [sys.executable, "-c", "from mpi4py import MPI"]
    failed = subprocess.run(code, capture_output=True).returncode
    return "mpi4py finds no library of MPI" if failed else None


@pytest.fixture
def mpi():
    pytest.importorskip("mpi4py.run", reason="the extra mpi is not installed")
    if reason := why_not():
        pytest.skip(reason)
    return run


def command(count):
    """The command that starts so many processes; Open MPI is told to do it here."""
    version = subprocess.run(["mpiexec", "--version"], capture_output=True, text=True).stdout
    is_open = "open" in version.lower()
    extra = ["--allow-run-as-root", "--oversubscribe"] if is_open else []
    return ["mpiexec", *extra, "-n", str(count)]


def run(count, code, timeout=SECONDS):
    """The status and the errors of a program in several processes."""
    text = START.format(timeout=timeout) + code
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*command(count), sys.executable, "-c", text],
        env=environment, capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    return done.returncode, done.stderr


VALUES = """
found = []
for rows in (200, 90, 13):
    f = sg.distributed.value_and_grad(
        squares, np.zeros(3), (X, Y), block_rows=rows, engine=engine
    )
    value, gradient = f(np.ones(3))
    found += [[value], gradient, f.hvp(np.ones(3), np.arange(3.0))]
result = trained(*model(), engine=engine)
found += [result.losses, *map(np.ravel, result.variables.values())]
np.save(f"{folder}/{{rank}}.npy", np.concatenate(found))
"""


def values():
    """What the program above computes, in this process."""
    found = []
    for rows in (200, 90, 13):
        data = X, Y
        f = sg.distributed.value_and_grad(squares, np.zeros(3), data, block_rows=rows, engine=1)
        value, gradient = f(np.ones(3))
        found += [[value], gradient, f.hvp(np.ones(3), np.arange(3.0))]
    with sg.Graph().as_default():
        result = trained(*model(), engine=1)
    return np.concatenate([*found, result.losses, *map(np.ravel, result.variables.values())])


@pytest.mark.parametrize("count", [1, 2, 3])
def test_all_processes_have_the_bits_of_one(mpi, tmp_path, count):
    status, errors = mpi(count, VALUES.format(folder=tmp_path))
    assert status == 0, errors
    for rank in range(count):
        assert np.load(tmp_path / f"{rank}.npy").tobytes() == values().tobytes()


KILLED = """
from staticgrad.distributed.training import Trainer
take, count = Trainer.take, [0]
def killing(self, here, program, places):
    take(self, here, program, places)
    count[0] += 1
    if rank == 1 and count[0] == {kill}:
        os.kill(os.getpid(), signal.SIGKILL)
Trainer.take = killing
result = trained(*model(), engine=engine, checkpoint={path!r}, every=2)
if rank == 0:
    np.save({path!r} + ".npy", result.losses)
"""


def test_a_dead_process_ends_all_and_training_goes_on_with_the_same_bits(mpi, tmp_path):
    path = str(tmp_path / "fit.ckpt")
    assert mpi(2, KILLED.format(path=path, kill=5))[0] != 0
    assert mpi(2, KILLED.format(path=path, kill=None))[0] == 0
    whole = trained(*model())
    assert np.load(f"{path}.npy").tobytes() == whole.losses.tobytes()


BROKEN = """
class Column:
    shape, dtype = (100,), np.dtype(float)
    def __len__(self):
        return 100
    def __getitem__(self, rows):
        if rank == 1 and rows.start > 0:
            raise OSError("the disk of rank 1 is gone")
        return np.ones(rows.stop - rows.start)

f = sg.distributed.value_and_grad(lambda w, x: np.sum(w * x), 0.0, Column(), block_rows=10,
                                  engine=engine)
f(1.0)
"""


def test_an_error_in_one_process_is_an_error_in_all(mpi):
    status, errors = mpi(2, BROKEN)
    assert status != 0
    assert "OSError: the disk of rank 1 is gone" in errors or "rank 1 raised an error" in errors


STOPPED = """
f = sg.distributed.value_and_grad(lambda w, x: np.sum(w * x), 0.0, np.ones(10), block_rows=1,
                                  engine=engine)
f(1.0)
if rank == 1:
    os.kill(os.getpid(), signal.SIGSTOP)
f(2.0)
"""


def test_a_stopped_process_is_an_error_in_time(mpi):
    status, errors = mpi(2, STOPPED, timeout=1)
    assert status != 0
    assert "rank 0 has waited 1 s for a message" in errors


DIFFERENT = """
f = sg.distributed.value_and_grad(lambda w, x: np.sum(w * x), 0.0, np.ones(10), engine=engine)
f(1.0 + rank)
"""


def test_different_parameters_are_an_error(mpi):
    status, errors = mpi(2, DIFFERENT)
    assert status != 0
    assert "ranks were given different parameters" in errors


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 64])
@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 20, 65])
def test_the_nodes_that_ranks_send_complete_the_tree(count, size):
    leaves = [Partial(1, (np.random.default_rng(i).normal(size=2),)) for i in range(count)]
    have = [
        merge({(0, i): leaves[i] for i in leaves_of_rank(rank, count, size)}, count)
        for rank in range(size)
    ]
    for t in transfers(count, size):
        have[t.receiver] = merge(have[t.receiver] | {t.node: have[t.sender].pop(t.node)}, count)
    (found,) = [nodes[root(count)] for nodes in have if root(count) in nodes]
    assert found.sums[0].tobytes() == total(leaves).sums[0].tobytes()
    assert sum(map(len, have)) == 1


def test_the_checksum_tells_arrays_apart():
    rng = np.random.default_rng(0)
    a = rng.normal(size=1001)
    for _ in range(50):
        b = a.copy()
        i, j = rng.choice(1001, 2, replace=False)
        b[[i, j]] = b[[j, i]]
        c = a.copy()
        c[i] = np.nextafter(c[i], 9)
        assert len({checksum([x]) for x in (a, b, c)}) == 3
    assert checksum([a]) == checksum([a.copy()])
    assert checksum([np.float32(1)]) != checksum([np.float32(2)])
