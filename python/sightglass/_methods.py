"""The methods of Explainer. Do not edit: written by tools/make_python_methods.py from the registry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Literal

    from ._result import Result


class Methods:
    """One method per question about a model."""

    #: All methods, by name.
    names: tuple[str, ...] = ("partial_dependence", "ice")

    def _run(self, method: str, options: dict[str, Any]) -> Result:
        raise NotImplementedError

    def partial_dependence(
        self,
        features: str | int | Sequence[str | int | tuple[str | int, str | int]] | None = None,
        *,
        grid: int = 64,
        grid_rule: Literal["quantiles", "uniform", "sklearn", "breakpoints", "values"] = "quantiles",
        values: float | Sequence[float] | None = None,
        pairs: str | Sequence[str | tuple[str | int, str | int]] | None = None,
        pair_grid: int = 24,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        sample: int | None = None,
        seed: int | None = None,
    ) -> Result:
        """How does the prediction change on average when one or two features are set to a value?

        PD_S(v) = mean over rows i of f(v, x_C^(i)). For a first look at the average effect of a feature that is
        not strongly tied to others.
        Not for features that are strongly correlated: rows are evaluated at values they could not have; use
        ALE.

        Parameters
        ----------
        features : str or sequence of str, optional
            Features to explain, by name or position; a tuple of two stands for a pair; default: all
            features that the model uses.
        grid : int, optional
            Grid points of a numeric feature, at the most.
        grid_rule : {"quantiles", "uniform", "sklearn", "breakpoints", "values"}, optional
            How the grid is laid: quantiles of the data, uniform, as scikit-learn, at every split of a tree
            model (breakpoints), or the given values.
        values : float or sequence of float, optional
            Grid of numeric features with grid_rule values.
        pairs : str or sequence of str, optional
            Pairs of features, as tuples or as first:second.
        pair_grid : int, optional
            Grid points per numeric feature of a pair, at the most.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions. As the explainer was told if not given.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.

        Returns
        -------
        Result

        Notes
        -----
        Cost: grid × rows predictions per feature, pair_grid² × rows per pair.
        Friedman 2001, Greedy function approximation: a gradient boosting machine.

        Examples
        --------
        >>> import numpy as np
        >>> import sightglass as sg
        >>> X = np.random.default_rng(0).uniform(size=(100, 3))
        >>> ex = sg.Explainer(lambda X: X[:, 0] * X[:, 1], X)
        >>> result = ex.partial_dependence(["x0", ("x0", "x1")], grid=5)
        >>> [item["type"] for item in result.results]
        ['curve', 'surface']
        """
        return self._run(
            "partial-dependence",
            {
                "features": features,
                "grid": grid,
                "grid_rule": grid_rule,
                "values": values,
                "pairs": pairs,
                "pair_grid": pair_grid,
                "output": output,
                "scale": scale,
                "sample": sample,
                "seed": seed,
            },
        )

    def ice(
        self,
        features: str | int | Sequence[str | int] | None = None,
        *,
        grid: int = 64,
        grid_rule: Literal["quantiles", "uniform", "sklearn", "breakpoints", "values"] = "quantiles",
        values: float | Sequence[float] | None = None,
        rows: int | Sequence[int] | None = None,
        curves: int = 250,
        center: bool = False,
        anchor: float | None = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        sample: int | None = None,
        seed: int | None = None,
    ) -> Result:
        """How does the prediction of each single row change when one feature is set to a value?

        ICE_i(v) = f(v, x_C^(i)); centred: minus its value at the anchor. For to see whether the average curve
        hides rows that react differently.
        Not for strongly correlated features: parts of each curve are at values the row could not have.

        Parameters
        ----------
        features : str or sequence of str, optional
            Features to explain, by name or position; default: all that the model uses.
        grid : int, optional
            Grid points of a numeric feature, at the most.
        grid_rule : {"quantiles", "uniform", "sklearn", "breakpoints", "values"}, optional
            How the grid is laid: quantiles of the data, uniform, as scikit-learn, at every split of a tree
            model (breakpoints), or the given values.
        values : float or sequence of float, optional
            Grid of numeric features with grid_rule values.
        rows : int or sequence of int, optional
            Only these rows, counted from 0.
        curves : int, optional
            Curves to keep, picked by quantiles of the prediction; 0 = all. Mean and bands are over all
            rows.
        center : bool, optional
            Subtract each curve's value at the anchor.
        anchor : float, optional
            Grid value at which centred curves are 0; default: the smallest.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions. As the explainer was told if not given.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.

        Returns
        -------
        Result

        Notes
        -----
        Cost: grid × rows predictions per feature.
        Goldstein, Kapelner, Bleich, Pitkin 2015, Peeking inside the black box.

        Examples
        --------
        >>> import numpy as np
        >>> import sightglass as sg
        >>> X = np.random.default_rng(0).uniform(size=(100, 3))
        >>> ex = sg.Explainer(lambda X: X[:, 0] * X[:, 1], X)
        >>> result = ex.ice("x0", rows=[3, 4], grid=5, center=True)
        >>> result.results[0]["rows"]
        [3, 4]
        """
        return self._run(
            "ice",
            {
                "features": features,
                "grid": grid,
                "grid_rule": grid_rule,
                "values": values,
                "rows": rows,
                "curves": curves,
                "center": center,
                "anchor": anchor,
                "output": output,
                "scale": scale,
                "sample": sample,
                "seed": seed,
            },
        )
