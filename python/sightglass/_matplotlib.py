"""Results as pictures of matplotlib: for figures that hold other things as well, and for journals that want its look.

The common shapes only, in the style that is set in matplotlib; `plot` draws all of them, with everything that there is to beware of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ._errors import UsageError
from .shapes import Attributions, Curve, Curves, Importance, Interaction, Surface

#: What a panel shows is drawn by the second of these from the items that the first puts together.
Panel = tuple[Callable[..., None], list[Any]]

#: Bars of a ranking; what is less important is left out, which the axis says.
MOST_BARS = 25
#: Standard errors on each side of a curve or bar.
ERRORS = 1.96
WORDS = {"mean": "mean prediction", "effect": "effect on the prediction", "slope": "slope of the prediction"}


class About(NamedTuple):
    """What a picture says of the data."""

    target: str
    #: By feature that has dates: what its numbers count.
    dates: Mapping[str, Mapping[str, str]]

    def on_axis(self, feature: str, numbers: Any) -> Any:
        """Dates as NumPy's; other numbers as they are."""
        import numpy as np

        kind = self.dates.get(feature)
        if kind is None:
            return np.asarray(numbers, float)
        micros = np.asarray(numbers, float) * (86_400e6 if kind["unit"] == "days" else 1e6)
        micros[~np.isfinite(micros)] = np.nan
        return np.rint(micros).astype("datetime64[us]")

    def spelled(self, feature: str, number: float) -> str:
        if feature not in self.dates:
            return f"{number:.4g}"
        day = self.dates[feature].get("detail") == "day"
        return str(self.on_axis(feature, [number])[0].astype("datetime64[D]" if day else "datetime64[s]"))


def draw(items: Iterable[Any], ax: Any, data: Mapping[str, Any]) -> Any:
    """The axes that were drawn into: one, or an array of them."""
    import numpy as np

    drawn = panels(items)
    about = About(data.get("target", ""), data.get("dates", {}))
    if not drawn:
        raise UsageError(
            "the result has nothing that to_matplotlib draws: curves, surfaces, rankings, values of single rows",
            "plot() draws it",
        )
    bars = max(len(members) for _, members in drawn)
    places = own_axes(len(drawn), min(bars, MOST_BARS)) if ax is None else given_axes(ax, len(drawn))
    for (draw_panel, members), place in zip(drawn, places, strict=True):
        draw_panel(place, members, about)
    return places[0] if len(places) == 1 else np.array(places, dtype=object)


def panels(items: Iterable[Any]) -> list[Panel]:
    """Items that share axes, in the order in which the first of each comes."""
    found: dict[Any, Panel] = {}
    for item in items:
        if isinstance(item, Curve):
            key, draw_panel = (item.feature, item.measure), draw_curves
        elif isinstance(item, Curves):
            key, draw_panel = (item.feature, item.output, item.group), draw_single_rows
        elif isinstance(item, Surface):
            key, draw_panel = (*item.features, item.output, item.group), draw_surface
        elif isinstance(item, Importance):
            key, draw_panel = (item.measure, item.output, item.group), draw_importance
        elif isinstance(item, Interaction):
            key, draw_panel = (len(item.features), item.output, item.group), draw_interactions
        elif isinstance(item, Attributions):
            key, draw_panel = (item.output, item.group), draw_attributions
        else:
            continue
        found.setdefault((type(item).__name__, key), (draw_panel, []))[1].append(item)
    return list(found.values())


def own_axes(count: int, bars: int) -> list[Any]:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise UsageError(
            "to_matplotlib needs matplotlib, which is not installed", "pip install matplotlib, or use plot()"
        ) from None
    columns = min(count, 3)
    rows = -(-count // columns)
    size = (6.4 if count == 1 else 4 * columns, max(4, bars / 4) * rows)
    figure, grid = pyplot.subplots(rows, columns, squeeze=False, layout="constrained", figsize=size)
    axes = list(grid.flat)
    for unused in axes[count:]:
        figure.delaxes(unused)
    return axes[:count]


def given_axes(ax: Any, count: int) -> list[Any]:
    axes = list(getattr(ax, "flat", ax)) if hasattr(ax, "__len__") or hasattr(ax, "flat") else [ax]
    if not all(hasattr(place, "plot") for place in axes):
        raise UsageError(f"ax: {type(ax).__name__} is no axes of matplotlib", "leave ax out to have new ones")
    if len(axes) != count:
        raise UsageError(
            f"ax: there {'is' if len(axes) == 1 else 'are'} {len(axes)}, but the result has {count} pictures",
            "give one for each, choose some with result.select(name), or leave ax out",
        )
    return axes


def draw_curves(ax: Any, curves: Sequence[Curve], about: About) -> None:
    first = curves[0]
    names = [line_name(curve, curves) for curve in curves]
    for curve, name in zip(curves, names, strict=True):
        effect = getattr(curve, "effect", None)
        values = curve.mean if effect is None else effect
        known = (getattr(curve, key, None) for key in ("se_shape", "se"))
        errors = next((e for e in known if e is not None and len(e) == len(values)), None)
        if is_text(curve.grid):
            bars = None if errors is None else ERRORS * errors
            ax.errorbar(levels_of(curve.grid), values, yerr=bars, fmt="o", capsize=3, label=name)
        else:
            places = about.on_axis(curve.feature, curve.grid)
            [line] = ax.plot(places, values, label=name)
            if errors is not None:
                low, high = values - ERRORS * errors, values + ERRORS * errors
                ax.fill_between(places, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
    label_feature(ax, first)
    outputs = {curve.output for curve in curves}
    ax.set_ylabel(
        of_what(WORDS.get(first.measure, first.measure), first.output if len(outputs) == 1 else "", about.target)
    )
    if any(names):
        ax.legend()


def line_name(curve: Curve, curves: Sequence[Curve]) -> str:
    """What tells a line from the others."""
    parts = [
        str(getattr(curve, key))
        for key in ("output", "group", "series")
        if len({getattr(other, key) for other in curves}) > 1
    ]
    return " · ".join(parts)


def draw_single_rows(ax: Any, items: Sequence[Curves], about: About) -> None:
    [item] = items
    count = len(item.values)
    faint = min(0.6, max(0.1, 32 / max(count, 1)))
    grid = levels_of(item.grid) if is_text(item.grid) else about.on_axis(item.feature, item.grid)
    for values in item.values:
        ax.plot(grid, values, color="C0", alpha=faint, linewidth=0.8)
    mean = getattr(item, "mean", None)
    if mean is not None and len(mean):
        ax.plot(grid, mean, color="C1", linewidth=2, label="mean")
        ax.legend()
    label_feature(ax, item)
    centred = getattr(item, "anchor", None) is not None
    what = "slope of the prediction" if item.derivative else "change of the prediction" if centred else "prediction"
    ax.set_ylabel(of_what(what, item.output, about.target))


def draw_surface(ax: Any, items: Sequence[Surface], about: About) -> None:
    import numpy as np

    [item] = items
    axes = [
        np.arange(len(grid)) if is_text(grid) else about.on_axis(feature, grid)
        for feature, grid in zip(item.features, item.grid, strict=True)
    ]
    values = np.ma.masked_invalid(np.asarray(item.mean, float))
    for cell in item.empty if item.empty is not None else ():
        values[tuple(int(place) for place in cell)] = np.ma.masked
    mesh = ax.pcolormesh(axes[0], axes[1], values.T, shading="nearest")
    for which, axis in enumerate((ax.xaxis, ax.yaxis)):
        if is_text(item.grid[which]):
            axis.set_ticks(axes[which], levels_of(item.grid[which]))
        unit = item.units[which] if item.units else ""
        axis.set_label_text(item.features[which] + (f" ({unit})" if unit else ""))
    words = WORDS.get(item.measure, item.measure)
    ax.figure.colorbar(mesh, ax=ax, label=of_what(words, item.output, about.target))


def draw_importance(ax: Any, items: Sequence[Importance], about: About) -> None:
    known = [item for item in items if item.importance is not None and item.importance == item.importance]
    known.sort(key=lambda item: -item.importance)
    errors = [
        [distance(item.importance, getattr(item, end, None)) for item in known[:MOST_BARS]] for end in ("low", "high")
    ]
    draw_bars(ax, [item.feature for item in known], [item.importance for item in known], errors)
    ax.set_xlabel(of_what(items[0].measure, items[0].output, ""))


def draw_interactions(ax: Any, items: Sequence[Interaction], about: About) -> None:
    known = sorted((item for item in items if item.strength is not None), key=lambda item: -item.strength)
    draw_bars(ax, [" × ".join(item.features) for item in known], [item.strength for item in known], None)
    ax.set_xlabel(of_what("strength of interaction", items[0].output, about.target))


def draw_attributions(ax: Any, items: Sequence[Attributions], about: About) -> None:
    """Of one row a waterfall, of more what each feature adds to each."""
    import numpy as np

    [item] = items
    values = np.asarray(item.values)
    order = np.argsort(-np.abs(values).mean(axis=0), kind="stable")[:MOST_BARS]
    names = [feature.feature for feature in item.features]
    places = np.arange(len(order))
    if len(item.rows) == 1:
        rest = values[0].sum() - values[0, order].sum()
        steps = values[0, order]
        labels = [f"{names[k]} = {value_of(item, 0, k, about)}" for k in order]
        if len(order) < len(names):
            steps, places, labels = np.append(steps, rest), np.arange(len(order) + 1), [*labels, "all others"]
        # From the average up to the prediction, which stands on top: the largest step is the last.
        begins = item.predictions[0] - np.cumsum(steps)
        ax.barh(places, steps, left=begins, color=np.where(steps < 0, "C0", "C3"))
        for x, style in ((item.base, ":"), (item.predictions[0], "--")):
            ax.axvline(x, color="0.5", linestyle=style, linewidth=1)
        ax.set_title(f"row {item.rows[0]}: {item.predictions[0]:.4g}, on average {item.base:.4g}", fontsize="medium")
        ax.set_xlabel(of_what("prediction", item.output, about.target))
    else:
        labels = [names[k] for k in order]
        spread = np.linspace(-0.3, 0.3, len(values))
        for place, k in enumerate(order):
            level = np.argsort(np.argsort(item.data[:, k], kind="stable"), kind="stable")
            ax.scatter(values[:, k], place + spread[level], c=level, s=8, cmap="coolwarm", linewidths=0)
        ax.axvline(0, color="0.5", linewidth=1)
        ax.set_xlabel(
            of_what("what a feature adds to the prediction", item.output, about.target) + "\n(red: higher values)"
        )
    ax.set_yticks(places, labels)
    ax.invert_yaxis()


def draw_bars(ax: Any, names: list[str], values: list[float], errors: Any) -> None:
    shown = min(len(names), MOST_BARS)
    ax.barh(range(shown), values[:shown], xerr=errors, error_kw={"elinewidth": 1})
    ax.set_yticks(range(shown), names[:shown])
    ax.invert_yaxis()
    if shown < len(names):
        ax.set_ylabel(f"the first {shown} of {len(names)}")


def distance(value: float, end: float | None) -> float:
    return 0.0 if end is None or end != end else abs(end - value)


def value_of(item: Attributions, row: int, feature: int, about: About) -> str:
    described, value = item.features[feature], item.data[row][feature]
    if value != value:
        return "missing"
    levels = getattr(described, "levels", None)
    return about.spelled(described.feature, value) if levels is None else str(levels[int(value)])


def is_text(grid: Any) -> bool:
    return not hasattr(grid, "dtype") or grid.dtype.kind not in "fiub"


def levels_of(grid: Iterable[Any]) -> list[str]:
    return ["missing" if level is None else str(level) for level in grid]


def label_feature(ax: Any, item: Any) -> None:
    ax.set_xlabel(item.feature + (f" ({item.unit})" if getattr(item, "unit", "") else ""))
    if is_text(item.grid) and sum(map(len, levels_of(item.grid))) > 40:
        ax.tick_params(axis="x", labelrotation=30)


def of_what(what: str, output: str, target: str) -> str:
    """ "mean prediction of rentals": of the class or output, else of what is predicted."""
    of = target if output in ("", "prediction") else output
    return f"{what} of {of}" if of else what
