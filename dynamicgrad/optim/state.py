"""The state of an optimizer as a dict that refers to parameters by number, in PyTorch's layout."""

import copy
from typing import Any

import numpy as np

from ..engine.tensor import Tensor, handle

Group = dict[str, Any]
State = dict[Tensor, dict[str, Any]]


def state_dict(state: State, groups: list[Group]) -> dict[str, Any]:
    """`{"state": {number: ...}, "param_groups": [{..., "params": [number, ...]}]}`."""
    numbers: dict[int, int] = {}
    for group in groups:
        for p in group["params"]:
            numbers.setdefault(id(p), len(numbers))
    states = {numbers[id(p)]: dict(held) for p, held in state.items() if held and id(p) in numbers}
    saved = [{**group, "params": [numbers[id(p)] for p in group["params"]]} for group in groups]
    return {"state": states, "param_groups": saved}


def load(saved: dict[str, Any], groups: list[Group]) -> tuple[State, list[Group]]:
    """The state by parameter and the groups, copied from a saved state."""
    saved_groups = copy.deepcopy(saved["param_groups"])
    require_same_groups(saved_groups, groups)
    pairs = [*zip(saved_groups, groups)]
    by_number = {i: p for old, new in pairs for i, p in zip(old["params"], new["params"])}
    state = {}
    for number, entries in saved["state"].items():
        p = by_number[number]
        state[p] = {k: copy_entry(p, k, v) for k, v in entries.items() if v is not None}
    return state, [{**old, "params": new["params"]} for old, new in pairs]


def require_same_groups(saved: list[Group], groups: list[Group]) -> None:
    """Refuse a state of other groups."""
    if len(saved) != len(groups):
        raise ValueError(
            "loaded state dict has a different number of parameter groups:"
            f" {len(saved)}, where this optimizer has {len(groups)}"
        )
    for i, (old, new) in enumerate(zip(saved, groups)):
        if len(old["params"]) != len(new["params"]):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of"
                f" optimizer's group: group {i} has {len(old['params'])} parameters in the state"
                f" and {len(new['params'])} here"
            )


def copy_entry(p: Tensor, name: str, value: Any) -> Any:
    """A copy of an entry of the state, in the dtype of its parameter; counts are float32."""
    if name == "step":
        return handle(np.array(getattr(value, "value", value), np.float32))
    if not isinstance(value, Tensor):
        return copy.deepcopy(value)
    if value.dtype.kind == "f":
        return handle(np.array(value.value, p.dtype))
    return handle(np.array(value.value))
