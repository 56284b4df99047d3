"""`numpy.fft` on tensors and expressions, where it differs from what `gradops` offers."""

__all__: list[str] = []
