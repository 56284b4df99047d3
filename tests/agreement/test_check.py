"""`check` says how far a gradient is from quotients, and which operation is to blame."""

import numpy as np
import pytest

import dynamicgrad as dg
import gradops
import staticgrad as sg

either = pytest.mark.parametrize("package", [dg, sg], ids=["tape", "graph"])
X = np.array([0.3, -2.0, 1.7])


@pytest.fixture
def slanted():
    """An op whose derivative is one percent too large."""
    op = gradops.elementwise(
        "slanted", np.sin, d=[lambda y, x: 1.01 * gradops.cos(x)], source="np.sin({0})",
        samples=gradops.cases(gradops.reals((3,))), doc="A sine with a wrong derivative.",
    )  # fmt: skip
    yield op
    del gradops.OPS["slanted"]


def smooth(x):
    return np.sum(np.exp(x) * x[::-1])


def kinked(x):
    return np.max(np.abs(x)) * np.sort(x)


@either
def test_a_right_gradient_is_as_near_as_rounding_allows(package, capsys):
    assert package.check(smooth, X) < 1e-14
    assert package.check(kinked, X) < 1e-10
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("gradient of smooth: largest relative error ")
    assert first.endswith("against the complex step")
    assert second.endswith("against extrapolated differences")


@either
@pytest.mark.parametrize(
    "x", [X, X.astype(np.float32), [1, 2, 3], {"a": X, "b": [2.0, np.ones((2, 2))]}, np.ones(500),
          X * 1e-9, X * 1e9, np.empty(0), 2.0],
    ids=["array", "float32", "list", "tree", "many", "small", "large", "empty", "number"],
)  # fmt: skip
def test_any_start_will_do(package, x, capsys):
    error = package.check(lambda x: sum(np.sum(a**3 + a) for a in gradops.leaves_of(x)), x)
    assert error < 1e-12


@either
def test_arguments_are_handed_on(package, capsys):
    assert package.check(lambda x, a, n: np.sum(a * x**n), X, np.arange(3.0), 2) < 1e-14


@either
def test_the_guilty_operation_is_named_with_its_line(package, slanted, capsys):
    def f(x):
        y = np.exp(x)
        y = slanted(y)
        return np.sum(y * x)

    assert package.check(f, X) > 1e-3
    result, blame = capsys.readouterr().out.splitlines()
    assert ", not " in result
    assert "the vjp of `slanted`, called at test_check.py:" in blame
    assert "y = slanted(y)" in blame


@either
def test_the_error_is_that_of_the_entry_and_not_of_a_step(package, slanted, capsys):
    package.check(lambda x: np.sum(slanted(x)), np.array([100.0]))
    got, want = 1.01 * np.cos(100), np.cos(100)
    assert f": {got:.10g}, not {want:.10g}" in capsys.readouterr().out


def test_a_custom_function_is_named(capsys):
    class Doubled(dg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 3

    assert dg.check(lambda x: Doubled.apply(x).sum(), X) == pytest.approx(1 / 3)
    assert "the custom function `Doubled`" in capsys.readouterr().out


def test_a_custom_gradient_of_a_graph_is_named(capsys):
    @sg.custom_gradient
    def doubled(x):
        return x * 2, lambda g: g * 3

    assert sg.check(lambda x: np.sum(np.sin(doubled(x))), X) == pytest.approx(1 / 3)
    assert "the custom gradient of the function called at test_check.py" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore::gradops.core.errors.DetachWarning")
def test_what_was_cut_off_is_noticed(capsys):
    assert dg.check(lambda x: x[0] * float(x[1]), X) == 1
    assert "in what runs outside of operations" in capsys.readouterr().out


def test_functions_of_tensors_and_of_expressions_are_checked_too(capsys):
    assert dg.check(lambda t: (t * t).sum(dim=0).exp(), dg.tensor(X)) < 1e-13
    assert sg.check(lambda e: sg.reduce_sum(sg.nn.softplus(e), axis=0), X) < 1e-10
