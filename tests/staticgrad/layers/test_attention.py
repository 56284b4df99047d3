"""Attention in a graph: masks, keys of other sizes, dropout while training, bad arguments."""

import numpy as np
import pytest

import staticgrad as sg
from gradops import OptionError, ShapeError
from gradops.nn import causal

RNG = np.random.default_rng(0)
DATA = RNG.normal(size=(2, 5, 8)).astype(np.float32)


def test_what_comes_later_has_no_influence_under_a_causal_mask():
    x = sg.placeholder("float32", ["batch", 5, 8])
    y = sg.layers.transformer_encoder_layer(x, 2, 16, masks=[causal(5)])
    changed = DATA.copy()
    changed[:, 3:] = 7
    run = sg.Session().make_callable(y, [x])
    np.testing.assert_array_equal(run(DATA)[:, :3], run(changed)[:, :3])


def test_numbers_in_a_mask_are_added_to_the_scores():
    x = sg.constant(DATA)
    hidden = np.array([False, False, True, False, True])
    _, weights = sg.layers.multi_head_attention(x, num_heads=2, masks=[np.where(hidden, -1e9, 0)])
    found = sg.Session().run(weights)
    assert not found[..., hidden].any()
    np.testing.assert_allclose(found.sum(-1), 1, rtol=1e-6)


def test_keys_and_values_may_be_other_than_queries():
    y, weights = sg.layers.multi_head_attention(
        sg.ones([2, 5, 8]), sg.ones([2, 7, 3]), sg.ones([2, 7, 4]), num_heads=4
    )
    assert (y.shape, weights.shape) == ((2, 5, 8), (2, 4, 5, 7))
    assert [v.name.split("/")[1] for v in sg.trainable_variables()][:3] == [
        "q_proj_weight", "k_proj_weight", "v_proj_weight",
    ]  # fmt: skip


def test_dropout_is_that_of_training():
    training = sg.placeholder("bool", [])
    y = sg.layers.transformer_encoder_layer(sg.constant(DATA), 2, 16, 0.5, training=training)
    session = sg.Session()
    a, b, c, d = (session.run(y, {training: t}).tolist() for t in (True, True, False, False))
    assert a != b
    assert c == d


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: sg.layers.multi_head_attention(sg.ones([2, 8])), ShapeError, "three axes"),
        (
            lambda: sg.layers.multi_head_attention(sg.ones([2, 5, 8]), num_heads=3),
            OptionError,
            "3 heads",
        ),
        (lambda: sg.layers.embedding(sg.zeros([2], "int64"), 0, 3), OptionError, "vocab_size=0"),
    ],
)
def test_what_makes_no_sense_is_refused(call, error, match):
    with pytest.raises(error, match=match):
        call()
