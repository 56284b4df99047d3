"""A network for handwritten digits, trained by an optimizer; then fine-tuned with frozen layers.

First the network learns the digits 0 to 6. Then its last layer is replaced and trained on all ten
digits while the other layers are frozen. Finally these are unfrozen, and the whole network is
trained at a lower rate.

    python examples/digits_mlp.py
"""

from typing import Any

import numpy as np
from sklearn.datasets import load_digits

import dynamicgrad as dg
from dynamicgrad import nn, optim
from dynamicgrad.data import DataLoader, TensorDataset
from gradops.inspection.progress import Progress

FEW = 7  # how many digits the network learns first


def digits() -> tuple[TensorDataset, TensorDataset]:
    """Scikit-learn's handwritten digits: four fifths for training, one fifth for testing."""
    data = load_digits()
    order = np.random.default_rng(7).permutation(len(data.target))
    images = (data.data[order] / 16).astype(np.float32)
    labels = data.target[order].astype(np.int64)
    cut = len(labels) * 4 // 5
    return TensorDataset(images[:cut], labels[:cut]), TensorDataset(images[cut:], labels[cut:])


def only(data: TensorDataset, below: int) -> TensorDataset:
    """The examples with digits below a number."""
    images, labels = data.tensors
    return TensorDataset(images[labels < below], labels[labels < below])


def network(classes: int) -> nn.Sequential:
    """Two feature layers and a classification head."""
    body = nn.Sequential(
        nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 32), nn.ReLU()
    )
    return nn.Sequential({"body": body, "head": nn.Linear(32, classes)})


def train(model: nn.Module, data: TensorDataset, optimizer: optim.Optimizer, epochs: int) -> float:
    """Train for some epochs with a cosine schedule; return the mean loss of the last epoch."""
    loss_of, losses = nn.CrossEntropyLoss(), []
    schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    model.train()
    with Progress(epochs, "training", unit="epoch") as shown:
        for _ in range(epochs):
            losses = []
            for images, labels in DataLoader(data, batch_size=32, shuffle=True):
                optimizer.zero_grad()
                loss = loss_of(model(images), labels)
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), max_norm=5.0)
                optimizer.step()
                losses.append(loss.item())
            schedule.step()
            shown.update(loss=float(np.mean(losses)))
    return float(np.mean(losses))


def accuracy(model: nn.Module, data: TensorDataset) -> float:
    """The accuracy of the model on the examples."""
    images, labels = data.tensors
    model.eval()
    with dg.no_grad():
        return float((model(images).argmax(1) == labels).double().mean().item())


def run(seed: int = 0) -> dict[str, Any]:
    """Train, fine-tune with frozen layers, and unfreeze; return the results of each stage."""
    dg.manual_seed(seed)
    data, test = digits()
    model = network(FEW)
    train(model, only(data, FEW), optim.AdamW(model.parameters(), lr=3e-3), epochs=15)
    results: dict[str, Any] = {"seven digits": accuracy(model, only(test, FEW))}

    model.body.requires_grad_(False)
    model.head = nn.Linear(32, 10)
    frozen = {k: v.clone() for k, v in model.body.state_dict().items()}
    optimizer = optim.AdamW(model.head.parameters(), lr=1e-2)
    train(model, data, optimizer, epochs=15)
    results["ten digits, body frozen"] = accuracy(model, test)
    results["body unchanged"] = all(
        dg.equal(v, frozen[k]) for k, v in model.body.state_dict().items()
    )

    model.body.requires_grad_(True)
    optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    train(model, data, optimizer, epochs=15)
    results["ten digits, body thawed"] = accuracy(model, test)
    return results


def main() -> None:
    """Print the results of each stage."""
    for name, value in run().items():
        print(f"{name:<26}{value:.2%}" if isinstance(value, float) else f"{name:<26}{value}")


if __name__ == "__main__":
    main()
