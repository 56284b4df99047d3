"""Predictions of what a step costs on many workers, from measured costs of tasks and messages."""
