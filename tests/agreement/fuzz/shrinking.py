"""Makes a program that fails short: what is left has the same kind of failure."""

from .running import Run


def shrunk(run):
    """The shortest run found that fails in the way `run` does, by leaving statements out."""
    best, again = run, True
    while again:
        again = False
        for i in reversed(range(len(best.statements) - 1)):
            found = rerun(run.torch, best.statements[:i] + best.statements[i + 1 :])
            if fails_alike(found, run):
                best, again = found, True
    return best


def rerun(torch, statements):
    """A program run anew, up to the first disagreement."""
    run = Run(torch)
    for s in statements:
        if run.ended:
            break
        run.step(s)
    return run


def fails_alike(found, wanted):
    """Whether two runs end in a disagreement of one kind that is no departure."""
    if found.disagreement is None or found.disagreement.kind == "name":
        return False
    return (
        found.disagreement.kind == wanted.disagreement.kind
        and found.departure is wanted.departure
        and found.disagreement.statement == wanted.disagreement.statement
    )
