"""Relocations: the places in code where addresses are filled in.

Note [Relocations]. A relocation names a symbol, and how bits of an instruction, or of data, follow
from its address: as it is, or as the distance from the place. Code reaches what is not near through
a table of addresses (GOT), and calls it through a stub, which jumps to the address at its end.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from .elf import Unloadable

X86, ARM = 62, 183  # machines of ELF, of 64 bits
PAGE = 0xFFF


class Rule(NamedTuple):
    """The bits at a place, of a symbol's address `S`, of its slot `G` or of its stub `L`.

    The number is taken as it is, as the distance from the place, or from page to page. Of it,
    without its last `shift` bits, `fields` says how many bits go where, the lowest first.
    """

    source: str
    taken: str = "distance"
    width: int = 4
    shift: int = 0
    fields: tuple[tuple[int, int], ...] = ((32, 0),)
    checked: bool = True  # the number must fit into the fields


WHOLE = ((64, 0),)
OF_PAGE = ((2, 29), (19, 5))


def low_bits(source: str, shift: int) -> Rule:
    """The rule for the last bits of an address, in an instruction that reads so many bytes."""
    return Rule(source, "within page", 4, shift, ((12 - shift, 10),), checked=False)


RULES: Mapping[int, Mapping[int, Rule]] = {
    X86: {
        1: Rule("S", "address", 8, fields=WHOLE), 24: Rule("S", width=8, fields=WHOLE),
        2: Rule("S"), 4: Rule("L"), 9: Rule("G"), 41: Rule("G"), 42: Rule("G"),
    },
    ARM: {
        257: Rule("S", "address", 8, fields=WHOLE), 260: Rule("S", width=8, fields=WHOLE),
        261: Rule("S"), 282: Rule("L", shift=2, fields=((26, 0),)),
        283: Rule("L", shift=2, fields=((26, 0),)),
        275: Rule("S", "pages", 4, 12, OF_PAGE), 311: Rule("G", "pages", 4, 12, OF_PAGE),
        277: low_bits("S", 0), 278: low_bits("S", 0), 284: low_bits("S", 1),
        285: low_bits("S", 2), 286: low_bits("S", 3), 299: low_bits("S", 4),
        312: low_bits("G", 3),
    },
}  # fmt: skip
"""By machine, and by the number of the kind of relocation. See Note [Relocations]."""
STUBS: Mapping[int, tuple[bytes, int]] = {
    X86: (bytes.fromhex("ff2500000000"), 6),  # jmp [rip], of what follows
    ARM: (bytes.fromhex("50000058 00021fd6"), 8),  # ldr x16, of what follows; br x16
}
"""By machine, the beginning of a stub, and where in it the address lies."""


def rule_for(machine: int, kind: int) -> Rule:
    """The rule of a relocation; raises Unloadable for one that is not known."""
    rule = RULES.get(machine, {}).get(kind)
    if rule is None:
        raise Unloadable(f"relocation {kind} of machine {machine} is not known")
    return rule


def number_at(rule: Rule, target: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The bytes that are written for addresses of targets, at places."""
    match rule.taken:
        case "address":
            return target
        case "distance":
            return target - place
        case "pages":
            return (target & ~PAGE) - (place & ~PAGE)
    return target & PAGE


def write(rule: Rule, memory: np.ndarray, at: np.ndarray, number: np.ndarray) -> None:
    """Write numbers into memory, at offsets."""
    number = number >> rule.shift
    if rule.checked and not fits(number, sum(count for count, _ in rule.fields)):
        raise Unloadable("an address is too far away")
    index = at[:, None] + np.arange(rule.width)
    words = memory[index].view(f"<u{rule.width}")[:, 0].astype(np.uint64)
    for count, bit in rule.fields:
        mask = np.uint64((1 << count) - 1)
        words &= ~(mask << np.uint64(bit))
        words |= (number.view(np.uint64) & mask) << np.uint64(bit)
        number = number >> min(count, 63)
    memory[index] = words.astype(f"<u{rule.width}")[:, None].view(np.uint8)


def fits(number: np.ndarray, bits: int) -> bool:
    """True if integers have so many bits, with the sign."""
    bound = 1 << (bits - 1)
    return bits == 64 or bool(np.all((-bound <= number) & (number < bound)))
