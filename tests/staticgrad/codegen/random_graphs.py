"""Random programs on arrays that are large enough for buffers."""

import numpy as np

import staticgrad as sg

ROWS, COLUMNS = 24, 32  # of float64: above the size from which a value gets a buffer
ELEMENTWISE = [sg.tanh, sg.exp, sg.relu, sg.sigmoid, lambda x: x * 0.5, lambda x: x * x]
BINARY = [sg.add, sg.multiply, sg.subtract, sg.maximum]


def program(rng, size="n", steps=20):
    """Placeholders and results of random operations, views among them."""
    xs = [sg.placeholder("float64", [size, COLUMNS]) for _ in range(2)]
    values = [sg.tanh(x) for x in xs]
    for _ in range(steps):
        values.append(operation(rng, values))
    results = [values[i] for i in rng.choice(len(values), 2, replace=False)]
    return xs, [*results, sg.reduce_sum(values[-1]), sg.gradients(sum(values), xs[0])[0]]


def operation(rng, values):
    """One operation on some of the values, of their shape."""
    a, b = (values[i] for i in rng.integers(0, len(values), 2))
    match rng.integers(0, 8):
        case 0 | 1:
            return ELEMENTWISE[rng.integers(0, len(ELEMENTWISE))](a)
        case 2 | 3:
            return BINARY[rng.integers(0, len(BINARY))](a, b)
        case 4:
            return sg.tanh(sg.matmul(a, sg.transpose(b))) @ a * 0.1
        case 5:
            return a - sg.reduce_mean(b, axis=int(rng.integers(0, 2)), keepdims=True)
        case 6:
            return sg.reshape(sg.exp(-(sg.reshape(a, [-1]) ** 2)), sg.shape(a))
        case _:
            return sg.transpose(sg.transpose(a) + sg.transpose(b)) * 0.5


def feeds(rng, rows=ROWS):
    """Values for the placeholders."""
    return [rng.standard_normal((rows, COLUMNS)) for _ in range(2)]


def same(xs, ys):
    """True if results are equal to the bit."""
    return all(np.array_equal(x, y, equal_nan=True) for x, y in zip(xs, ys, strict=True))
