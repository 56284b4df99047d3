"""Memory and time over a run: live bytes by node, and flames by scope and line, as data and SVG."""
