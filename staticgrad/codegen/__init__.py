"""From a frozen graph to Python source: the buffer plan, the text, and loading it."""
