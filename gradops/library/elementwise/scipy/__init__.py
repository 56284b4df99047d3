"""Functions of `scipy.special` as ops; `gradops.scipy.special` offers them."""
