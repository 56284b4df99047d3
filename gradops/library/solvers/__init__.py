"""Ops of solvers, whose attributes are functions: see `gradops.transforms.closing`."""
