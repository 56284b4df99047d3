"""The garbage collector is paused while graphs are made, and left as it was."""

import gc

import pytest

import staticgrad as sg
from gradops import FeedError
from staticgrad.build.collector import collector_paused


@pytest.fixture(autouse=True)
def _restored():
    was_on = gc.isenabled()
    yield
    (gc.enable if was_on else gc.disable)()


@pytest.mark.parametrize("is_on", [True, False])
def test_the_collector_is_off_inside_and_as_before_after(is_on):
    (gc.enable if is_on else gc.disable)()
    with collector_paused():
        assert not gc.isenabled()
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled() is is_on


def test_an_error_leaves_the_collector_on():
    gc.enable()
    x, y = sg.placeholder("float32", [2]), sg.placeholder("float32", [2])
    with pytest.raises(FeedError):
        sg.freeze(x + y, [x])
    assert gc.isenabled()


def test_making_and_running_a_graph_leaves_the_collector_on():
    gc.enable()
    x = sg.placeholder("float64", [2])
    f = sg.compile(sg.hessian(sg.reduce_sum(x**3), x), [x])
    assert gc.isenabled()
    f([1.0, 2.0])
    assert gc.isenabled()
