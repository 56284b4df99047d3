"""onnx's own tests of its operators, on the interpreter and on the compiled tiers."""

import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from staticgrad.onnx import UnsupportedOperator, load
from staticgrad.onnx.reading import registry

from .out_of_scope import RANDOM, REASONS, is_out_of_scope

onnx = pytest.importorskip("onnx")

# The reference rounds to half precision after each step; softmax and norms are in single here.
HALF = 3 * 2**-10  # units in the last place
GROUPS = 40


@cache
def node_tests():
    """The node tests by name."""
    from onnx.backend.test.loader import load_model_tests

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {test.name: test for test in load_model_tests(kind="node")}


def as_array(x):
    """An input or expected output as an array, if it is one."""
    return onnx.numpy_helper.to_array(x) if isinstance(x, onnx.TensorProto) else x


def model_of(test):
    """The model of a test, which lies in a file, as all do before onnx 1.23, or with it."""
    return test.model or onnx.load(f"{test.model_dir}/model.onnx")


def data_sets(test):
    """The inputs and outputs that a test has in files, or with it."""
    if test.data_sets:
        return [([*map(as_array, a)], [*map(as_array, b)]) for a, b in test.data_sets]
    return [
        tuple([
            onnx.numpy_helper.to_array(onnx.load_tensor(str(path)))
            for path in sorted(folder.glob(f"{side}_*.pb"), key=lambda p: int(p.stem.split("_")[1]))
        ] for side in ("input", "output"))
        for folder in sorted(Path(test.model_dir).glob("test_data_set_*"))
    ]  # fmt: skip


def needs_of(call):
    """What a call raises UnsupportedOperator for; nothing if it succeeds."""
    try:
        call()
    except UnsupportedOperator as error:
        return error.needs
    return ()


def require_results(test, **options):
    """Run the model of a test on its data sets."""
    run = load(model_of(test), **options)
    for feeds, expected in data_sets(test):
        results = run(*feeds)
        assert len(results) == len(expected)
        for result, wanted in zip(results, expected, strict=True):
            rtol = max(test.rtol, HALF if wanted.dtype == np.float16 else 0)
            assert (result.dtype, np.shape(result)) == (wanted.dtype, wanted.shape), test.name
            np.testing.assert_allclose(
                result, wanted, rtol=rtol, atol=test.atol, err_msg=test.name, strict=False
            )


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy's, of overflow and division by zero
@pytest.mark.parametrize("backend", ["interpreter", "numpy", "auto"])
@pytest.mark.parametrize("group", range(GROUPS))
def test_operators_compute_what_onnx_says(group, backend):
    for name, test in list(node_tests().items())[group::GROUPS]:
        if name in RANDOM:
            continue
        needs = needs_of(lambda test=test: require_results(test, backend=backend))
        assert is_out_of_scope(needs), f"{name}: {needs}"


def test_all_that_is_out_of_scope_is_needed_by_a_test():
    missing = set()
    for test in node_tests().values():
        missing |= {what for what, _ in needs_of(lambda test=test: load(model_of(test)))}
    for word in (word for words in REASONS.values() for word in words):
        assert any(word in what for what in missing), word


def versions():
    """All operators of ai.onnx with the opsets that defined them, but deprecated ones."""
    schemas = onnx.defs.get_all_schemas_with_history()
    return [s for s in schemas if s.domain == "" and not s.deprecated]


def test_each_version_of_an_operator_has_a_builder_that_takes_its_attributes():
    for schema in versions():
        row = registry.find(schema.name, schema.since_version)
        if row is not None:
            assert row.attributes >= set(schema.attributes), (schema.name, schema.since_version)
        elif not (schema.has_function or schema.has_context_dependent_function):
            assert is_out_of_scope([(f"{schema.name} of opset", "")]), schema.name


@pytest.mark.parametrize("name", RANDOM)
def test_random_numbers_have_the_type_and_shape_that_onnx_says(name):
    test = node_tests()[name]
    for feeds, expected in data_sets(test):
        for result, wanted in zip(load(model_of(test))(*feeds), expected, strict=True):
            assert (result.dtype, result.shape) == (wanted.dtype, wanted.shape)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", ["simple", "pytorch-converted", "pytorch-operator"])
def test_models_of_older_opsets_compute_what_onnx_says(kind):
    from onnx.backend.test.loader import load_model_tests

    for test in load_model_tests(kind=kind):
        model = model_of(test)
        needs = needs_of(lambda model=model: load(model))
        assert is_out_of_scope(needs), f"{test.name}: {needs}"
        if needs:
            continue
        run = load(model)
        for feeds, expected in data_sets(test):
            for result, wanted in zip(run(*feeds), expected, strict=True):
                np.testing.assert_allclose(
                    result, wanted, rtol=max(test.rtol, 1e-3), atol=1e-5, err_msg=test.name
                )
