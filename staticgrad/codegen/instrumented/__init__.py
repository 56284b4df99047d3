"""Generated source with lines between its own: clocks, and checks of values."""
