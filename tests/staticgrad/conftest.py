"""Every test builds in a graph of its own."""

import pytest

import staticgrad as sg


@pytest.fixture(autouse=True)
def graph():
    with sg.Graph().as_default() as graph:
        yield graph
