"""One function as plain NumPy, on the tape and as a frozen graph, side by side: `compare`."""
