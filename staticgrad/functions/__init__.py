"""`sg.function`: tracing, capturing state, applying effects, gradients of calls."""
