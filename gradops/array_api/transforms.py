"""The standard's extension `fft`."""

from .. import fft
from .signatures import Functions, along_one, along_several, each, shift

FFT: Functions = {
    **each(along_one, "fft ifft rfft irfft hfft ihfft", fft),
    **each(along_several, "fftn ifftn rfftn irfftn", fft),
    **each(shift, "fftshift ifftshift", fft),
}
