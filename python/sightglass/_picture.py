"""A Vega-Lite chart as SVG or PNG, by vl-convert.

The command line program holds this file, too, and runs it in whatever Python has vl-convert: it imports nothing else
of this package.
"""

import json
import re
import sys
from importlib.util import find_spec

#: Elements that are either drawn or filled, and are faint as a whole.
FAINT = re.compile(r'<(?:path|line|rect|circle)(?=[^>]* opacity=")[^>]*>')


def has_exporter():
    try:
        return find_spec("vl_convert") is not None
    except ValueError:  # it was put into sys.modules by hand
        return False


def picture(spec, form):
    """The bytes of a picture, svg or png, of a specification as text."""
    import vl_convert

    chart = json.loads(spec)
    chart["background"] = "white"  # readable on any page
    svg = FAINT.sub(faint_paint, vl_convert.vegalite_to_svg(chart))
    return svg.encode() if form == "svg" else vl_convert.svg_to_png(svg, scale=2)


def faint_paint(match):
    """Faint paint in place of a faint element, which is drawn on a canvas of its own: hundreds of curves take seconds."""
    element = match.group()
    painted = [kind for kind in ("fill", "stroke") if re.search(f' {kind}="(?!none|transparent)', element)]
    if len(painted) != 1 or f"{painted[0]}-opacity=" in element:
        return element
    return element.replace(' opacity="', f' {painted[0]}-opacity="')


def main():
    if not has_exporter():
        sys.exit(3)
    if sys.argv[1] != "probe":
        sys.stdout.buffer.write(picture(sys.stdin.read(), sys.argv[1]))


if __name__ == "__main__":
    main()
