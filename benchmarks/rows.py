"""All workloads, in the order of the tables."""

from .programs import (
    attention,
    dense,
    dynamics,
    geometry,
    images,
    probability,
    recurrent,
    scalars,
)  # fmt: skip
from .workload import Workload

ORDER = [
    "scalar", "bce", "mlp", "rnn", "hvp", "chain", "chain-loop", "elementwise", "adam", "logistic",
    "cnn", "transformer", "gru", "lstm", "gru-long", "lstm-long", "conv2d",
    "lotka", "lotka-unrolled", "lotka-hessian", "lotka-hessian-unrolled",
    "kalman", "hmm", "mixture", "cameras", "hand",
]  # fmt: skip
SUBJECTS = (scalars, dense, recurrent, images, attention, dynamics, probability, geometry)
BY_KEY: dict[str, Workload] = {w.key: w for subject in SUBJECTS for w in subject.WORKLOADS}
WORKLOADS: list[Workload] = [BY_KEY[key] for key in ORDER]
TITLES = {w.key: w.title for w in WORKLOADS}
