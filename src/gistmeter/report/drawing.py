"""How pictures look, and what of a renderer's SVG may go into a page.

Colours are the palette of Okabe and Ito (2008), which colour-blind readers can tell apart; systems
also differ in shape. In the SVG they become CSS variables, so that a picture follows the page into
dark mode. What comes back from the renderer is parsed, and only drawing elements go on: a label
cannot bring in anything else.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

PALETTE = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7f6df2", "#8c6d31",
)  # fmt: skip
INK, MUTED, LINE = "#111213", "#717273", "#d1d2d3"
BETTER, WORSE, EVEN = "#cfe3f1", "#f8dcc8", "#e9e9e7"
VARIABLES = {
    **{colour: f"var(--c{at})" for at, colour in enumerate(PALETTE)},
    INK: "var(--ink)", MUTED: "var(--muted)", LINE: "var(--line)",
    BETTER: "var(--better)", WORSE: "var(--worse)", EVEN: "var(--even)",
}  # fmt: skip
FONT = "system-ui, 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', sans-serif"
SVG = "{http://www.w3.org/2000/svg}"
DRAWING = {
    "svg", "g", "path", "line", "rect", "text", "tspan", "circle", "defs", "clipPath",
    "linearGradient", "stop",
}  # fmt: skip
ATTRIBUTES = {
    "d", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "width", "height", "viewBox",
    "transform", "fill", "stroke", "stroke-width", "stroke-opacity", "fill-opacity", "opacity",
    "stroke-dasharray", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "text-anchor",
    "font-family", "font-size", "font-weight", "font-style", "clip-path", "id", "dy", "dx",
    "offset", "stop-color", "gradientUnits",
}  # fmt: skip
PLACES = {"d", "transform", "x", "y", "x1", "x2", "y1", "y2", "width", "height"}
UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
MAX_LABEL = 28


def label(text: str) -> str:
    """A name short enough for an axis, without control or direction characters."""
    cleaned = UNSAFE.sub("\ufffd", text)
    return cleaned if len(cleaned) <= MAX_LABEL else cleaned[: MAX_LABEL - 1] + "…"


def unique_labels(names: Sequence[str]) -> dict[str, str]:
    """Each name's label, told apart by a number where two would look alike."""
    taken: set[str] = set()
    found: dict[str, str] = {}
    for at, name in enumerate(names, start=1):
        short = label(name) or "∅"
        found[name] = short if short not in taken else f"{short[: MAX_LABEL - 4]} #{at}"
        taken.add(found[name])
    return found


def _configured(chart: Any) -> dict[str, Any]:
    text = {"labelFont": FONT, "titleFont": FONT, "labelFontSize": 12, "titleFontSize": 12}
    specification: dict[str, Any] = (
        chart.configure(
            background="transparent",
            font=FONT,
            padding={"left": 8, "right": 26, "top": 4, "bottom": 4},
        )
        .configure_axis(
            **text, labelColor=INK, titleColor=MUTED, titleFontWeight="normal", gridColor=LINE,
            domainColor=LINE, tickColor=LINE, tickCount=5,
        )
        .configure_legend(**text, labelColor=INK, titleColor=MUTED, symbolStrokeWidth=0)
        .configure_view(stroke=None)
        .to_dict()
    )  # fmt: skip
    return specification


def _convert(chart: Any) -> str:
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(_configured(chart))
    return svg


def render(chart: Any) -> str:
    """SVG for the page: drawing elements only, colours as CSS variables."""
    return clean(_convert(chart))


def image(chart: Any) -> str:
    """An SVG that stands alone, for an <img>: greys that read on light and dark."""
    svg = clean(_convert(chart), variables=False, joined=True)
    return svg.replace(INK, "#7d838c").replace(MUTED, "#7d838c").replace(LINE, "#8a8f9655")


def clean(svg: str, *, variables: bool = True, joined: bool = False) -> str:
    """What may go on of a renderer's SVG: known elements with known attributes.

    With `joined`, neighbouring shapes of one colour become one, which makes heat maps small.
    """
    ElementTree.register_namespace("", SVG[1:-1])
    root = ElementTree.fromstring(svg)  # noqa: S314  (our renderer's output, no DTD)
    _prune(root)
    if joined:
        _join(root)
    root.set("role", "img")
    for name in ("width", "height"):
        if name in root.attrib and variables:
            root.set(f"data-{name}", root.attrib[name])
    text = ElementTree.tostring(root, encoding="unicode")
    # Several pictures share a page: names inside them must not meet.
    mark = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
    text = re.sub(r'(\bid="|url\(#)', rf"\g<1>{mark}-", text)
    if variables:
        for colour, variable in VARIABLES.items():
            text = re.sub(f'"{colour}"', f'"{variable}"', text, flags=re.IGNORECASE)
    return text


def _join(element: ElementTree.Element) -> None:
    """Give filled shapes of one group and colour one path: they touch, but never overlap."""
    first: dict[str, ElementTree.Element] = {}
    for child in list(element):
        _join(child)
        if child.tag == f"{SVG}path" and set(child.attrib) == {"d", "fill"}:
            kept = first.setdefault(child.attrib["fill"], child)
            if kept is not child:
                kept.set("d", kept.attrib["d"] + child.attrib["d"])
                element.remove(child)


def _prune(element: ElementTree.Element) -> None:
    for name, value in list(element.attrib.items()):
        outside = "url(" in value and not value.startswith("url(#")
        if name not in ATTRIBUTES or outside:
            del element.attrib[name]
        elif name in PLACES:
            element.set(name, re.sub(r"(\d\.\d\d)\d+", r"\1", value))
    for child in list(element):
        hidden = child.get("display") == "none" or child.get("d") in ("", "M0,0h0v0h0Z")
        if child.tag.removeprefix(SVG) not in DRAWING or hidden:
            element.remove(child)
        else:
            _prune(child)
