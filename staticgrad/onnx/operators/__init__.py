"""How each operator of ai.onnx is built of ops, by subject.

Builders have the names, attributes and defaults of ONNX's operators; `reading/registry.py` has
their table. Source: https://onnx.ai/onnx/operators.
"""
