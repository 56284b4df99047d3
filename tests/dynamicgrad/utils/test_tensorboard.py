"""TensorBoard reads what the writer with PyTorch's names writes; beside PyTorch's own."""

import inspect
from io import BytesIO

import numpy as np
import pytest

import dynamicgrad as dg
import gradops

pytest.importorskip("tensorboardX", reason="files of events come with the extra `tensorboard`")
reading = pytest.importorskip(
    "tensorboard.backend.event_processing.event_accumulator", reason="TensorBoard is the reader"
)
SummaryWriter = dg.utils.tensorboard.SummaryWriter


def read(folder):
    """TensorBoard's reading of a folder: all of it, not a sample."""
    sizes = dict.fromkeys(reading.STORE_EVERYTHING_SIZE_GUIDANCE, 0)
    return reading.EventAccumulator(str(folder), sizes).Reload()


def pixels(event):
    """A picture as TensorBoard would show it."""
    image = pytest.importorskip("PIL.Image", reason="pictures are encoded by Pillow")
    return np.array(image.open(BytesIO(event.encoded_image_string)))


def points(folder, tag):
    """A curve as TensorBoard reads it."""
    return [(e.step, e.value) for e in read(folder).Scalars(tag)]


def test_a_curve_is_read_back(tmp_path):
    w = dg.tensor(3.0, requires_grad=True)
    with SummaryWriter(tmp_path) as writer:
        for step in range(20):
            writer.add_scalar("loss of training", w * step, step)
    assert points(tmp_path, "loss of training") == [(i, 3.0 * i) for i in range(20)]


def test_what_is_flushed_can_be_read_before_the_writer_is_closed(tmp_path):
    writer = SummaryWriter(tmp_path)
    for step in range(1, 20):
        writer.add_scalar("x", step, step)
        writer.flush()
        assert len(points(tmp_path, "x")) == step
    writer.close()


def test_curves_of_one_picture_are_runs_of_their_own(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalars("loss/all", {"train": 1.0, "test": dg.tensor(2.0)}, 5)
    assert points(tmp_path / "loss_all_train", "loss/all") == [(5, 1.0)]
    assert points(tmp_path / "loss_all_test", "loss/all") == [(5, 2.0)]


def test_what_is_written_after_close_goes_to_a_new_file(tmp_path):
    writer = SummaryWriter(tmp_path)
    writer.add_scalar("x", 1.0, 1)
    writer.close()
    writer.close()
    writer.add_scalar("x", 2.0, 2)
    writer.close()
    assert len(list(tmp_path.iterdir())) == 2


def test_a_run_that_crashed_goes_on(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        for step in range(5):
            writer.add_scalar("x", step, step, walltime=1.0)
    file = next(tmp_path.iterdir())
    file.rename(file.with_name("events.out.tfevents.0"))
    with SummaryWriter(tmp_path, purge_step=3) as writer:
        writer.add_scalar("x", 30.0, 3)
    assert points(tmp_path, "x") == [(0, 0.0), (1, 1.0), (2, 2.0), (3, 30.0)]


def test_histograms_and_scalars_as_tensors_are_read_back(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_histogram("w", dg.tensor([0.0, 1.0, 1.0, np.inf]), 2)
        writer.add_histogram("b", [1, 2, 3, 4], bins=2)
        writer.add_scalar("x", 0.1, 2, new_style=True, double_precision=True)
    events = read(tmp_path)
    assert sum(events.Histograms("w")[0].histogram_value.bucket) == 3
    assert sum(events.Histograms("b")[0].histogram_value.bucket) == 4
    assert events.Tensors("x")[0].tensor_proto.double_val[0] == 0.1


@pytest.mark.parametrize("axes", ["CHW", "HWC", "hwc", "HW"])
def test_pictures_keep_their_pixels(axes, tmp_path):
    image = np.random.default_rng(0).integers(0, 256, (4, 6, 3)).astype(np.uint8)
    image = image[..., 0] if len(axes) == 2 else image
    given = image.transpose(2, 0, 1) if axes == "CHW" else image
    with SummaryWriter(tmp_path) as writer:
        writer.add_image("bytes", dg.tensor(given), dataformats=axes)
        writer.add_image("floats", given / np.float32(255) * 2 - 0.5, dataformats=axes)
    shown = image if image.ndim == 3 else np.stack([image] * 3, axis=2)
    assert np.array_equal(pixels(read(tmp_path).Images("bytes")[0]), shown)
    scaled = np.clip((shown / np.float32(255) * 2 - 0.5) * 255, 0, 255).astype(np.uint8)
    assert np.array_equal(pixels(read(tmp_path).Images("floats")[0]), scaled)


def test_texts_and_hyperparameters_are_read_back(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        writer.add_text("note", "größer")
        values = {"rate": np.float32(0.5), "name": "adam", "fast": True, "none": None}
        writer.add_hparams(values, {"loss": dg.tensor(2.0)}, {"name": ["adam", "sgd"]}, "run")
    note = read(tmp_path).Tensors("note/text_summary")[0].tensor_proto.string_val[0].decode()
    assert note == "größer"
    events = read(tmp_path / "run")
    assert events.Scalars("loss")[0].value == 2.0
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

    found = events.PluginTagToContent("hparams")
    start = HParamsPluginData.FromString(found["_hparams_/session_start_info"])
    assert start.session_start_info.hparams["rate"].number_value == 0.5
    assert start.session_start_info.hparams["fast"].bool_value
    about = HParamsPluginData.FromString(found["_hparams_/experiment"]).experiment
    (name,) = [h for h in about.hparam_infos if h.name == "name"]
    assert list(name.domain_discrete) == ["adam", "sgd"]


def test_the_graph_of_a_model_is_read_back_in_the_scopes_of_its_modules(tmp_path):
    body = dg.nn.Sequential(dg.nn.Linear(4, 3), dg.nn.Tanh())
    network = dg.nn.Sequential({"body": body, "head": dg.nn.Linear(3, 2)})
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(network, dg.ones(5, 4))
    nodes = {n.name.removeprefix("network/"): n for n in read(tmp_path).Graph().node}
    first, last = nodes["body/0/linear"], nodes["head/linear_1"]
    assert {"body/1/tanh", "body/0/weight", "head/bias"} <= set(nodes)
    assert {x.removeprefix("network/") for x in first.input} >= {"body/0/weight", "body/0/bias"}
    assert [d.size for d in last.attr["_output_shapes"].list.shape[0].dim] == [5, 2]
    assert nodes["head/weight"].op == "VariableV2"
    assert network.head.weight.grad is None
    assert all(x in {n.name for n in nodes.values()} for n in nodes.values() for x in n.input)


def test_mistakes_are_named(tmp_path):
    with SummaryWriter(tmp_path) as writer:
        with pytest.raises(ValueError, match=r"'x' is an array of the shape \(2,\), not one real"):
            writer.add_scalar("x", dg.ones(2))
        with pytest.raises(ValueError, match="'h' has no finite number"):
            writer.add_histogram("h", [np.nan])
        with pytest.raises(gradops.OptionError, match="its axes are not 'CHW'"):
            writer.add_image("x", dg.ones(2, 2))
        with pytest.raises(gradops.OptionError, match="the call of the model records nothing"):
            writer.add_graph(lambda x: x + 1, dg.ones(2))
        with pytest.raises(ValueError, match="a hyperparameter is a number"):
            writer.add_hparams({"x": [1]}, {})
        with pytest.raises(TypeError, match="which hparam_dict has not"):
            writer.add_hparams({}, {}, {"x": [1]})


def test_without_the_library_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tensorboardX.proto.event_pb2", None)
    with pytest.raises(gradops.MissingExtraError, match=r"pip install 'staticgrad\[tensorboard\]'"):
        SummaryWriter(tmp_path)


def test_other_parts_of_utils_say_where_they_are():
    with pytest.raises(AttributeError, match=r"hint: use dg\.data"):
        dg.utils.data  # noqa: B018


@pytest.mark.peers
def test_signatures_and_curves_are_those_of_torch(tmp_path):
    theirs = pytest.importorskip("torch.utils.tensorboard").SummaryWriter
    for name, method in inspect.getmembers(SummaryWriter, inspect.isfunction):
        if name == "__init__" or name.startswith("add_"):
            names = [*inspect.signature(method).parameters]
            assert names == [*inspect.signature(getattr(theirs, name)).parameters], name
    values = np.random.default_rng(0).standard_normal(100).astype(np.float32)
    for kind, writer in (("ours", SummaryWriter), ("theirs", theirs)):
        with writer(str(tmp_path / kind)) as w:
            w.add_scalar("a b", values[0], 1)
            w.add_histogram("w", values, 1)
            w.add_text("note", "text")
            w.add_scalars("s/t", {"u": 1.0}, 1)
    ours, theirs = (read(tmp_path / kind) for kind in ("ours", "theirs"))
    assert ours.Tags() == theirs.Tags()
    assert ours.Scalars("a b")[0].value == theirs.Scalars("a b")[0].value
    one, two = (each.Histograms("w")[0].histogram_value for each in (ours, theirs))
    assert (one.num, list(one.bucket), list(one.bucket_limit)) == (
        two.num, list(two.bucket), list(two.bucket_limit),
    )  # fmt: skip
    assert {p.name for p in (tmp_path / "ours").iterdir() if p.is_dir()} == {
        p.name for p in (tmp_path / "theirs").iterdir() if p.is_dir()
    }
