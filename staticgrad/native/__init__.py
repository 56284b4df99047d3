"""The native tier: a frozen graph as machine code, by LLVM. See Note [Native code] in lowering."""
