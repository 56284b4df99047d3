"""Tensors, numbers and shapes as source text."""

FLOATS = ["float32", "float64", "float16"]
COMPLEX = ["complex64", "complex128"]
INTEGERS = ["int64", "int32", "uint8", "int16", "int8"]
DTYPES = [*FLOATS, *COMPLEX, *INTEGERS, "bool"]
WEIGHTS = [8, 6, 3, 2, 2, 4, 2, 2, 1, 1, 2]
SHAPES = [
    (), (1,), (3,), (2, 3), (3, 2), (1, 3), (2, 1), (3, 3), (2, 1, 3), (1, 1), (2, 2, 2),
    (0,), (0, 3), (2, 0), (4,),
]  # fmt: skip
USUAL = 11  # of these shapes, that are not empty


def one_of(rng, options):
    """An entry of a list or a tuple."""
    return options[int(rng.integers(len(options)))]


def shape(rng):
    """A shape; one in eight is empty."""
    return one_of(rng, SHAPES if rng.random() < 0.3 else SHAPES[:USUAL])


def dtype(rng, among=DTYPES):
    """The name of a dtype; those that programs use most come most often."""
    weights = [WEIGHTS[DTYPES.index(d)] for d in among]
    return among[int(rng.choice(len(among), p=[w / sum(weights) for w in weights]))]


def number(rng, kind):
    """An entry for a dtype of a kind, exact in every dtype of it."""
    if kind == "b":
        return bool(rng.random() < 0.5)
    if kind == "u":
        return int(rng.integers(0, 7))
    if kind == "i":
        return int(rng.integers(-4, 5))
    if kind == "c":
        return complex(number(rng, "f"), number(rng, "f"))
    return int(rng.integers(-12, 13)) / 4


def kind_of(name):
    """The letter NumPy has for the kind of a dtype."""
    return "b" if name == "bool" else name[0]


def nested(rng, sizes, kind):
    """Entries of a shape, as nested lists."""
    if not sizes:
        return number(rng, kind)
    return [nested(rng, sizes[1:], kind) for _ in range(sizes[0])]


def tensor(rng, name, sizes, requires_grad=False):
    """A call that makes a tensor of a dtype and a shape."""
    flag = ", requires_grad=True" if requires_grad else ""
    if 0 in sizes:
        return f"lib.zeros({sizes}, dtype=lib.{name}{flag})"
    return f"lib.tensor({nested(rng, sizes, kind_of(name))}, dtype=lib.{name}{flag})"
