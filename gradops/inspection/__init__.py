"""Pictures of graphs and tapes: one model, which all formats and the page are made from."""
