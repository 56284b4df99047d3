"""The statements of which random programs are made, with holes. See `holes`.

A template serves dtypes of some kinds: f for floats, c for complex, i for integers, b for bool.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Template:
    """A statement with holes: the kinds of dtypes it is for, and how its values are compared."""

    text: str
    kinds: str
    strict: bool
    group: str


def templates(group, kinds, texts, strict=True):
    """A template for each line."""
    return [Template(t.strip(), kinds, strict, group) for t in texts.strip().split("\n")]


ENTRIES = [
    *templates(
        "entries",
        "fci",
        """
        {new} = {x} + {y}
        {new} = {x} - {y}
        {new} = {x} * {y}
        {new} = {x} + {s}
        {new} = {s} - {x}
        {new} = {x} * {s}
        {new} = {x} * {x}
        {new} = -{x}
        {new} = {x}.square()
        {new} = lib.add({x}, {y}, alpha=2)
        {new} = {x}.sub({y}, alpha=2)
        {new} = {x} ** 2
        {new} = {x} == {y}
        {new} = {x} != {s}
        {new} = lib.where({mask}, {x}, {y})
        {new} = lib.where({mask}, {x}, {s})
        {new} = {x}.masked_fill({mask}, {s})
        {new} = lib.zeros_like({x})
        {new} = lib.ones_like({x})
        {new} = lib.full_like({x}, {s})
        {new} = {x}.new_zeros(({n}, 2))
        {new} = {x}.real
        {new} = {x}.abs()
        {new} = {x}.sgn()
        {new} = {x}.conj()
        {new} = {x}.isfinite()
    """,
    ),
    *templates(
        "entries",
        "fi",
        """
        {new} = {x} > {y}
        {new} = {x} <= {s}
        {new} = lib.maximum({x}, {y})
        {new} = lib.minimum({x}, {y})
        {new} = {x}.clamp({s}, {s2})
        {new} = {x}.clamp(min={s})
        {new} = {x}.clamp(max={y})
        {new} = {x}.sign()
        {new} = {x}.relu()
        {new} = {x} // {s}
        {new} = {x} % {s}
        {new} = {x}.fmod({s})
        {new} = {x}.floor_divide({y})
        {new} = {x}.remainder({y})
    """,
    ),
    *templates(
        "entries",
        "fc",
        """
        {new} = {x} / {y}
        {new} = {x} / {s}
        {new} = {s} / {x}
        {new} = {x}.exp()
        {new} = {x}.sin()
        {new} = {x}.cos()
        {new} = {x}.tanh()
        {new} = {x}.sigmoid()
        {new} = ({x} * {x} + 1).sqrt()
        {new} = ({x} * {x} + 1).log()
        {new} = ({x} * {x} + 1).rsqrt()
        {new} = {x}.reciprocal()
        {new} = {x} ** 3
        {new} = {x} ** 0.5
        {new} = lib.addcmul({x}, {y}, {y2}, value=0.5)
        {new} = lib.lerp({x}, {y}, 0.25)
        {new} = {x}.isnan()
    """,
    ),
    *templates(
        "entries",
        "f",
        """
        {new} = {x}.expm1()
        {new} = {x}.abs().log1p()
        {new} = {x}.atan()
        {new} = {x}.floor()
        {new} = {x}.ceil()
        {new} = {x}.round()
        {new} = {x}.trunc()
        {new} = {x}.erf()
        {new} = lib.hypot({x}, {y})
        {new} = lib.atan2({x}, {y})
        {new} = lib.nn.functional.softplus({x})
        {new} = lib.nn.functional.leaky_relu({x})
        {new} = {x}.nan_to_num()
        {new} = lib.logaddexp({x}, {y})
    """,
    ),
    *templates(
        "entries",
        "ib",
        """
        {new} = {x} & {y}
        {new} = {x} | {y}
        {new} = {x} ^ {y}
        {new} = ~{x}
        {new} = {x}.logical_not()
        {new} = {x}.logical_and({y})
    """,
    ),
]
VIEWS = templates(
    "views",
    "fcib",
    """
    {new} = {x}[{key}]
    {new} = {x}[{key}]
    {new} = {x}[{key}]
    {new} = {x}.transpose({d}, {d2})
    {new} = {x}.permute({perm})
    {new} = {x}.T
    {new} = {x}.mT
    {new} = {x}.t()
    {new} = {x}.expand({wider})
    {new} = {x}.view({shape})
    {new} = {x}.reshape({shape})
    {new} = {x}.flatten()
    {new} = {x}.flatten({d}, {d2})
    {new} = {x}.ravel()
    {new} = {x}.squeeze()
    {new} = {x}.squeeze({d})
    {new} = {x}.unsqueeze({d})
    {new} = {x}.select({d}, {i})
    {new} = {x}.narrow({d}, 0, {le})
    {new} = {x}.unfold({d}, {le}, 1)
    {new} = {x}.unfold({d}, {le}, 2)
    {new} = {x}.diagonal()
    {new} = {x}.diagonal({offset}, {d}, {d2})
    {new} = {x}.movedim({d}, {d2})
    {new}, *_ = {x}.split({n}, {d})
    {new}, {new2} = {x}.split({n}, {d})
    {new}, {new2} = ({d}, {x}.split({parts}, {d}))[1]
    {new}, *_ = {x}.chunk({n}, {d})
    {new}, *_ = {x}.unbind({d})
    {new}, *_ = {x}.tensor_split({n}, {d})
    {new} = {x}.detach()
    {new} = {x}.view_as({z})
    {new} = {x}.expand_as({y})
    {new} = {x}.contiguous()
    {new} = {x}.data
    {new} = {x}.real
    {new} = {x}.positive()
""",
) + templates(
    "views",
    "c",
    """
    {new} = {x}.imag
    {new} = {x}.real
    {new} = {x}.mH
""",
)
PICKING = templates(
    "picking",
    "fcib",
    """
    {new} = {x}[{mask}]
    {new} = {x}.clone()
    {new} = {x}.flip({d})
    {new} = {x}.roll(1, {d})
    {new} = {x}.repeat({n}, {n2}, {n3})
    {new} = lib.cat([{x}, {z}], {d})
    {new} = lib.cat([{x}, {x}])
    {new} = lib.cat([lib.tensor([], dtype={x}.dtype), {x}])
    {new} = lib.stack([{x}, {z}], {d})
    {new} = lib.hstack([{x}, {z}])
    {new} = {x}.index_select({d}, {indices})
    {new} = {x}.gather({d}, {places})
    {new} = lib.take_along_dim({x}, {places}, 0)
    {new} = {x}.tril()
    {new} = {x}.triu({offset})
    {new} = {x}.diag()
    {new} = {x}.masked_select({mask})
    {new} = {x}.repeat_interleave(2, {d})
    {new} = {x}.nonzero()
    {new} = {x}.to({dtype})
    {new} = {x}.double()
    {new} = {x}.float()
    {new} = {x}.type_as({y})
    {new} = {x}.item()
    {new} = {x}.numel()
    {new} = {x}.tolist()
    {new} = tuple({x}.shape)
    {new} = len({x})
    {new} = {x}.is_contiguous()
""",
)
REDUCTIONS = [
    *templates(
        "reductions",
        "fci",
        """
        {new} = {x}.sum()
        {new} = {x}.sum({d})
        {new} = {x}.sum({d}, keepdim={k})
        {new} = {x}.sum({ds}, keepdim={k})
        {new} = {x}.sum({d}, dtype={dtype})
        {new} = {x}.prod()
        {new} = {x}.prod({d}, keepdim={k})
        {new} = {x}.cumsum({d})
        {new} = {x}.cumprod({d})
        {new} = {x}.trace()
        {new} = {x}.diff(dim={d}) * 1
        {new} = {x} @ {x}.mT
        {new} = {x} @ {y}
        {new} = lib.matmul({x}, {z})
        {new} = {x}.mm({z}.t())
        {new} = {x}.flatten().dot({x}.flatten())
        {new} = lib.einsum('i...,i...->...', {x}, {x})
        {new} = lib.outer({x}.flatten(), {y}.flatten())
        {new} = {x}.bmm({z}.transpose(1, 2))
    """,
        strict=False,
    ),
    *templates(
        "reductions",
        "fc",
        """
        {new} = {x}.mean()
        {new} = {x}.mean({d}, keepdim={k})
        {new} = {x}.mean({ds})
        {new} = {x}.var({d})
        {new} = {x}.std()
        {new} = {x}.norm()
        {new} = {x}.norm(dim={d})
    """,
        strict=False,
    ),
    *templates(
        "reductions",
        "f",
        """
        {new} = {x}.softmax({d})
        {new} = {x}.log_softmax({d})
        {new} = {x}.logsumexp({d}, keepdim={k})
        {new} = {x}.norm(1, {d})
        {new} = lib.nn.functional.normalize({x}, dim={d})
        {new} = lib.nn.functional.mse_loss({x}, {z})
        {new} = lib.nn.functional.layer_norm({x}, {x}.shape[-1:])
        {new} = {x}.logcumsumexp({d})
        {new} = lib.nn.functional.gelu({x})
        {new} = lib.nn.functional.linear({x}, {z})
    """,
        strict=False,
    ),
    *templates(
        "reductions",
        "fi",
        """
        {new} = {x}.max()
        {new} = {x}.amax({d}, keepdim={k})
        {new} = {x}.amin({ds})
        {new} = {x}.max({d}).values
        {new} = {x}.min({d}, keepdim={k})[0]
        {new} = {x}.argmax()
        {new} = {x}.sort({d})[0]
        {new} = {x}.sort(dim={d}, stable=True)[1]
        {new} = {x}.cummax({d})[0]
        {new} = {x}.topk({le}, {d})[0]
        {new} = {x}.median({d})[0]
        {new} = {x}.median()
        {new} = {x}.unique()
    """,
    ),
    *templates(
        "reductions",
        "fcib",
        """
        {new} = {x}.any()
        {new} = {x}.all({d})
        {new} = {x}.any({d}, keepdim={k})
        {new} = {x}.count_nonzero({d})
    """,
    ),
]
WRITES = [
    *templates(
        "writes",
        "fci",
        """
        {x} += {source}
        {x} -= {y}
        {x} *= {source}
        {x}.add_({source})
        {x}.add_({y}, alpha=2)
        {x}.mul_({y})
        {x}.sub_({s})
        {x}.neg_()
        {x}.zero_()
        {x}.fill_({s})
        {x}.copy_({y})
        {x}[{key}] = {s}
        {x}[{key}] = {y}
        {x}[{key}] += {s}
        {x}[{key}] *= {s}
        {x}[{mask}] = {s}
        {x}.masked_fill_({mask}, {s})
        {x}.square_()
        {x}.index_add_({d}, {indices}, {x}.index_select({d}, {indices}))
        {x}.index_fill_({d}, {indices}, {s})
        {x}.scatter_({d}, {places}, {z})
        {x}.scatter_add_({d}, {places}, {z})
        {x}[{key}].mul_({s})
        {x}.select({d}, {i}).add_({y})
        {x}.detach().add_({s})
        {x}.data.mul_({s})
        {x}.transpose({d}, {d2}).mul_({s})
        {x}.diagonal().fill_({s})
        {x}.abs_()
        {x}.addcmul_({y}, {z})
    """,
    ),
    *templates(
        "writes",
        "fc",
        """
        {x} /= {source}
        {x}.div_({y})
        {x}.exp_()
        {x}.tanh_()
        {x}.sigmoid_()
        {x}.sqrt_()
        {x}.pow_(2)
        {x} **= 2
    """,
    ),
    *templates(
        "writes",
        "fi",
        """
        {x}.clamp_({s}, {s2})
        {x}.relu_()
        {x}.clamp_(min={s})
        {x}.remainder_({s})
        {x} //= {s}
    """,
    ),
    *templates(
        "writes",
        "ib",
        """
        {x} &= {y}
        {x} |= {y}
        {x}.logical_not_()
        {x}[{key}] = True
    """,
    ),
]
FLAGS = templates(
    "flags",
    "fc",
    """
    {x}.requires_grad_()
    {x}.requires_grad_(False)
    {x}.requires_grad = True
    {x}.detach_()
    {x}.retain_grad()
    {new} = {x}.detach().requires_grad_()
    {new} = {x}.detach().clone().requires_grad_()
    {leaf}.grad = None
    {leaf}.grad.zero_()
    {new} = {leaf}.grad
    {new} = {x}.requires_grad
    {new} = {x}.is_leaf
""",
)
HOOKS = templates(
    "hooks",
    "fc",
    """
    {x}.register_hook({look})
    {x}.register_hook(lambda g: g * 2)
    {x}.register_hook(lambda g: g * g)
    {new} = {x}.register_hook(lambda g: g * 3); {new}.remove()
    {leaf}.register_post_accumulate_grad_hook({look_after})
    {leaf}.register_hook({look})
    {x}.retain_grad()
""",
    strict=False,
)
GRADIENTS = templates(
    "gradients",
    "fc",
    """
    {weighted}.backward()
    {weighted}.backward(retain_graph=True)
    {square}.backward(retain_graph=True)
    {square}.backward(create_graph=True)
    {x}.backward(lib.ones_like({x}), retain_graph=True)
    {x}.backward()
    {x}.sum().real.backward(retain_graph=True, inputs=[{leaf}])
    {new}, = lib.autograd.grad({weighted}, [{leaf}], retain_graph=True)
    {new}, = lib.autograd.grad({square}, [{inner}], {unused})
    {new}, = lib.autograd.grad({square}, [{leaf}], create_graph=True)
    {new}, {new2} = lib.autograd.grad({x}.abs().sum(), [{leaf}, {inner}], {second})
    {new}, {new2} = lib.autograd.grad({weighted}, [{leaf}, {other}], {second})
    {new}, = lib.autograd.grad({x}, {leaf}, lib.ones_like({x}), {zeros})
""",
    strict=False,
)
WEIGHTED = [
    (5, ENTRIES), (5, VIEWS), (2, PICKING), (3, REDUCTIONS), (5, WRITES), (1, FLAGS), (1, HOOKS),
    (1.5, GRADIENTS),
]  # fmt: skip
