"""The node tests of onnx that we do not run, by reason: words in what their models lack.

A test that the list names must fail in the way it says, so the list can only shrink.
"""

REASONS = {
    "element types that NumPy lacks": [
        "bfloat16", "float4", "float8", "int2", "int4", "uint2", "uint4",
    ],
    "optional values": ["Optional ", "OptionalGetElement", "OptionalHasElement", "optionals"],
    "quantised numbers": ["QuantizeLinear", "DequantizeLinear", "QLinearConv", "QLinearMatMul"],
    "sequences": ["sequences", "Sequence", "SplitToSequence"],
    "strings": [
        "string", "RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit",
        "TfIdfVectorizer",
    ],
    "operators of other domains than ai.onnx": ["ai.onnx.ml", "ai.onnx.preview"],
    "pictures in compressed formats": ["ImageDecoder"],
}  # fmt: skip

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
