"""Reading a text costs no more than its length allows, whatever it asks for."""

import pytest

import staticgrad as sg
from gradops import GraphFormatError
from staticgrad.text.budget import SAFE, Budget
from staticgrad.text.parser import parse_sections

from ..ir.measuring import KINDS, costs

SIZE = 1 << 18
SECONDS, MEGABYTES = 2 * SIZE / SAFE, 512 * SIZE / SAFE
NOISE = 6  # times as long as on a machine with nothing else to do, where most kinds take a half


def test_no_text_costs_more_than_its_length_allows():
    found = costs(SIZE, *KINDS)
    slow = [cost for cost in found if cost.seconds > NOISE * SECONDS]
    assert not slow
    assert max(len(cost.outcome) for cost in found) < 1000
    assert found[-1].megabytes - found[0].megabytes < NOISE * MEGABYTES


def test_no_attribute_of_an_op_costs_more_than_its_length_allows():
    (worst,) = costs(2000, "ops")
    assert worst.seconds < 0.2, worst


def network(layers):
    """A graph with lines of the kinds that most graphs have."""
    x = y = sg.placeholder("float32", ["batch", 8], name="x")
    for i in range(layers):
        w = sg.Variable([[0.5] * 8] * 8, name=f"w{i}")
        y = sg.tanh(sg.matmul(y, w) + 0.25 * i)
    loss = sg.reduce_mean(y)
    return sg.freeze([loss, *sg.gradients(loss, [x])], [x])


def work(text):
    """The work that reading a text makes, beside its length."""
    budget = Budget()
    parse_sections(text, None, budget)
    return (budget.limit - budget.left) / len(text)


def test_an_ordinary_graph_asks_for_little_more_work_than_its_length():
    assert work(sg.to_text(network(300))) < 2.5


def test_work_grows_as_the_length_does():
    assert work(sg.to_text(network(200))) < 1.2 * work(sg.to_text(network(100)))


def test_a_limit_can_be_raised():
    lines = [f"  a{i}: int8[] = neg(x)" for i in range(1000)]
    text = "\n".join(["graph(x: int8[])", *lines, "  return a0"])
    with pytest.raises(GraphFormatError, match=r"more work than 50,000 bytes.*\n.*higher limit="):
        sg.parse(text, limit=50_000)
    assert sg.parse(text, limit=500_000).outputs[0].name == "a0"
    with pytest.raises(GraphFormatError, match=r"characters, more than 1,000"):
        sg.parse(text, limit=1000)
