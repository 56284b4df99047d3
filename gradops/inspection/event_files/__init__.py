"""Files of events, which TensorBoard shows: curves, histograms, pictures, text and graphs.

They are written through tensorboardX, which comes with the extra `tensorboard`.
"""
