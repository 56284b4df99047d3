"""The differences of two graphs, aligned by structure: `diff`."""
