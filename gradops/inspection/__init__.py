"""Pictures and records of programs: formats, pages, timelines, training curves, progress.

Both packages make the same model of a tape and of a graph; what is here knows neither.
"""
