"""Modules of one package and layers of the other: the same weights give the same bits."""

import numpy as np
import pytest

import dynamicgrad as dg
import staticgrad as sg
from dynamicgrad import nn
from gradops.nn import causal

RNG = np.random.default_rng(0)
IMAGES = RNG.normal(size=(3, 4, 6, 7)).astype(np.float32)
ROWS = RNG.normal(size=(3, 5, 8)).astype(np.float32)
FIRST = {"data_format": "channels_first"}


def as_kernel(w):
    """PyTorch's filters in TensorFlow's order of axes."""
    return np.moveaxis(w, (1, 0), (-2, -1))


CONV = {"weight": ("kernel", as_kernel), "bias": ("bias", np.asarray)}
NORM = {
    "weight": ("gamma", np.asarray), "bias": ("beta", np.asarray),
    "running_mean": ("moving_mean", np.asarray), "running_var": ("moving_variance", np.asarray),
}  # fmt: skip
CASES = {
    "linear": (lambda: nn.Linear(8, 3), lambda x: sg.layers.linear(x, 3, name="net"), ROWS, {}),
    "conv1d": (
        lambda: nn.Conv1d(5, 4, 3, padding=1),
        lambda x: sg.layers.conv1d(x, 4, 3, padding="same", name="net", **FIRST), ROWS, CONV,
    ),
    "conv2d": (
        lambda: nn.Conv2d(4, 6, 3, stride=2, groups=2),
        lambda x: sg.layers.conv2d(x, 6, 3, 2, name="net", groups=2, **FIRST), IMAGES, CONV,
    ),
    "conv2d, dilated": (
        lambda: nn.Conv2d(4, 6, (3, 2), padding="same", dilation=2),
        lambda x: sg.layers.conv2d(
            x, 6, (3, 2), padding="same", dilation_rate=2, name="net", **FIRST
        ), IMAGES, CONV,
    ),
    "conv2d_transpose": (
        lambda: nn.ConvTranspose2d(4, 6, 2, stride=2),
        lambda x: sg.layers.conv2d_transpose(x, 6, 2, 2, name="net", **FIRST), IMAGES, CONV,
    ),
    "max_pooling2d": (
        lambda: nn.MaxPool2d(2), lambda x: sg.layers.max_pooling2d(x, 2, **FIRST), IMAGES, {},
    ),
    "average_pooling2d": (
        lambda: nn.AvgPool2d(3, 2), lambda x: sg.layers.average_pooling2d(x, 3, 2, **FIRST),
        IMAGES, {},
    ),
    "batch_normalization": (
        lambda: nn.BatchNorm2d(4),
        lambda x: sg.layers.batch_normalization(
            x, 1, epsilon=1e-5, training=True, momentum=0.9, name="net"
        ), IMAGES, NORM,
    ),
    "batch_normalization, evaluation": (
        lambda: nn.BatchNorm2d(4).eval(),
        lambda x: sg.layers.batch_normalization(x, 1, epsilon=1e-5, name="net"), IMAGES, NORM,
    ),
    "layer_norm": (
        lambda: nn.LayerNorm((5, 8)), lambda x: sg.layers.layer_norm(x, 2, name="net"), ROWS, {},
    ),
    "rms_norm": (
        lambda: nn.RMSNorm(8, eps=1e-6), lambda x: sg.layers.rms_norm(x, name="net"), ROWS, {},
    ),
    "group_norm": (
        lambda: nn.GroupNorm(2, 4), lambda x: sg.layers.group_norm(x, 2, 1, name="net"), IMAGES, {},
    ),
    "attention": (
        lambda: Attending(nn.MultiheadAttention(8, 2, batch_first=True)),
        lambda x: sg.layers.multi_head_attention(
            x, num_heads=2, masks=[causal(5)], name="net"
        )[0], ROWS, {},
    ),
    "transformer layer": (
        lambda: nn.TransformerEncoderLayer(8, 2, 12, dropout=0.0, batch_first=True),
        lambda x: sg.layers.transformer_encoder_layer(x, 2, 12, dropout=0.0, name="net"), ROWS, {},
    ),
    "transformer layer, norms first": (
        lambda: nn.TransformerEncoderLayer(
            8, 2, 12, 0.0, "gelu", norm_first=True, batch_first=True
        ),
        lambda x: sg.layers.transformer_encoder_layer(
            x, 2, 12, 0.0, sg.nn.gelu, norm_first=True, name="net"
        ), ROWS, {},
    ),
}  # fmt: skip


class Attending(nn.Module):
    """Attention of a sequence to what comes before, its weights under their own names."""

    def __init__(self, attention):
        super().__init__()
        self.attention = attention

    def forward(self, x):
        return self.attention(x, x, x, attn_mask=dg.tensor(causal(5)))[0]


def on_tape(net, data):
    """The output; the gradients of the input and of the parameters, by name; the buffers."""
    x = dg.tensor(data, requires_grad=True)
    y = net(x)
    (y * y).sum().backward()
    grads = {k: p.grad.numpy() for k, p in net.named_parameters()}
    return [y.detach().numpy(), x.grad.numpy()], grads, dict(net.named_buffers())


@pytest.mark.parametrize(("module", "layer", "data", "names"), CASES.values(), ids=CASES)
def test_a_layer_has_the_bits_of_its_module(module, layer, data, names, same_bits):
    dg.manual_seed(0)
    net = module()
    before = {k: v.numpy().copy() for k, v in net.state_dict().items()}
    wanted, grads, buffers = on_tape(net, data)
    place = lambda k: names.get(
        k, (k.removeprefix("attention.").replace(".", "/"), np.asarray)
    )  # fmt: skip
    with sg.Graph().as_default():
        x = sg.placeholder("float32", ["batch", *data.shape[1:]], name="x")
        y = layer(x)
        variables = {v.name.removeprefix("net/"): v for v in sg.global_variables()}
        session = sg.Session(optimize=0)
        for k, value in before.items():
            if place(k)[0] in variables:
                session.restore({variables[place(k)[0]]: place(k)[1](value)})
        trained = [variables[place(k)[0]] for k in grads]
        found = sg.gradients(sg.reduce_sum(y * y), [x, *trained])
        same_bits(
            [*wanted, *(place(k)[1](g) for k, g in grads.items())],
            session.run([y, *found], {x: data}), "value and gradients",
        )  # fmt: skip
        updates = sg.get_collection("update_ops")
        if updates:
            session.run(updates, {x: data})
            moved = [buffers[k].numpy() for k in ("running_mean", "running_var")]
            same_bits(moved, session.run([variables[place(k)[0]] for k in (
                "running_mean", "running_var")]), "moving averages")  # fmt: skip


def test_an_embedding_has_the_bits_of_its_module(same_bits):
    table, places = nn.Embedding(7, 3), np.array([[0, 3, 3], [6, 1, 0]])
    y = table(dg.tensor(places))
    (y * y).sum().backward()
    with sg.Graph().as_default():
        ids = sg.placeholder("int64", ["batch", 3])
        z = sg.layers.embedding(ids, 7, 3)
        (weight,) = sg.trainable_variables()
        session = sg.Session(optimize=0)
        session.restore({weight: table.weight.detach().numpy()})
        found = session.run([z, *sg.gradients(sg.reduce_sum(z * z), weight)], {ids: places})
    same_bits([y.detach().numpy(), table.weight.grad.numpy()], found, "embedding")
