"""A cluster of processes on this machine: the bits of one process, whatever dies or stops."""

import os
import signal
import time
from threading import Timer

import numpy as np
import pytest

import staticgrad as sg
from gradops import EngineError, FeedError, ShapeError
from staticgrad.distributed.engines.resident import Resident
from tests.staticgrad.distributed.regression import model, trained

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")

rng = np.random.default_rng(2)
X, Y = rng.normal(size=(400, 4)), rng.normal(size=400)
P, Q = {"w": np.zeros(4), "b": 0.0}, {"w": rng.normal(size=4), "b": 0.5}
ROWS = 40
KILLS = 5  # and a hundred in tests/soak

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")  # of Dask's own sockets


def loss(p, x, y):
    return np.mean(np.tanh(x @ p["w"] + p["b"] - y) ** 2)


def bits(result):
    value, gradient = result
    return [np.asarray(a).tobytes() for a in (value, *gradient.values())]


@pytest.fixture(scope="module")
def client():
    settings = {
        "distributed.scheduler.allowed-failures": 10,
        "distributed.deploy.lost-worker-timeout": "1 day",  # else one dead again by then is lost
    }
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=60
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def wanted():
    return bits(sg.distributed.value_and_grad(loss, P, (X, Y), block_rows=ROWS, engine=1)(Q))


def chunked():
    return da.from_array(X, chunks=(ROWS, 4)), da.from_array(Y, chunks=ROWS)


def kill(client, number):
    """End one worker process at once; its nanny starts another."""
    pids = sorted(client.run(os.getpid).values())
    os.kill(pids[number % len(pids)], signal.SIGKILL)


def wait_for_two(client):
    """Wait until two workers answer."""
    for _ in range(100):
        try:
            if len(client.run(os.getpid, on_error="ignore")) == 2:
                return
        except OSError:
            pass
        time.sleep(0.1)
    raise AssertionError("the cluster has not two workers again")


def check_kills(client, wanted, resident, count):
    """Kill workers, one after another, and compare the results that follow."""
    f = sg.distributed.value_and_grad(loss, P, chunked(), resident=resident)
    assert bits(f(Q)) == wanted
    for number in range(count):
        kill(client, number)
        assert bits(f(Q)) == wanted
        wait_for_two(client)


@pytest.mark.parametrize("resident", [False, True], ids=["tasks", "resident"])
def test_bits_are_those_of_one_process(client, wanted, resident):
    f = sg.distributed.value_and_grad(loss, P, chunked(), resident=resident)
    assert bits(f(Q)) == wanted
    here = sg.distributed.value_and_grad(loss, P, (X, Y), block_rows=ROWS, engine=1)
    vector = {"w": np.ones(4), "b": 1.0}
    assert bits((0, f.hvp(Q, vector))) == bits((0, here.hvp(Q, vector)))


def test_data_may_be_persisted_delayed_in_memory_or_in_files(client, wanted, tmp_path):
    lists = [[a[i : i + ROWS] for i in range(0, len(a), ROWS)] for a in (X, Y)]
    for i, block in enumerate(lists[0]):
        np.save(tmp_path / f"{i}.npy", block)
    paths = [tmp_path / f"{i}.npy" for i in range(len(lists[0]))]
    pairs = [dask.delayed(lambda a, b: (a, b))(a, b) for a, b in zip(*lists, strict=True)]
    for data in (
        tuple(a.persist() for a in chunked()), (X, chunked()[1]), tuple(lists), (paths, lists[1]),
        pairs, (paths, chunked()[1]), ([dask.delayed(a) for a in lists[0]], chunked()[1]),
        (chunked()[0][X[:, 0] > -9], chunked()[1][Y > -99]),  # of unknown sizes
    ):  # fmt: skip
        f = sg.distributed.value_and_grad(loss, P, data, engine=client)
        assert bits(f(Q)) == wanted


@pytest.mark.parametrize("resident", [False, True], ids=["tasks", "resident"])
def test_the_client_need_not_be_the_default_one(client, wanted, resident):
    small = {"n_workers": 1, "processes": False, "dashboard_address": ":0", "silence_logs": 60}
    with distributed.LocalCluster(**small) as other, distributed.Client(other):
        options = {"engine": client, "resident": resident, "timeout": 20}
        f = sg.distributed.value_and_grad(loss, P, chunked(), **options)
        assert bits(f(Q)) == bits(f(Q)) == wanted


@pytest.mark.parametrize("resident", [False, True], ids=["tasks", "resident"])
@pytest.mark.parametrize("later", [lambda a: a, lambda a: a + 0], ids=["kept", "computed"])
def test_data_that_is_persisted_stays_although_nothing_else_holds_it(client, later, resident):
    def make():
        data = da.from_array(X, chunks=(ROWS, 4)).persist()
        distributed.wait(data)
        loss = lambda w, x: np.mean((x @ w) ** 2)
        options = {"resident": resident, "timeout": 20}
        return sg.distributed.value_and_grad(loss, np.zeros(4), later(data), **options)

    first, second = make(), make()
    for _ in range(2):
        assert first(np.ones(4))[0] == second(np.ones(4))[0]


def test_threads_of_this_process_compute_dasks_blocks_too(client, wanted):
    for data in (chunked(), tuple(a.persist() for a in chunked())):
        f = sg.distributed.value_and_grad(loss, P, data, engine=2)
        assert bits(f(Q)) == wanted


def test_more_blocks_than_a_task_adds(client):
    x = np.arange(200.0)
    f = sg.distributed.value_and_grad(lambda w, x: np.sum(np.sin(w * x)), 0.0, da.from_array(x, 3))
    g = sg.distributed.value_and_grad(f.loss.function, 0.0, x, block_rows=3, engine=1)
    assert f(1.0) == g(1.0)


@pytest.mark.parametrize("resident", [False, True], ids=["tasks", "resident"])
def test_bits_are_the_same_after_a_worker_was_killed(client, wanted, resident):
    check_kills(client, wanted, resident, KILLS)


@pytest.mark.parametrize("resident", [False, True], ids=["tasks", "resident"])
def test_bits_are_the_same_if_a_worker_dies_while_it_computes(client, wanted, resident):
    def slow(a):
        time.sleep(0.2)
        return a

    x, y = chunked()
    data = x.map_blocks(slow, dtype=x.dtype), y
    f = sg.distributed.value_and_grad(loss, P, data, resident=resident)
    timer = Timer(0.4, kill, (client, 0))
    timer.start()
    assert bits(f(Q)) == wanted
    timer.join()
    wait_for_two(client)


@pytest.mark.parametrize("resident", [False, True], ids=["tasks", "resident"])
def test_a_stopped_worker_is_an_error_in_time(client, wanted, resident):
    f = sg.distributed.value_and_grad(loss, P, chunked(), resident=resident, timeout=60)
    assert bits(f(Q)) == wanted
    engine = f.engine
    engine.timeout = 1.0
    pids = list(client.run(os.getpid).values())
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(EngineError, match="within 1 s"):
            f(Q)
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)
    engine.timeout = 60
    assert bits(f(Q)) == wanted


def test_an_error_of_a_block_is_raised_here(client):
    blocks = [dask.delayed(np.ones)((3, n)) for n in (4, 5)]
    f = sg.distributed.value_and_grad(lambda w, x: np.sum(x @ w), np.zeros(4), blocks)
    with pytest.raises(FeedError, match=r"shape \(3, 5\)"):
        f(np.zeros(4))


def test_a_row_in_several_chunks_is_refused():
    with pytest.raises(ShapeError, match="rechunk"):
        sg.distributed.value_and_grad(loss, P, da.ones((4, 4), chunks=2))


@pytest.mark.parametrize("resident", [False, True], ids=["tasks", "resident"])
def test_training_has_the_same_bits_on_a_cluster_whose_workers_die(client, resident):
    data, step = model()
    lazy = {e: da.from_array(column, chunks=(16, *column.shape[1:])) for e, column in data.items()}
    timer = Timer(0.3, kill, (client, 0))
    timer.start()
    result = trained(lazy, step, resident=resident, block_rows=None)
    timer.join()
    wait_for_two(client)
    here = trained(data, step, engine=1)
    assert result.losses.tobytes() == here.losses.tobytes()
    for name, value in here.variables.items():
        assert result.variables[name].tobytes() == value.tobytes()


def test_the_address_of_a_lost_worker_may_be_that_of_another_one():
    class Client:
        workers = ("a", "b")

        def scheduler_info(self, n_workers):
            return {"workers": dict.fromkeys(self.workers)}

    engine = Resident(Client(), timeout=1.0)
    engine.lost = {"a", "b"}
    assert engine.usable() == []
    Client.workers = ("b",)
    engine.usable()
    Client.workers = ("a", "b")
    assert engine.usable() == ["a"]
