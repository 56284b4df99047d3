"""Outcomes that are not torch's, each with its reason."""

COMPLEX = "complex numbers have no kernel here"
HALF = "half precision has a kernel here"
TRUTH = "truth values have no kernel here"
LESS_COMPLEX = {"lib.logaddexp(a, b)"}
OF_TRUTH = {
    "a ** b", "lib.pow(a, b)", "a.pow(b)", "a.pow_(b)", "a.__ipow__(b)", "lib.clamp(a, min=b)",
}  # fmt: skip
KNOWN = {
    "a.abs_()": "what complex numbers have for a size is written as a complex number",
    "lib.ldexp(a, b)": "exponents of all dtypes are taken or refused alike",
}


def reason(call, specs, ours, word):
    """Why an outcome may differ from torch's; empty if it may not."""
    text = "".join(specs)
    if word in ("NotImplementedError", "RuntimeError") and not isinstance(ours, Exception):
        return HALF if "float16" in text else KNOWN.get(call, "")
    if isinstance(ours, NotImplementedError):
        if "complex" in text and call in LESS_COMPLEX:
            return COMPLEX
        if all("bool" in spec for spec in specs) and call in OF_TRUTH:
            return TRUTH
    return KNOWN.get(call, "") if "complex" in text else ""
