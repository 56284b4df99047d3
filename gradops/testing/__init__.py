"""Property tests of ops, finite differences, and diagnosis of wrong rules."""

from ..core.lazy_import import lazily as _lazily

__getattr__, __dir__ = _lazily(__name__, {"op_properties": "check", "op_errors": "PropertyError"})
__all__ = ["PropertyError", "check"]
