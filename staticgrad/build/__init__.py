"""The graph under construction: placeholders, variables, effects, tracing."""
