"""Object files of machine code: compiled text, read, loaded, and kept on disk."""
