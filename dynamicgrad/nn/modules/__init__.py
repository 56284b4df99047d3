"""The base classes of layers: modules, parameters, containers, their state and hooks."""
