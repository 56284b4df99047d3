"""Saved states: what comes back, and what a file can do."""

import contextlib
import io
import json
import os
import pickle
import zipfile

import numpy as np
import pytest

import dynamicgrad as dg
from gradops import OptionError, StateFormatError, TapeError


def there_and_back(state):
    file = io.BytesIO()
    dg.save(state, file)
    return dg.load(file)


def test_a_nested_state_comes_back():
    state = {
        "w": dg.ones(2, 3, requires_grad=True), "n": 3, "lr": 0.1, "name": "a/b", "on": True,
        "none": None, "nan": float("nan"), "inf": [float("inf"), -float("inf")],
        "many": [dg.tensor(2.0), (np.arange(3), {"x": {0: dg.zeros(0)}})],
    }  # fmt: skip
    got = there_and_back(state)
    assert list(got) == list(state)
    assert (got["n"], got["lr"], got["name"], got["on"], got["none"]) == (3, 0.1, "a/b", True, None)
    assert (np.isnan(got["nan"]), got["inf"]) == (True, [np.inf, -np.inf])
    assert (got["w"].requires_grad, got["w"].tolist()) == (True, [[1, 1, 1], [1, 1, 1]])
    number, (array, deep) = got["many"]
    assert (number.item(), array.tolist(), deep["x"][0].shape) == (2, [0, 1, 2], (0,))
    assert isinstance(array, np.ndarray)


@pytest.mark.parametrize("array", [
    np.float32(1.5), np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.arange(10)[::-2],
    np.arange(3, dtype=">i4"), np.ones(2, bool), np.ones(2, np.float16), np.ones((2, 0, 3)),
    np.ones(2, complex), np.array(3, np.uint8), np.broadcast_to(1.0, (2, 2)),
])  # fmt: skip
def test_every_kind_of_array_comes_back(array):
    got = there_and_back({"a": array})["a"]
    assert (got.dtype, got.shape) == (array.dtype, array.shape)
    np.testing.assert_array_equal(got, array)
    got[...] = 0  # memory of its own


def test_a_model_and_its_optimizer_come_back(tmp_path):
    model = dg.nn.Sequential(dg.nn.Linear(3, 4), dg.nn.Tanh(), dg.nn.Linear(4, 1))
    optimizer = dg.optim.Adam(model.parameters())
    for _ in range(2):
        optimizer.zero_grad()
        model(dg.ones(2, 3)).sum().backward()
        optimizer.step()
    path = tmp_path / "state.zip"
    dg.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
    again = dg.nn.Sequential(dg.nn.Linear(3, 4), dg.nn.Tanh(), dg.nn.Linear(4, 1))
    state = dg.load(path)
    again.load_state_dict(state["model"])
    dg.optim.Adam(again.parameters()).load_state_dict(state["optimizer"])
    assert dg.equal(again(dg.ones(1, 3)), model(dg.ones(1, 3)))
    assert os.listdir(tmp_path) == ["state.zip"]


@pytest.mark.parametrize("state", [
    {"f": print}, {1.5: 1}, [{1, 2}], np.array([object()]), np.array(["text"]), {True: 1},
])  # fmt: skip
def test_what_cannot_be_saved_leaves_the_file_as_it_was(state, tmp_path):
    path = tmp_path / "state"
    dg.save({"old": 1}, path)
    with pytest.raises(TypeError, match="cannot be saved"):
        dg.save(state, path)
    assert dg.load(path) == {"old": 1}
    assert os.listdir(tmp_path) == ["state"]


def archive(manifest=None, compress=zipfile.ZIP_STORED, **members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compress) as z:
        if manifest is not None:
            text = manifest if isinstance(manifest, str | bytes) else json.dumps(manifest)
            z.writestr("manifest.json", text)
        for name, data in members.items():
            z.writestr(f"{name}.npy", data)
    return file


def described(state, version=1):
    return {"format": "dynamicgrad state", "version": version, "state": state}


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


TENSOR = {"tensor": 0, "requires_grad": True, "parameter": False}
HOSTILE = {
    "nothing": lambda: io.BytesIO(b""),
    "no archive": lambda: io.BytesIO(b"PK\x03\x04 and so on"),
    "a pickle": lambda: io.BytesIO(pickle.dumps({"w": 1})),
    "no manifest": lambda: archive(),
    "no JSON": lambda: archive("{"),
    "no UTF-8": lambda: archive(b'"\xff\xfe'),
    "a list": lambda: archive([]),
    "another format": lambda: archive({"format": "else", "version": 1, "state": 1}),
    "a later version": lambda: archive(described(1, version=2)),
    "no state": lambda: archive({"format": "dynamicgrad state", "version": 1}),
    "no such kind": lambda: archive(described({"call": "os.system"})),
    "a pair of three": lambda: archive(described({"dict": [["a", 1, 2]]})),
    "a key that is a list": lambda: archive(described({"dict": [[[1], 2]]})),
    "no such member": lambda: archive(described({"array": 0})),
    "a path outside": lambda: archive(described({"array": "../0"})),
    "an array of objects": lambda: archive(
        described({"array": 0}), **{"0": npy(np.array([None], object), allow_pickle=True)}
    ),
    "no array": lambda: archive(described({"array": 0}), **{"0": b"\x93NUMPY\x01\x00junk"}),
    "cut short": lambda: archive(described({"array": 0}), **{"0": npy(np.ones(9))[:-8]}),
    "too long": lambda: archive(described({"array": 0}), **{"0": npy(np.ones(9)) + b"x"}),
    "a claim": lambda: archive(
        described({"array": 0}), **{"0": npy(np.ones(2)).replace(b"(2,)", b"(9999999999,)")}
    ),
    "a gradient of integers": lambda: archive(described(TENSOR), **{"0": npy(np.arange(2))}),
    "a bomb": lambda: archive(described(1), zipfile.ZIP_DEFLATED, **{"0": bytes(10**6)}),
    "too deep": lambda: archive(
        json.dumps(described(0)).replace("0}", "[" * 5000 + "]" * 5000 + "}")
    ),
    "deep lists": lambda: archive(
        '{"format": "dynamicgrad state", "version": 1, "state": '
        + '{"list": [' * 400 + "1" + "]}" * 400 + "}"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", [n for n in HOSTILE if n != "deep lists"])
def test_a_file_that_is_no_state_is_refused_in_one_way(name):
    with pytest.raises(StateFormatError, match="is not a saved state"):
        dg.load(HOSTILE[name]())


def test_deep_structures_come_back_or_are_refused():
    assert isinstance(dg.load(HOSTILE["deep lists"]()), list)


def test_a_path_that_is_not_there_is_said_to_be_so(tmp_path):
    with pytest.raises(FileNotFoundError):
        dg.load(tmp_path / "nothing")


def test_a_member_that_is_there_twice_is_refused():
    file = archive(described(1))
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(file, "a") as z:
        z.writestr("manifest.json", json.dumps(described(2)))
    with pytest.raises(StateFormatError, match="twice"):
        dg.load(file)


def test_any_damage_is_noticed():
    file = io.BytesIO()
    dg.save({"w": dg.arange(4.0), "n": [1, 2.5]}, file)
    whole, rng = file.getvalue(), np.random.default_rng(0)
    for _ in range(500):
        damaged = bytearray(whole)
        for i in rng.integers(0, len(whole), rng.integers(1, 4)):
            damaged[i] = rng.integers(256)
        cut = damaged[: rng.integers(len(whole))] if rng.random() < 0.2 else damaged
        with contextlib.suppress(StateFormatError):
            dg.load(io.BytesIO(bytes(cut)))


def test_safetensors_is_an_extra(tmp_path, monkeypatch):
    path = tmp_path / "w.safetensors"
    with pytest.raises(TypeError, match="flat dict of tensors"):
        dg.save({"a": [dg.ones(1)]}, path)
    monkeypatch.setitem(__import__("sys").modules, "safetensors.numpy", None)
    with pytest.raises(ImportError, match=r"pip install 'staticgrad\[safetensors\]'"):
        dg.save({"w": dg.ones(2)}, path)
    assert os.listdir(tmp_path) == []


def test_safetensors_come_back(tmp_path):
    pytest.importorskip("safetensors", reason="the extra safetensors is not installed")
    path = tmp_path / "w.safetensors"
    dg.save({"w": dg.ones(2, 3), "b": dg.tensor([1, 2])}, path)
    got = dg.load(path)
    assert (got["w"].shape, got["b"].tolist()) == ((2, 3), [1, 2])
    path.write_bytes(b"\xff" * 100)
    with pytest.raises(StateFormatError):
        dg.load(path)


def test_other_libraries_share_the_memory():
    t = dg.zeros(2)
    a = np.from_dlpack(t)
    t += 1
    assert a.tolist() == [1, 1]
    u = dg.from_dlpack(np.ones(3))
    assert (u.tolist(), u.__dlpack_device__()) == ([1, 1, 1], (1, 0))
    with pytest.raises(TapeError, match="Can't export tensors that require gradient"):
        np.from_dlpack(dg.ones(2, requires_grad=True))


@pytest.mark.peers
def test_torch_shares_the_memory():
    torch = pytest.importorskip("torch", reason="torch is the other library")
    t = dg.arange(3.0)
    u = torch.from_dlpack(t)
    u[0] = 7
    assert t.tolist() == [7, 1, 2]
    assert dg.from_dlpack(torch.ones(2)).tolist() == [1, 1]


def test_a_file_of_torchs_is_told_what_to_write_instead(tmp_path):
    path = tmp_path / "model.pt"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("model/data.pkl", b"\x80\x02}q\x00.")
    with pytest.raises(StateFormatError, match="not a saved state") as caught:
        dg.load(path)
    assert "safetensors.torch.save_file" in caught.value.__notes__[0]


def test_a_file_that_is_not_there_is_said_to_be_so(tmp_path):
    pytest.importorskip("safetensors")
    for name in ("no.safetensors", "no.state"):
        with pytest.raises(FileNotFoundError):
            dg.load(tmp_path / name)


def test_pytorchs_arguments_of_load_change_nothing():
    file = io.BytesIO()
    dg.save({"w": dg.ones(2)}, file)
    file.seek(0)
    assert dg.load(file, map_location="cpu", weights_only=True)["w"].tolist() == [1.0, 1.0]
    with pytest.raises(OptionError, match="no device 'cuda'"):
        dg.load(file, map_location="cuda")
