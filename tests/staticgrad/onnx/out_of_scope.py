"""The node tests of onnx that we do not run, by reason: words in what their models lack.

A test that the list names must fail in the way it says, so the list can only shrink.
"""

NARROW = "bfloat16 float4 float8 int2 int4 uint2 uint4".split()
OPTIONS = ["Optional ", *"OptionalGetElement OptionalHasElement optionals".split()]
QUANTISED = "QuantizeLinear DequantizeLinear QLinearConv QLinearMatMul".split()
SEQUENCES = "sequences Sequence SplitToSequence".split()
STRINGS = "string RegexFullMatch StringConcat StringNormalizer StringSplit TfIdfVectorizer".split()
OTHER_DOMAINS = ["ai.onnx.ml", "ai.onnx.preview"]

REASONS = {
    "element types that NumPy lacks": NARROW,
    "optional values": OPTIONS,
    "quantised numbers": QUANTISED,
    "sequences": SEQUENCES,
    "strings": STRINGS,
    "operators of other domains than ai.onnx": OTHER_DOMAINS,
    "pictures in compressed formats": ["ImageDecoder"],
}

RANDOM = [
    "test_bernoulli", "test_bernoulli_double", "test_bernoulli_double_expanded",
    "test_bernoulli_expanded", "test_bernoulli_seed", "test_bernoulli_seed_expanded",
    "test_training_dropout", "test_training_dropout_default", "test_training_dropout_default_mask",
    "test_training_dropout_mask",
]  # fmt: skip
"""Tests whose results are those of NumPy's generator of random numbers."""


def is_out_of_scope(needs):
    """Whether each need of a model is one that the list names."""
    words = [word for words in REASONS.values() for word in words]
    return all(any(word in what for word in words) for what, _ in needs)
