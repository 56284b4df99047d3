"""The page: a graph or a tape as one self-contained HTML file."""
