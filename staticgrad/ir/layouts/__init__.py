"""How values lie in memory: the order of axes, contiguity, and inside loops and branches."""
