"""Formats of pictures: each is a function of a view, which knows neither graphs nor tapes."""
