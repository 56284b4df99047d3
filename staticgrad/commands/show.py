"""`show`: the text of a graph, or a summary."""

import argparse
from collections import Counter

from gradops.inspection.model import GraphView, Role

from ..export.formats import to_text
from ..export.view import graph_view
from .command_line import FINE, add_model, add_output, add_part, write_text
from .graphs import read_graph

EXAMPLES = (
    "model.sg",
    "model.sg --summary",
    "model.sg --part backward",
    "model.sg --no-lines | head",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add_model(parser)
    parser.add_argument("--summary", action="store_true", help="counts of nodes, inputs, bytes")
    parser.add_argument(
        "--no-lines", action="store_true", help="leave out the lines of the program"
    )
    parser.add_argument(
        "--arrays", action="store_true", help="write all entries of constants of more than 1,000"
    )
    add_part(parser)
    add_output(parser, "the text")


def command(options: argparse.Namespace) -> int:
    """Print a graph as text, an operation on each line.

    The text can be read again by all commands, of graphs with large constants with --arrays; that
    of a part is for people.
    """
    graph = read_graph(options.model)
    if options.summary:
        text = summary(graph_view(graph).part(options.part))
    else:
        text = to_text(graph, lines=not options.no_lines, arrays=options.arrays, part=options.part)
    write_text(text, options.output)
    return FINE


def summary(view: GraphView) -> str:
    """Inputs and outputs with their types, and how many nodes there are of each op."""
    lines = ["inputs:", *[f"  {view.by_id[i].name}: {view.by_id[i].type}" for i in view.inputs]]
    lines += ["outputs:"]
    lines += [f"  {n.outputs[0]}: {n.type}" for n in (view.by_id[i] for i in view.outputs)]
    lines += [f"  new {view.by_id[v].name}" for v, _ in view.updates]
    lines += [*counts(view), *[f"graph {name}: {len(g)} nodes" for name, g in view.graphs.items()]]
    return "\n".join(lines)


def counts(view: GraphView) -> list[str]:
    """How many nodes of each role and each op, and the bytes of parameters and constants."""
    roles = Counter(n.role for n in view.nodes)
    shown = ", ".join(f"{roles[role]} {role}" for role in Role if roles[role])
    held = sum(n.nbytes or 0 for n in view.nodes if n.role in (Role.PARAMETER, Role.CONSTANT))
    ops = Counter(n.op for n in view.nodes if not n.is_leaf)
    width = max(map(len, ops), default=0)
    lines = [f"{len(view)} nodes: {shown}", f"{held:,} bytes of parameters and constants"]
    return lines + [f"  {op.ljust(width)}  {count:>5}" for op, count in ops.most_common()]
