"""Planning of what is computed where: kinds of values, units of code, choices among them."""
