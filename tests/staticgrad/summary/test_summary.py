"""Summaries are TensorFlow's, and TensorBoard reads what is written of them."""

from io import BytesIO

import numpy as np
import pytest

import gradops
import staticgrad as sg

pytest.importorskip("tensorboardX", reason="files of events come with the extra `tensorboard`")
reading = pytest.importorskip(
    "tensorboard.backend.event_processing.event_accumulator", reason="TensorBoard is the reader"
)


def read(folder):
    """TensorBoard's reading of a folder: all of it, not a sample."""
    events = reading.EventAccumulator(
        str(folder), dict.fromkeys(reading.STORE_EVERYTHING_SIZE_GUIDANCE, 0)
    )
    return events.Reload()


def write(folder, summary, feeds=None, step=None):
    """TensorBoard's reading of one run of a summary."""
    with sg.summary.FileWriter(folder) as writer:
        writer.add_summary(sg.Session().run(summary, feeds), step)
    return read(folder)


def pixels(event):
    """A picture as TensorBoard would show it."""
    image = pytest.importorskip("PIL.Image", reason="pictures are encoded by Pillow")
    return np.array(image.open(BytesIO(event.encoded_image_string)))


def test_a_curve_is_read_back(tmp_path):
    x = sg.placeholder("float32", [], name="value")
    sg.summary.scalar("loss", x)
    merged, session = sg.summary.merge_all(), sg.Session()
    values = np.random.default_rng(0).standard_normal(50).astype(np.float32)
    with sg.summary.FileWriter(tmp_path) as writer:
        for step, value in enumerate(values):
            writer.add_summary(session.run(merged, {x: value}), step)
    curve = read(tmp_path).Scalars("loss")
    assert [(each.step, each.value) for each in curve] == list(enumerate(values.tolist()))


def test_what_is_flushed_can_be_read_before_the_writer_is_closed(tmp_path):
    writer = sg.summary.FileWriter(tmp_path)
    for step in range(1, 40):
        writer.add_summary(sg.Session().run(sg.summary.scalar(f"x{step}", 1.0)), step)
        writer.flush()
        assert len(read(tmp_path).Tags()["scalars"]) == step
    writer.close()


def test_two_writers_of_one_folder_do_not_overwrite_each_other(tmp_path):
    one, two = sg.summary.FileWriter(tmp_path), sg.summary.FileWriter(tmp_path)
    for writer, name in ((one, "a"), (two, "b")):
        writer.add_summary(sg.Session().run(sg.summary.scalar(name, 1.0)))
        writer.close()
    assert len(list(tmp_path.iterdir())) == 2


def test_tags_are_names_within_scopes_and_unique():
    x = sg.placeholder("float32", [], name="loss")
    with sg.name_scope("train"):
        assert sg.summary.scalar("loss", x).tags == ["train/loss"]
        assert sg.summary.scalar("loss", x).tags == ["train/loss_1"]
    assert sg.summary.scalar("loss", x).tags == ["loss_1"]
    assert sg.summary.scalar("a b:c", x, family="f").tags == ["f/f/a_b_c"]


def test_merge_all_takes_what_is_in_the_collection():
    assert sg.summary.merge_all() is None
    a, b = sg.summary.scalar("a", 1.0), sg.summary.histogram("b", [1.0, 2.0])
    c = sg.summary.scalar("c", 1.0, collections=["others"])
    assert sg.get_collection("summaries") == [a, b]
    assert sg.summary.merge_all().tags == ["a", "b"]
    assert sg.summary.merge_all("others").tags == c.tags
    assert sg.summary.merge_all(scope="b").tags == ["b"]


def test_a_summary_is_fetched_beside_a_training_step():
    w = sg.Variable(3.0, name="w")
    loss = w * w
    train = sg.train.GradientDescentOptimizer(0.25).minimize(loss)
    summary = sg.summary.scalar("loss", loss)
    session = sg.Session()
    got, _ = session.run([summary, train])
    assert got.scalars == {"loss": np.float32(9.0)}
    step = session.make_callable([summary, train])
    assert step()[0].scalars == {"loss": np.float32(2.25)}


def test_histograms_hold_all_values(tmp_path):
    values = np.float32([-1e30, -1.0, 0.0, 1e-20, 2.5, 1e30])
    (event,) = write(tmp_path, sg.summary.histogram("w", values), step=3).Histograms("w")
    histogram = event.histogram_value
    assert (event.step, histogram.num, sum(histogram.bucket)) == (3, 6, 6)
    assert (histogram.min, histogram.max) == (values.min(), values.max())


def test_images_keep_their_pixels(tmp_path):
    batch = np.random.default_rng(0).integers(0, 256, (5, 4, 6, 3)).astype(np.uint8)
    events = write(tmp_path, sg.summary.image("digits", batch, max_outputs=2))
    assert events.Tags()["images"] == ["digits/image/0", "digits/image/1"]
    for i, tag in enumerate(events.Tags()["images"]):
        assert np.array_equal(pixels(events.Images(tag)[0]), batch[i])


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([0, 0.5, 1, 2], [0, 63, 127, 255]),
        ([-1, 0.5, 1, 0], [1, 191, 255, 128]),
        ([0, 0, 0, 0], [0, 0, 0, 0]),
    ],
)
def test_floats_are_scaled_as_in_tensorflow(values, shown, tmp_path):
    image = np.float32(values).reshape(1, 2, 2, 1)
    events = write(tmp_path, sg.summary.image("x", image, max_outputs=1))
    assert pixels(events.Images("x/image")[0]).ravel().tolist() == shown


def test_texts_are_read_back(tmp_path):
    events = write(tmp_path, sg.summary.text("note", "größer als **π**"))
    assert events.Tensors("note")[0].tensor_proto.string_val[0].decode() == "größer als **π**"


def test_a_graph_is_read_back_with_names_types_and_edges(tmp_path):
    x = sg.placeholder("float32", ["batch", 4], name="x")
    with sg.name_scope("layer"):
        y = sg.tanh(x @ sg.Variable(np.ones((4, 2), np.float32), name="w"), name="y")
    sg.gradients(sg.reduce_sum(y), x)
    sg.summary.FileWriter(tmp_path, y.graph).close()
    nodes = {n.name: n for n in read(tmp_path).Graph().node}
    assert list(nodes) == [e.name for e in y.graph.get_operations()]
    assert list(nodes["layer/y"].input) == [y.inputs[0].name]
    sizes = nodes["layer/y"].attr["_output_shapes"].list.shape[0].dim
    assert [d.size for d in sizes] == [-1, 2]
    assert nodes["x"].op == "Placeholder"


def test_hostile_names_are_no_edges(tmp_path):
    x = sg.placeholder("float32", [], name="^</script>")
    y = sg.exp(x, name="_</script>")
    sg.summary.FileWriter(tmp_path, sg.freeze([y], [x])).close()
    first, second = read(tmp_path).Graph().node
    assert list(second.input) == [first.name]
    assert first.name != second.name
    assert "<" not in first.name + second.name


def test_a_closed_writer_warns_and_is_reopened(tmp_path):
    summary = sg.Session().run(sg.summary.scalar("x", 1.0))
    writer = sg.summary.FileWriter(tmp_path)
    writer.close()
    writer.close()
    writer.flush()
    with pytest.warns(UserWarning, match="add_summary writes nothing: the FileWriter"):
        writer.add_summary(summary, 0)
    writer.reopen()
    writer.add_summary(summary, 1)
    writer.close()
    assert [e.step for e in read(tmp_path).Scalars("x")] == [1]


def test_mistakes_are_named(tmp_path):
    x = sg.placeholder("float32", ["n"], name="x")
    with pytest.raises(
        gradops.ShapeError, match=r"summary.scalar\(x: float32\[n\]\): it is not one"
    ):
        sg.summary.scalar("x", x)
    with pytest.raises(gradops.ShapeError, match="it has no axes"):
        sg.summary.image("x", x)
    with pytest.raises(gradops.DTypeError, match="it is complex"):
        sg.summary.histogram("x", sg.constant(1j))
    with pytest.raises(gradops.OptionError, match="two summaries have the tag"):
        sg.summary.merge([sg.summary.scalar("a", 1.0)] * 2)
    with sg.summary.FileWriter(tmp_path) as writer:
        with pytest.raises(gradops.FetchError, match="has no values yet"):
            writer.add_summary(sg.summary.scalar("b", 1.0))
        with pytest.raises(gradops.FetchError, match="not None"):
            writer.add_summary(sg.summary.merge_all("nothing"))
        value = sg.Session().run(sg.summary.histogram("h", x), {x: [1.0, np.nan]})
        with pytest.raises(gradops.NotFiniteError, match="'h' has values that are not finite"):
            writer.add_summary(value)


def test_without_the_library_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "tensorboardX.proto.event_pb2", None)
    with pytest.raises(gradops.MissingExtraError, match=r"pip install 'staticgrad\[tensorboard\]'"):
        sg.summary.FileWriter(tmp_path)


@pytest.mark.peers
def test_tags_and_values_are_those_of_tensorflow(tensorflow, tmp_path):
    import tensorflow as tf

    values = np.float32([-1e30, -1.0, 0.0, 1e-20, 2.5, 1e30])
    image = np.float32([-1, 0.5, 1, 0.25]).reshape(1, 2, 2, 1).repeat(2, axis=0)

    def summaries(m):
        m.summary.scalar("x", m.constant(2.0, name="x"))
        with m.name_scope("a"):
            m.summary.histogram("w w", values, family="fam")
            m.summary.scalar("x", 1.0)
            m.summary.image("im", image)
            m.summary.image("im", image, max_outputs=1)
        return m.summary.merge_all()

    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        want = v1.Summary.FromString(session.run(summaries(v1)))
    from staticgrad.summary.file_writer import as_message

    got = as_message(sg.Session().run(summaries(sg)))
    assert [v.tag for v in want.value] != []
    key = lambda v: v.tag
    for ours, theirs in zip(sorted(got.value, key=key), sorted(want.value, key=key), strict=True):
        assert ours.tag == theirs.tag
        assert ours.simple_value == theirs.simple_value
        if theirs.HasField("image"):
            assert np.array_equal(pixels(ours.image), pixels(theirs.image))
        if theirs.HasField("histo"):
            counts = lambda h: {b: n for b, n in zip(h.bucket_limit, h.bucket) if n}
            assert list(counts(ours.histo).values()) == list(counts(theirs.histo).values())
