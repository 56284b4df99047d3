"""What is computed where: kinds of values, units of code, and choices among alternatives."""
