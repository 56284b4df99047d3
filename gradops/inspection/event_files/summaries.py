"""Values as summaries: messages of TensorBoard's protocol that have a tag and a value each."""

import sys
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np

from ...core.errors import MissingExtraError
from .event_file import tensorboardx

Array = np.ndarray[Any, Any]


def summary_of(tag: str, **value: Any) -> Any:
    """A summary of one value: `simple_value`, `histo`, `image`, or `tensor` and `metadata`."""
    messages = tensorboardx("proto.summary_pb2")
    return messages.Summary(value=[messages.Summary.Value(tag=tag, **value)])


def scalar(tag: str, value: Any) -> Any:
    """The summary of a number. Raises ValueError for an array of several."""
    return summary_of(tag, simple_value=number(tag, value))


def typed_scalar(tag: str, value: Any, double: bool) -> Any:
    """The summary of a number as a tensor of a dtype, which TensorBoard loads faster."""
    tensors = tensorboardx("proto.tensor_pb2")
    field = {"double_val": [number(tag, value)]} if double else {"float_val": [number(tag, value)]}
    tensor = tensors.TensorProto(dtype="DT_DOUBLE" if double else "DT_FLOAT", **field)
    return summary_of(tag, tensor=tensor, metadata=shown_by("scalars"))


def number(tag: str, value: Any) -> float:
    """The one number in an array."""
    array = np.asarray(value)
    if array.size != 1 or array.dtype.kind not in "biuf":
        kind = f"an array of the shape {array.shape}" if array.size != 1 else f"{array.dtype}"
        raise ValueError(f"the scalar {tag!r} is {kind}, not one real number")
    return float(array.reshape(()))


def shown_by(plugin: str, content: bytes = b"") -> Any:
    """The metadata that say which part of TensorBoard shows a value."""
    metadata = tensorboardx("proto.summary_pb2").SummaryMetadata
    return metadata(plugin_data=metadata.PluginData(plugin_name=plugin, content=content))


def histogram(
    tag: str, values: Array, bins: Any = "tensorflow", max_bins: int | None = None
) -> Any:
    """The summary of how values are distributed.

    `bins` are the limits of its bins, a way to choose them that `numpy.histogram` knows, or
    "tensorflow" for those of TensorFlow. Raises ValueError if no value is finite.
    """
    values = np.asarray(values).reshape(-1)
    if values.dtype.kind not in "biuf" or not np.isfinite(values).any():
        what = f"are {values.dtype}" if values.dtype.kind not in "biuf" else "has no finite number"
        raise ValueError(f"the histogram {tag!r} {what}: it takes real numbers")
    limits = tensorflow_limits() if isinstance(bins, str) and bins == "tensorflow" else bins
    summaries = tensorboardx("summary")
    proto = summaries.make_histogram(values.astype(np.float64), limits, max_bins)
    return summary_of(tag, histo=proto)


def tensorflow_limits() -> list[float]:
    """TensorFlow's limits of bins: powers of 1.1, of both signs, and the largest number."""
    positive, limit = list[float](), 1e-12
    while limit < 1e20:
        positive.append(limit)
        limit *= 1.1
    positive.append(sys.float_info.max)
    return [*(-x for x in reversed(positive)), 0.0, *positive]


def image(tag: str, pixels: Array) -> Any:
    """The summary of a picture: bytes by height, width, and 1, 3 or 4 channels."""
    height, width, channels = pixels.shape
    try:
        from PIL import Image
    except ImportError as error:
        raise MissingExtraError("the summary of an image", "Pillow", "tensorboard") from error
    stream = BytesIO()
    Image.fromarray(pixels[..., 0] if channels == 1 else pixels).save(stream, format="PNG")
    picture = tensorboardx("proto.summary_pb2").Summary.Image
    encoded = stream.getvalue()
    return summary_of(tag, image=picture(
        height=height, width=width, colorspace=channels, encoded_image_string=encoded
    ))  # fmt: skip


def text(tag: str, strings: Sequence[str]) -> Any:
    """The summary of texts, which TensorBoard shows as Markdown."""
    tensors = tensorboardx("proto.tensor_pb2")
    shapes = tensorboardx("proto.tensor_shape_pb2")
    sizes = [shapes.TensorShapeProto.Dim(size=len(strings))]
    tensor = tensors.TensorProto(
        dtype="DT_STRING", string_val=[s.encode() for s in strings],
        tensor_shape=shapes.TensorShapeProto(dim=sizes),
    )  # fmt: skip
    return summary_of(tag, tensor=tensor, metadata=shown_by("text"))


def hyperparameters(
    values: Mapping[str, Any], metrics: Mapping[str, Any],
    domains: Mapping[str, Sequence[Any]],
) -> list[Any]:  # fmt: skip
    """The summaries of a run's hyperparameters, of the values each may have, and its metrics."""
    module = tensorboardx("summary")
    summaries = list(module.hparams(dict(values), dict(metrics)))
    if domains:
        data = tensorboardx("proto.plugin_hparams_pb2").HParamsPluginData
        plugin = summaries[0].value[0].metadata.plugin_data
        content = data.FromString(plugin.content)
        for info in content.experiment.hparam_infos:
            info.domain_discrete.extend(domains.get(info.name, ()))
        plugin.content = content.SerializeToString()
    return summaries
