"""The Python array API 2025.12 on arrays, for whatever stands where a program expects them.

>>> from gradops.array_api import arrays as xp
>>> xp.sum(xp.asarray([1, 2, 3], dtype=xp.int8))
np.int64(6)
"""

from . import Making, namespace

globals().update(namespace(Making(), __name__))
