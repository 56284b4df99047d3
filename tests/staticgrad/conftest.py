"""Every test builds in a graph of its own; TensorFlow 1 is asked where it is installed."""

from pathlib import Path

import pytest

import staticgrad as sg

from .beside import TensorFlow


@pytest.fixture(autouse=True)
def graph():
    with sg.Graph().as_default() as graph:
        yield graph


@pytest.fixture(scope="session")
def tensorflow():
    """TensorFlow 1 under our names; importing it takes seconds, so only who asks for it does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TF_CPP_MIN_LOG_LEVEL", "3")
        patch.setenv("TF_ENABLE_ONEDNN_OPTS", "0")
        tf = pytest.importorskip("tensorflow", reason="TensorFlow is the oracle").compat.v1
        tf.logging.set_verbosity(tf.logging.FATAL)
        yield TensorFlow(tf)


def pytest_collection_modifyitems(items):
    """Let tests build on when they have run something: tests/staticgrad/build/test_graph.py
    tests that users are warned of it."""
    growing = pytest.mark.filterwarnings("ignore::gradops.core.errors.GrowthWarning")
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and "warned" not in item.name:
            item.add_marker(growing)
