"""Embeddings, attention and the layers of transformers, with PyTorch's weights."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import gradops as ops
from gradops import OptionError, ShapeError, nn
from gradops.nn import Projections

from .. import initializers
from ..build.graph import name_scope
from ..build.inputs import as_expression
from .dense import dropout as dropped
from .linear import linear
from .normalization import ZEROS, layer_norm
from .weights import count, features, made


def embedding(
    ids: Any,
    vocab_size: int,
    embed_dim: int,
    initializer: Any = None,
    dtype: Any = "float32",
    trainable: bool = True,
    name: str = "embedding",
) -> Any:
    """The rows of a table, the variable `weight`, at given indices.

    The table begins with normal random numbers.

    >>> ids = sg.placeholder("int64", ["batch", "steps"], name="ids")
    >>> sg.layers.embedding(ids, vocab_size=10, embed_dim=4).shape
    (batch, steps, 4)
    """
    sizes = count(name, "vocab_size", vocab_size), count(name, "embed_dim", embed_dim)
    with name_scope(name):
        start = initializer or initializers.random_normal()
        table = made("weight", sizes, dtype, start, trainable)
        return ops.embedding(as_expression(ids), table)


def multi_head_attention(
    query: Any,
    key: Any = None,
    value: Any = None,
    num_heads: int = 1,
    masks: Sequence[Any] = (),
    dropout: float = 0.0,
    training: Any = False,
    use_bias: bool = True,
    trainable: bool = True,
    name: str = "attention",
) -> tuple[Any, Any]:
    """What each query gathers from the values, and the weights (batch, heads, queries, keys).

    Operands have the shape (batch, places, features); the values are by default the keys, and these
    the queries. A mask broadcasts to the shape of the weights: truth values say where a query must
    not look (`gradops.nn.causal` makes that of what comes later), numbers are added to the
    scores. Variables have PyTorch's names and shapes.

    >>> x = sg.placeholder("float32", ["batch", 5, 4], name="x")
    >>> y, weights = sg.layers.multi_head_attention(x, num_heads=2)
    >>> y.shape, weights.shape
    ((batch, 5, 4), (batch, 2, 5, 5))
    >>> [v.name for v in sg.trainable_variables()][:2]
    ['attention/in_proj_weight', 'attention/in_proj_bias']
    """
    q = as_expression(query)
    k = q if key is None else as_expression(key)
    v = k if value is None else as_expression(value)
    if any(len(x.shape) != 3 for x in (q, k, v)):
        raise ShapeError(name, [x.label for x in (q, k, v)], "operands have three axes")
    size, heads = features(name, q), count(name, "num_heads", num_heads)
    if size % heads:
        raise OptionError(name, [q.label], f"{heads} heads do not share {size} features equally")
    with name_scope(name):
        sizes = [features(name, x) for x in (q, k, v)]
        projections = projections_of(sizes, use_bias, q.dtype, trainable)
        drop = partial(dropped, rate=dropout, training=training) if dropout else None
        return nn.multi_head_attention(q, k, v, heads, projections, masks, drop)


def projections_of(
    sizes: Sequence[int], use_bias: bool, dtype: Any, trainable: bool
) -> Projections:
    """The variables of an attention, for queries, keys and values of these sizes."""
    size = sizes[0]
    glorot = initializers.variance_scaling(1.0, "fan_avg", "uniform")
    weight = partial(made, dtype=dtype, initializer=glorot, train=trainable)
    bias = partial(made, dtype=dtype, initializer=ZEROS, train=trainable)
    if [*sizes] == [size] * 3:
        weights = ops.split(weight("in_proj_weight", (3 * size, size)), 3)
    else:
        weights = [weight(f"{n}_proj_weight", (size, m)) for n, m in zip("qkv", sizes)]
    biases: Sequence[Any] = [None] * 3
    if use_bias:
        biases = ops.split(bias("in_proj_bias", (3 * size,)), 3)
    with name_scope("out_proj"):
        out = weight("weight", (size, size))
        return Projections(weights, biases, out, bias("bias", (size,)) if use_bias else None)


def transformer_encoder_layer(
    inputs: Any,
    num_heads: int,
    units: int = 2048,
    dropout: float = 0.1,
    activation: Callable[[Any], Any] = ops.relu,
    norm_first: bool = False,
    masks: Sequence[Any] = (),
    training: Any = False,
    epsilon: float = 1e-5,
    trainable: bool = True,
    name: str = "layer",
) -> Any:
    """Attention of a sequence to itself, and a network of two layers for each of its places.

    Inputs have the shape (batch, places, features); the network has `units` in between. Each part
    is added to its input and normalized: the sum, or with `norm_first` what the part is given.
    `masks` are those of `multi_head_attention`. Variables have PyTorch's names and shapes.

    >>> x = sg.placeholder("float32", ["batch", 5, 4], name="x")
    >>> sg.layers.transformer_encoder_layer(x, num_heads=2, units=8).shape
    (batch, 5, 4)
    >>> [v.name for v in sg.trainable_variables()][-2:]
    ['layer/norm2/weight', 'layer/norm2/bias']
    """
    x = as_expression(inputs)
    size = features(name, x)
    drop = partial(dropped, rate=dropout, training=training)

    def attend(x: Any) -> Any:
        y, _ = multi_head_attention(
            x, num_heads=num_heads, masks=masks, dropout=dropout, training=training,
            trainable=trainable, name="self_attn",
        )  # fmt: skip
        return drop(y)

    def feed_forward(x: Any) -> Any:
        y = activation(linear(x, units, trainable=trainable, name="linear1"))
        return drop(linear(drop(y), size, trainable=trainable, name="linear2"))

    norms = [
        partial(layer_norm, epsilon=epsilon, trainable=trainable, name=f"norm{k}") for k in (1, 2)
    ]
    with name_scope(name):
        return nn.residual(x, [attend, feed_forward], norms, norm_first)
