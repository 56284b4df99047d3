"""Weights in files: what PyTorch saved as safetensors loads by name."""

import numpy as np
import pytest

import dynamicgrad as dg
from dynamicgrad import nn
from gradops import StateError

pytest.importorskip("safetensors", reason="files in this format need the extra `safetensors`")

ENCODER = {
    "self_attn.in_proj_weight": (24, 8), "self_attn.in_proj_bias": (24,),
    "self_attn.out_proj.weight": (8, 8), "self_attn.out_proj.bias": (8,),
    "linear1.weight": (12, 8), "linear1.bias": (12,), "linear2.weight": (8, 12),
    "linear2.bias": (8,), "norm1.weight": (8,), "norm1.bias": (8,), "norm2.weight": (8,),
    "norm2.bias": (8,),
}  # fmt: skip
PATH = "weights.safetensors"


def model_of(nn):
    """A model of PyTorch's layers, or of ours: one of most kinds."""

    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(9, 8, padding_idx=0)
            self.conv = nn.Conv1d(8, 8, 3, padding=1)
            self.batch = nn.BatchNorm1d(8)
            self.encoder = nn.TransformerEncoder(
                nn.TransformerEncoderLayer(8, 2, 12, 0.0, batch_first=True), 2
            )
            self.lstm = nn.LSTM(8, 5, num_layers=2, bidirectional=True, batch_first=True)
            self.norm, self.gru = nn.LayerNorm(10), nn.GRU(10, 4, batch_first=True)
            self.head = nn.Sequential(nn.Linear(4, 6), nn.PReLU(), nn.Linear(6, 2))

        def forward(self, words):
            x = self.batch(self.conv(self.embed(words).transpose(1, 2))).transpose(1, 2)
            x = self.norm(self.lstm(self.encoder(x))[0])
            return self.head(self.gru(x)[0])

    return Model()


def test_a_file_with_pytorchs_keys_loads_by_name(tmp_path):
    from safetensors.numpy import save_file

    rng = np.random.default_rng(0)
    arrays = {k: rng.normal(size=s).astype(np.float32) for k, s in ENCODER.items()}
    save_file(arrays, tmp_path / PATH)
    layer = nn.TransformerEncoderLayer(8, 2, 12)
    assert not any(layer.load_state_dict(dg.load(tmp_path / PATH)))
    for key, t in layer.state_dict().items():
        np.testing.assert_array_equal(t.numpy(), arrays[key])


def test_a_file_that_does_not_fit_changes_nothing(tmp_path):
    from safetensors.numpy import save_file

    save_file({"linear1.weight": np.zeros((12, 9), np.float32)}, tmp_path / PATH)
    layer = nn.TransformerEncoderLayer(8, 2, 12)
    before = layer.linear1.weight.clone()
    with pytest.raises(StateError, match=r"size mismatch for linear1\.weight"):
        layer.load_state_dict(dg.load(tmp_path / PATH), strict=False)
    assert dg.equal(layer.linear1.weight, before)


@pytest.mark.peers
@pytest.mark.filterwarnings("ignore:enable_nested_tensor:UserWarning")
def test_a_model_that_torch_trained_goes_on_here(tmp_path):
    torch = pytest.importorskip("torch", reason="torch is the oracle")
    from safetensors.torch import save_file

    theirs = model_of(torch.nn)
    words = np.random.default_rng(0).integers(0, 9, (3, 7))
    optimizer = torch.optim.Adam(theirs.parameters(), lr=1e-2)
    for _ in range(3):
        optimizer.zero_grad()
        theirs(torch.tensor(words)).square().mean().backward()
        optimizer.step()
    save_file(theirs.state_dict(), tmp_path / PATH)
    ours = model_of(nn)
    assert not any(ours.load_state_dict(dg.load(tmp_path / PATH)))
    theirs.zero_grad()
    for train in (True, False):
        y, z = ours.train(train)(dg.tensor(words)), theirs.train(train)(torch.tensor(words))
        np.testing.assert_allclose(y.detach().numpy(), z.detach().numpy(), rtol=1e-4, atol=1e-5)
        y.square().mean().backward()
        z.square().mean().backward()
    for (name, p), q in zip(ours.named_parameters(), theirs.parameters(), strict=True):
        np.testing.assert_allclose(p.grad.numpy(), q.grad.numpy(), 1e-3, 1e-5, err_msg=name)
