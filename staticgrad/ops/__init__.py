"""TensorFlow's functions, by subject."""
