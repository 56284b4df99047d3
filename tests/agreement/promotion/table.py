"""The table of what torch makes of all calls, one letter for each, and where it is kept."""

import string
from pathlib import Path

PATH = Path(__file__).with_name("outcomes_of_torch.txt")
LETTERS = string.ascii_letters + string.digits + string.punctuation.replace("\\", "")


def written(words_by_call):
    """A table as text: what each letter says, then a line for each call."""
    words = sorted({word for words in words_by_call.values() for word in words})
    letters = dict(zip(words, LETTERS + extra(len(words)), strict=False))
    head = [f"{letter} {word}" for word, letter in letters.items()]
    rows = [
        f"{''.join(letters[word] for word in words)} {call}"
        for call, words in words_by_call.items()
    ]
    return "\n".join([*head, "", *rows, ""])


def extra(count):
    """More letters, if there are more words than are on a keyboard."""
    return "".join(chr(0x100 + i) for i in range(max(0, count - len(LETTERS))))


def read():
    """The words for each call."""
    head, rows = PATH.read_text(encoding="utf-8").split("\n\n")
    words = dict(line.split(" ", 1) for line in head.split("\n"))
    found = {}
    for row in rows.strip("\n").split("\n"):
        letters, call = row.split(" ", 1)
        found[call] = [words[letter] for letter in letters]
    return found
