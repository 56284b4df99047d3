"""The native tier: a frozen graph as machine code, by LLVM. See Note [Native code] in lowering."""

from gradops.native.objects.cache_files import clear_cache

__all__ = ["clear_cache"]
