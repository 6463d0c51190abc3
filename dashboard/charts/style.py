"""What every figure shares: colours by token name, fonts, hover, and an empty figure that explains.

A colour is written `--token`; `chart.js` puts the computed colour of the reader's theme in its
place (`design` tokens in `static/css/tokens.css`), and tests do the same before plotly validates.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Trace: TypeAlias = dict[str, Any]
Figure: TypeAlias = dict[str, Any]

CLEAR = "rgba(0,0,0,0)"
FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif'
HATCH = {"shape": "/", "solidity": 0.3, "size": 7, "fgcolor": "#000000", "fgopacity": 0.34}
CHAR_PX = 6.3


def hatch(colour: str) -> dict[str, Any]:
    """Dark stripes on a colour, on which white text stays legible."""
    return {**HATCH, "bgcolor": colour}


def text_px(text: str) -> float:
    """Width of a label at 11 px, estimated."""
    return len(text) * CHAR_PX + 8


def base_layout(**more: Any) -> dict[str, Any]:
    """Layout that all figures start from: no title, no legend, no animation, own hover box."""
    return {
        "autosize": True,
        "showlegend": False,
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "font": {"family": FONT, "size": 11, "color": "--text-3"},
        "hoverlabel": {
            "bgcolor": "--surface",
            "bordercolor": "--edge",
            "align": "left",
            "font": {"family": FONT, "size": 11, "color": "--text"},
        },
        "dragmode": "zoom",
        "selectdirection": "h",
        **more,
    }


def empty(reason: str) -> Figure:
    """A figure without marks that says why it has none."""
    hidden = {"visible": False, "fixedrange": True}
    layout = base_layout(
        xaxis=hidden,
        yaxis=hidden,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        annotations=[
            {
                "text": reason,
                "showarrow": False,
                "xref": "paper",
                "yref": "paper",
                "x": 0.5,
                "y": 0.5,
                "font": {"size": 13, "color": "--text-2"},
            }
        ],
    )
    return {"data": [], "layout": layout}


def points(figure: Figure) -> int:
    """Number of marks in a figure: what the browser has to draw."""
    return sum(len(trace.get("x", ())) for trace in figure["data"])
