"""All workloads, in the order of the tables."""

from .programs import attention, dense, images, recurrent, scalars
from .workload import Workload

ORDER = [
    "scalar", "bce", "mlp", "rnn", "hvp", "chain", "chain-loop", "elementwise", "adam", "logistic",
    "cnn", "transformer", "gru", "lstm", "gru-long", "lstm-long", "conv2d",
]  # fmt: skip
SUBJECTS = (scalars, dense, recurrent, images, attention)
BY_KEY: dict[str, Workload] = {w.key: w for subject in SUBJECTS for w in subject.WORKLOADS}
WORKLOADS: list[Workload] = [BY_KEY[key] for key in ORDER]
