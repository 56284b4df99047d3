"""How each departure from torch is recognized: predicates on a disagreement."""

import re


def said(x):
    """What a side did, in words."""
    return str(x)


def program(d):
    """The text of the program so far."""
    return "\n".join(d.program)


def leaks_nan(d):
    """Whether a gradient of torch is NaN where ours is finite, and else they agree."""
    return d.kind == "gradient" and said(d.theirs).count("nan") > said(d.ours).count("nan")


def writes_data(d):
    """Whether a write through `.data` was noted, or is why backward refuses."""
    noted = d.kind == "version" and d.ours is True
    return ".data" in program(d) and (noted or "modified by an inplace operation" in said(d.ours))


def copies_operand(d):
    """Whether torch refuses operands that lie in the memory that is written."""
    words = "some elements of the input tensor and the written-to tensor"
    return (d.kind == "accepted" and words in said(d.theirs)) or (
        d.kind == "value" and d.shared and re.search(r"_\(| [-+*/%]?/?\*?= ", d.statement)
    )


def writes_windows(d):
    """Whether what is written has entries that are one in memory."""
    words = "more than one element of the written-to"
    return d.kind == "refused" and d.overlaps and words in said(d.ours)


def writes_parts(d):
    """Whether a part of what `expand` gave is written, in which no entry is twice."""
    words = "more than one element of the written-to"
    return d.kind == "refused" and "expand" in program(d) and words in said(d.ours)


def keeps_parts(d):
    """Whether torch forgets the history of views that were made together."""
    return d.theirs is RuntimeError or (
        d.kind == "accepted" and "returns multiple views" in said(d.theirs)
    )


def flags_views(d):
    """Whether torch says that a view requires gradients, to which none will flow."""
    if d.kind == "accepted" and "a view of a leaf" in said(d.theirs):
        return "requires_grad" in program(d)
    flagged = d.kind in ("requires_grad", "is_leaf") and d.theirs is True and d.ours is False
    return flagged and ("no_grad" in program(d) or "requires_grad" in d.statement)


def flags_integers(d):
    """Whether torch lets integers require gradients, after floats were written among them."""
    return d.kind == "requires_grad" and d.theirs is True and "int" in said(d.operands)


def saves_less(d):
    """Whether torch misses, or protects, what ours did not save."""
    words = "backward through the graph a second|modified by an inplace operation"
    quotient = re.search(r"[\d)] / v|reciprocal", program(d))
    return (d.kind == "accepted" and re.search(words, said(d.theirs))) or (
        d.kind == "refused" and quotient and re.search(words, said(d.ours))
    )


def detaches(d):
    """Whether torch takes a result for a view of what its own code made on the way."""
    words = "a view of a leaf|moved into the graph interior"
    of_views = re.search(words, said(d.theirs)) and ".detach_()" in program(d)
    return d.kind == "accepted" and ("Can't detach views in-place" in said(d.theirs) or of_views)


def conjugates(d):
    """Whether conjugates of complex numbers are written, or what they are of."""
    shared = d.kind in ("value", "version", "is_leaf", "accepted")
    words = said(d.operands) + program(d)
    made = "1j" in words or "complex" in words
    return shared and made and re.search(r"\.conj\(\)|\.mH|\.H\b", program(d))


def differentiates(d):
    """Whether torch has no derivative of what has one here."""
    words = r"derivative for .* is not implemented|Autograd not support dtype"
    in_formula = "grad=True" in program(d) and re.search("autograd.grad|backward", d.statement)
    if in_formula:
        words += "|Subtraction, the `-` operator, with a bool tensor"
    return d.kind == "accepted" and re.search(words, said(d.theirs))


def has_kernel(d):
    """Whether torch has no kernel for a dtype, where NumPy has one."""
    words = r"not implemented for|not supported for|does not support|not supported on CPU"
    return d.kind == "accepted" and re.search(words, said(d.theirs))


def lacks_kernel(d):
    """Whether NumPy has no kernel for complex numbers, where torch has one."""
    words = r"complex.*not computed? (it )?for|of complex numbers has no gradient"
    return d.kind == "refused" and re.search(words, said(d.ours))


def halves(d):
    """Whether torch has complex numbers of two float16."""
    return re.search("complex32|ComplexHalf", said(d.theirs))


def knows_scalars(d):
    """Whether a scalar of NumPy's takes part whose kind torch does not know."""
    return re.search(r"np\.(bool_|complex64)\(", d.statement) or (
        "can't assign a numpy" in said(d.theirs)
    )


def refuses_shapes(d):
    """Whether a loss is computed of two shapes."""
    return d.kind == "refused" and "Using a target size" in said(d.ours)


def keeps_nan(d):
    """Whether the sign of NaN is taken."""
    signs = r"\.(sign|sgn|abs)\("
    return d.kind in ("value", "gradient") and (
        re.search(signs, program(d)) and "nan" in said(d.ours) and "nan" not in said(d.theirs)
    )


def owns_gradients(d):
    """Whether gradients that `autograd.grad` gave in one call share memory in torch."""
    made = [s for s in d.program if "autograd.grad" in s and re.search(rf"\b{d.where}\b", s)]
    kinds = ("value", "version", "requires_grad", "is_leaf", "grad_fn")
    words = "A view was created in no_grad|more than one element of the written-to|ZeroTensors are"
    named = [v for v, _ in d.operands if any(v in s for s in d.program if "autograd.grad" in s)]
    return (d.kind in kinds and made) or (
        d.kind == "accepted" and re.search(words, said(d.theirs)) and named
    )


def has_two_faults(d):
    """Whether an index or a dimension that there is not stands beside another fault."""
    others = "shape mismatch|some elements of the input|not computed for|shapes differ"
    both = said(d.theirs), said(d.ours)
    return d.kind == "error" and any(
        "out of" in one and re.search(others, other) for one, other in (both, both[::-1])
    )


def leaves_alone(d):
    """Whether torch wrote a part of what it then refused."""
    return d.kind in ("value", "gradient") and d.raised


def depends_on_sizes(d):
    """Whether torch takes operands of no entries, or of one, that it refuses of other sizes."""
    words = "it is not computed for|out of range"
    few = re.compile(r"\((\d+, )*0(, \d+)*,?\)|\(1(, 1)*,?\)")
    return d.kind == "refused" and (
        re.search(words, said(d.ours)) and all(few.search(said(x)) for _, x in d.operands)
    )


def reads_foreign(d):
    """Whether torch takes the median of entries that are repeated."""
    return d.kind == "value" and "median" in d.statement and d.overlaps


def gives_nan(d, function="gelu"):
    """Whether `gelu` of what is infinite, or another function, is NaN in torch alone."""
    return (
        d.kind == "value"
        and function in d.statement
        and ("nan" in said(d.theirs) and "nan" not in said(d.ours))
    )


def loses_bound(d):
    """Whether the bound of a norm is 0 in half precision in torch."""
    return gives_nan(d, "normalize") and "float16" in said(d.theirs)


def signs_zeros(d):
    """Whether a zero that a remainder gave shows its sign."""
    return d.kind in ("value", "gradient") and (
        re.search("remainder| %", program(d))
        and said(d.theirs).replace("-inf", "inf") == said(d.ours).replace("-inf", "inf")
    )


def mixes(d):
    """Whether backward goes through an operation on real and complex numbers."""
    words = "input_is_complex == grad_is_complex"
    return d.kind == "accepted" and words in said(d.theirs)


def lies_in_order(d):
    """Whether torch's result cannot be viewed in another shape."""
    asks = re.search(r"is_contiguous|stride|view\(", d.statement)
    of_gradient = d.kind in ("type", "refused") and asks and "grad" in program(d)
    copied = d.kind in ("version", "value") and d.transposed
    return (
        of_gradient
        or copied
        or (d.kind == "accepted" and "view size is not compatible with input" in said(d.theirs))
    )


def takes_arguments(d):
    """Whether torch's signatures refuse a way of passing arguments."""
    return d.kind == "accepted" and "received an invalid combination of arguments" in said(d.theirs)
