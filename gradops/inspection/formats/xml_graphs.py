"""GraphML and GEXF, which networkx, yEd and Gephi read: the facts of `to_networkx` as XML.

networkx writes both, too, but takes ten times as long as is needed for large graphs.
"""

from collections.abc import Iterator
from functools import lru_cache
from html import escape

from ..model import GraphView
from .labels import visible
from .networkx import Facts, node_facts

ATTRIBUTES = {
    "op": "string", "name": "string", "type": "string", "role": "string", "scope": "string",
    "line": "string", "attrs": "string", "value": "string", "cause": "long", "outputs": "string",
    "labels": "string", "saved": "string", "nbytes": "long",
}  # fmt: skip
DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'


@lru_cache(maxsize=4096)
def text_of(value: object) -> str:
    """A fact as XML has it."""
    return escape(visible(value)) if isinstance(value, str) else str(value)


def to_graphml(view: GraphView) -> str:
    """The view as GraphML, of the outermost graph; edges have the positions of operands."""
    return DECLARATION + "\n".join(graphml_lines(view)) + "\n"


def graphml_lines(view: GraphView) -> Iterator[str]:
    """The lines of GraphML."""
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    yield '<key id="title" for="graph" attr.name="name" attr.type="string"/>'
    yield '<key id="position" for="edge" attr.name="position" attr.type="long"/>'
    for name, kind in ATTRIBUTES.items():
        yield f'<key id="{name}" for="node" attr.name="{name}" attr.type="{kind}"/>'
    yield f'<graph edgedefault="directed"><data key="title">{text_of(view.title)}</data>'
    for i, facts in node_facts(view):
        data = "".join([f'<data key="{k}">{text_of(v)}</data>' for k, v in facts.items()])
        yield f'<node id="{i}">{data}</node>'
    for n in view.nodes:
        for position, i in enumerate(n.inputs):
            yield (
                f'<edge source="{i}" target="{n.id}" id="{position}">'
                f'<data key="position">{position}</data></edge>'
            )
    yield "</graph></graphml>"


def to_gexf(view: GraphView) -> str:
    """The view as GEXF, of the outermost graph; edges have the positions of operands."""
    return DECLARATION + "\n".join(gexf_lines(view)) + "\n"


def gexf_lines(view: GraphView) -> Iterator[str]:
    """The lines of GEXF."""
    yield '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2">'
    yield f"<meta><description>{text_of(view.title)}</description></meta>"
    yield '<graph defaultedgetype="directed" mode="static">'
    yield '<attributes class="node" mode="static">'
    for name, kind in ATTRIBUTES.items():
        yield f'<attribute id="{name}" title="{name}" type="{kind}"/>'
    yield '</attributes>\n<attributes class="edge" mode="static">'
    yield '<attribute id="position" title="position" type="long"/>\n</attributes>\n<nodes>'
    yield from (gexf_node(i, facts) for i, facts in node_facts(view))
    yield "</nodes>\n<edges>"
    number = 0
    for n in view.nodes:
        for position, i in enumerate(n.inputs):
            yield (
                f'<edge id="{number}" source="{i}" target="{n.id}"><attvalues>'
                f'<attvalue for="position" value="{position}"/></attvalues></edge>'
            )
            number += 1
    yield "</edges>\n</graph>\n</gexf>"


def gexf_node(i: int, facts: Facts) -> str:
    """A node of GEXF, which has the name as its label."""
    values = "".join([f'<attvalue for="{k}" value="{text_of(v)}"/>' for k, v in facts.items()])
    return f'<node id="{i}" label="{text_of(facts["name"])}"><attvalues>{values}</attvalues></node>'
