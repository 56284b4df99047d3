"""Tests choose by the default cost table: none depends on what the machine is doing."""

import os

os.environ.setdefault("STATICGRAD_COSTS", "default")
