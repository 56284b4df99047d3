"""Property tests of ops, finite differences, and diagnosis of wrong rules."""

from ..core.lazy_import import lazily as _lazily

__getattr__ = _lazily(__name__, {"check": "op_properties", "PropertyError": "op_errors"})
__all__ = ["PropertyError", "check"]
