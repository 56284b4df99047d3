"""Tables, plots and files of results."""
