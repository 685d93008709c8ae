"""Control-flow graphs as text for people, Graphviz, Mermaid and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ramify.cfg import queries
from ramify.cfg.graph import Block, FlowEdge, FlowGraph

JSON_VERSION = 1


def render(graphs: Sequence[FlowGraph], output_format: str, name: str) -> str:
    """All graphs in one of `FORMATS`; `name` is what the user asked for."""
    return FORMATS[output_format](graphs, name)


# -- text -------------------------------------------------------------------------------------------


def text(graphs: Sequence[FlowGraph], name: str) -> str:
    return "\n\n".join("\n".join(_text_lines(graph)) for graph in graphs) + "\n"


def _text_lines(graph: FlowGraph) -> Iterator[str]:
    scope = graph.scope
    live = queries.reachable(graph)
    where = _lines(scope.line, scope.end_line)
    counts = ", ".join(
        (
            _count(len(graph.blocks), "block"),
            _count(len(graph.by_branch), "branch"),
            f"complexity {queries.complexity(graph)}",
        )
    )
    title = scope.qualname if graph.kind == "module" else f"{graph.kind} {scope.qualname}"
    yield f"{title}, {where}: {counts}"
    for dead in queries.dead_code(graph):
        yield f"  never runs: {_lines(dead.first_line, dead.last_line)}, because {dead.reason}"
    for block in graph.blocks:
        yield ""
        # That a function never returns is no mistake that needs pointing out.
        reached = "" if block.index in live or block.kind == "exit" else "  (never reached)"
        yield f"  {_title(block)}{reached}"
        for part in block.parts:
            indent = "    " if part.role == "operand" else "  "
            more = "... " if part.role == "rest" else ""
            yield f"   {part.span.line:>4}{indent}{more}{part.text}"
        for edge in graph.out_edges[block.index]:
            yield f"      {_text_edge(edge, graph)}"


def _text_edge(edge: FlowEdge, graph: FlowGraph) -> str:
    branch = "" if edge.branch is None else f" [{edge.branch}]"
    notes = "".join(
        f", {word} {reason!r}" for word, reason in (("noting", edge.enter), ("if noted", edge.leave)) if reason
    )
    return f"{edge.kind}{branch} -> {_name(graph.blocks[edge.target])}{notes}: {edge.cause}"


def _name(block: Block) -> str:
    if block.kind == "code":
        return f"B{block.index}"
    return f"raise {block.label}" if block.kind == "raise" else block.label


def _title(block: Block) -> str:
    if block.kind != "code" or not block.parts:
        return _name(block)
    return f"{_name(block)}, {_lines(block.first_line, block.last_line)}"


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _count(number: int, noun: str) -> str:
    plural = "es" if noun.endswith("ch") else "s"
    return f"{number} {noun}{'' if number == 1 else plural}"


# -- pictures ---------------------------------------------------------------------------------------


def dot(graphs: Sequence[FlowGraph], name: str) -> str:
    lines = [f"digraph {_dot_quoted(name)} {{", "  node [shape=box, fontname=monospace];"]
    for number, graph in enumerate(graphs):
        live = queries.reachable(graph)
        lines.append(f"  subgraph cluster_{number} {{")
        lines.append(f"    label={_dot_quoted(f'{graph.kind} {graph.scope.qualname}')};")
        for block in graph.blocks:
            shape = "" if block.kind == "code" else ", shape=oval"
            style = "" if block.index in live else ", style=dashed"
            # Lines in a label are ended by \l, which also aligns them to the left.
            label = "".join(_dot_escaped(line) + "\\l" for line in _picture_lines(block))
            lines.append(f'    g{number}b{block.index} [label="{label}"{shape}{style}];')
        for edge in graph.edges:
            style = ", style=dotted" if edge.implicit else ""
            lines.append(
                f"    g{number}b{edge.source} -> g{number}b{edge.target} "
                f"[label={_dot_quoted(edge.kind)}, tooltip={_dot_quoted(edge.cause)}{style}];"
            )
        lines.append("  }")
    return "\n".join([*lines, "}"]) + "\n"


def _dot_escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def _dot_quoted(value: str) -> str:
    return f'"{_dot_escaped(value)}"'


def mermaid(graphs: Sequence[FlowGraph], name: str) -> str:
    lines = ["flowchart TD"]
    for number, graph in enumerate(graphs):
        lines.append(f'  subgraph g{number}["{_mermaid_escaped(f"{graph.kind} {graph.scope.qualname}")}"]')
        for block in graph.blocks:
            label = "<br/>".join(_mermaid_escaped(line) for line in _picture_lines(block))
            left, right = ("[", "]") if block.kind == "code" else ("([", "])")
            lines.append(f'    g{number}b{block.index}{left}"{label}"{right}')
        for edge in graph.edges:
            arrow = "-.->" if edge.implicit else "-->"
            lines.append(f'    g{number}b{edge.source} {arrow}|"{edge.kind}"| g{number}b{edge.target}')
        lines.append("  end")
    return "\n".join(lines) + "\n"


def _mermaid_escaped(value: str) -> str:
    """Entity codes for all that Mermaid, Markdown or HTML could read as markup."""
    return "".join(
        # Quotes, brackets and the like end a label in Mermaid, also inside quotes.
        char if char.isalnum() or char in " _.,:=+-/()" or ord(char) > 127 else f"#{ord(char)};"
        for char in value.replace("\n", " ")
    )


def _picture_lines(block: Block) -> list[str]:
    shown = [f"{part.span.line}: {part.text}" for part in block.parts if part.role != "rest"]
    return shown or [_name(block)]


# -- JSON -------------------------------------------------------------------------------------------


def as_json(graphs: Sequence[FlowGraph], name: str) -> str:
    document = {"version": JSON_VERSION, "target": name, "graphs": [graph_data(graph) for graph in graphs]}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def graph_data(graph: FlowGraph) -> dict[str, Any]:
    """A graph as plain data; docs/cfg.md says what the fields mean."""
    live = queries.reachable(graph)
    scope = graph.scope
    return {
        "name": scope.qualname,
        "kind": graph.kind,
        "line": scope.line,
        "end_line": scope.end_line,
        "complexity": queries.complexity(graph),
        "blocks": [_block_data(block, block.index in live) for block in graph.blocks],
        "edges": [_edge_data(edge) for edge in graph.edges],
        "loops": [{"header": loop.header, "blocks": sorted(loop.blocks)} for loop in queries.loops(graph)],
        "dead_code": [
            {"first_line": dead.first_line, "last_line": dead.last_line, "reason": dead.reason}
            for dead in queries.dead_code(graph)
        ],
    }


def _block_data(block: Block, reachable: bool) -> dict[str, Any]:
    return {
        "index": block.index,
        "kind": block.kind,
        "label": _name(block),
        "reachable": reachable,
        "parts": [
            {
                "role": part.role,
                "text": part.text,
                "line": part.span.line,
                "column": part.span.column,
                "end_line": part.span.end_line,
                "end_column": part.span.end_column,
            }
            for part in block.parts
        ],
    }


def _edge_data(edge: FlowEdge) -> dict[str, Any]:
    return {
        "source": edge.source,
        "target": edge.target,
        "kind": edge.kind,
        "line": edge.line,
        "branch": edge.branch,
        "cause": edge.cause,
        "never": edge.never,
        "enter": edge.enter,
        "leave": edge.leave,
        "implicit": edge.implicit,
    }


FORMATS: dict[str, Callable[[Sequence[FlowGraph], str], str]] = {
    "text": text,
    "dot": dot,
    "mermaid": mermaid,
    "json": as_json,
}
