"""Summaries of a run for TensorBoard, with TensorFlow 1's names.

A summary is fetched like any expression, and its value is handed to a writer.

>>> loss = sg.placeholder("float32", [], name="value")
>>> sg.summary.scalar("loss", loss)
<summary of loss>
>>> merged = sg.summary.merge_all()
>>> sg.Session().run(merged, {loss: 0.5}).scalars
{'loss': np.float32(0.5)}
"""

from .file_writer import FileWriter
from .summaries import Summary, histogram, image, merge, merge_all, scalar, text

__all__ = ["FileWriter", "Summary", "histogram", "image", "merge", "merge_all", "scalar", "text"]
