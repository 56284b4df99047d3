"""Embeddings, attention and the layers of transformers, with PyTorch's weights."""

from collections.abc import Callable, Sequence
from functools import partial

import gradops as ops
from gradops import OptionError, ShapeError, nn
from gradops.nn import Projections
from gradops.typing import AnyArray, DTypeLike, Operand

from .. import initializers
from ..build.graph import name_scope
from ..build.inputs import as_expression
from ..ir.expr import Expr
from .dense import dropout as drop_layer
from .linear import linear
from .normalization import ZEROS, layer_norm
from .weights import Initial, Training, count, features, variable


def embedding(
    ids: Operand, vocab_size: int, embed_dim: int, initializer: Initial = None,
    dtype: DTypeLike = "float32", trainable: bool = True, name: str = "embedding",
) -> Expr:  # fmt: skip
    """The rows of a table, the variable `weight`, at given indices.

    Its initial values are normal random numbers.

    >>> ids = sg.placeholder("int64", ["batch", "steps"], name="ids")
    >>> sg.layers.embedding(ids, vocab_size=10, embed_dim=4).shape
    (batch, steps, 4)
    """
    sizes = count(name, "vocab_size", vocab_size), count(name, "embed_dim", embed_dim)
    with name_scope(name):
        start = initializer or initializers.random_normal()
        table = variable("weight", sizes, dtype, start, trainable)
        return ops.embedding(as_expression(ids), table)


def multi_head_attention(
    query: Operand, key: Operand | None = None, value: Operand | None = None, num_heads: int = 1,
    masks: Sequence[AnyArray] = (), dropout: float = 0.0, training: Training = False,
    use_bias: bool = True, trainable: bool = True, name: str = "attention",
) -> tuple[Operand, Operand]:  # fmt: skip
    """Multi-head attention: the outputs, and the weights (batch, heads, queries, keys).

    Operands have the shape (batch, positions, features); values default to the keys, and these to
    the queries. A mask broadcasts to the shape of the weights: a true entry excludes a key from a
    query (`gradops.nn.causal` excludes later ones), numbers are added to the scores. Variables have
    PyTorch's names and shapes.

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
        drop = partial(drop_layer, rate=dropout, training=training) if dropout else None
        return nn.multi_head_attention(q, k, v, heads, projections, masks, drop)


def projections_of(sizes: list[int], use_bias: bool, dtype: DTypeLike, train: bool) -> Projections:
    """The variables of attention for queries, keys and values with these numbers of features."""
    size = sizes[0]
    glorot = initializers.variance_scaling(1.0, "fan_avg", "uniform")
    weight = partial(variable, dtype=dtype, initializer=glorot, train=train)
    bias = partial(variable, dtype=dtype, initializer=ZEROS, train=train)
    if sizes == [size] * 3:
        weights = ops.split(weight("in_proj_weight", (3 * size, size)), 3)
    else:
        weights = [weight(f"{n}_proj_weight", (size, m)) for n, m in zip("qkv", sizes)]
    biases: Sequence[Expr | None] = [None] * 3
    if use_bias:
        biases = ops.split(bias("in_proj_bias", (3 * size,)), 3)
    with name_scope("out_proj"):
        out = weight("weight", (size, size))
        return Projections(weights, biases, out, bias("bias", (size,)) if use_bias else None)


def transformer_encoder_layer(
    inputs: Operand, num_heads: int, units: int = 2048, dropout: float = 0.1,
    activation: Callable[[Expr], Expr] = ops.relu, norm_first: bool = False,
    masks: Sequence[AnyArray] = (), training: Training = False, epsilon: float = 1e-5,
    trainable: bool = True, name: str = "layer",
) -> AnyArray:  # fmt: skip
    """A transformer encoder layer: self-attention, then a feed-forward network with `units`.

    Inputs have the shape (batch, positions, features). Each part has a residual connection and a
    layer norm, of the sum or, with `norm_first`, of the part's input. `masks` are those of
    `multi_head_attention`. Variables have PyTorch's names and shapes.

    >>> x = sg.placeholder("float32", ["batch", 5, 4], name="x")
    >>> sg.layers.transformer_encoder_layer(x, num_heads=2, units=8).shape
    (batch, 5, 4)
    >>> [v.name for v in sg.trainable_variables()][-2:]
    ['layer/norm2/weight', 'layer/norm2/bias']
    """
    x = as_expression(inputs)
    size = features(name, x)
    drop = partial(drop_layer, rate=dropout, training=training)

    def attend(x: Expr) -> Expr:
        y, _ = multi_head_attention(
            x, num_heads=num_heads, masks=masks, dropout=dropout, training=training,
            trainable=trainable, name="self_attn",
        )  # fmt: skip
        return drop(y)

    def feed_forward(x: Expr) -> Expr:
        y = activation(linear(x, units, trainable=trainable, name="linear1"))
        return drop(linear(drop(y), size, trainable=trainable, name="linear2"))

    norm = partial(layer_norm, epsilon=epsilon, trainable=trainable)
    norms = [partial(norm, name="norm1"), partial(norm, name="norm2")]
    with name_scope(name):
        return nn.residual(x, [attend, feed_forward], norms, norm_first)
