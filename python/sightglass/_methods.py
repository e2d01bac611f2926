"""The methods of Explainer. Do not edit: written by tools/make_python_methods.py from the registry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._errors import UsageError
from ._words import own_words

if TYPE_CHECKING:
    import os
    from typing import Literal

    from ._report import Report
    from ._result import Result


def _one_of(name: str, value: Any, default: Any, alias: str, same: Any) -> Any:
    """What was said under one of two names; a value that is the default was not said."""
    if same is None:
        return value
    if value != default:
        raise UsageError(f"option {name} is given twice", f"leave out its other name, {alias}")
    return same


class Methods:
    """One method per question about a model."""

    #: All methods, by name.
    names: tuple[str, ...] = (
        "partial_dependence",
        "ice",
        "regional_effects",
        "ale",
        "m_plot",
        "interactions",
        "decomposition",
        "performance",
        "confusion_matrix",
        "roc",
        "precision_recall",
        "calibration",
        "threshold",
        "residuals",
        "error_regions",
        "permutation_importance",
        "model_reliance",
        "pd_importance",
        "shap",
        "what_if",
        "lime",
        "lime_text",
        "lime_image",
        "anchors",
        "anchors_text",
        "counterfactuals",
        "intrinsic",
        "surrogate",
        "prototypes",
        "neighbors",
        "compare",
        "compare_models",
        "ranking",
        "explain_row",
        "scorecard",
    )

    def _run(self, method: str, options: dict[str, Any], out: str | os.PathLike[str] | None) -> Result:
        raise NotImplementedError

    def _report(self, path: Any, options: dict[str, Any]) -> Report:
        raise NotImplementedError

    @own_words
    def partial_dependence(
        self,
        features: str | int | Sequence[str | int | tuple[str | int, str | int]] | None = None,
        *,
        grid: int = 64,
        grid_resolution: int | None = None,
        grid_rule: Literal["quantiles", "uniform", "sklearn", "breakpoints", "values"] = "quantiles",
        values: Any = None,
        pairs: str | Sequence[str | tuple[str | int, str | int]] | None = None,
        pair_grid: int = 24,
        spread: bool = True,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """How does the prediction change on average when one or two features are set to a value?

        PD_S(v) = mean over rows i of f(v, x_C^(i)).
        When to use it: a first look at the average effect of a feature that is not strongly tied to others.
        When not to: features that are strongly correlated: rows are evaluated at values they could not have;
        use ALE.

        Parameters
        ----------
        features : str or sequence of str, optional
            Features to explain, by name or position; a tuple of two stands for a pair; default: all
            features that the model uses.
        grid : int, optional
            Grid points of a numeric feature, at the most.
        grid_resolution : int, optional
            The same as `grid`.
        grid_rule : {"quantiles", "uniform", "sklearn", "breakpoints", "values"}, optional
            How the grid is laid: quantiles of the data, uniform, as scikit-learn, at every split of a tree
            model (breakpoints), or the given values.
        values : float or date, or sequence of these, optional
            Grid of numeric features with grid_rule values: numbers, or dates (2020-01-31).
        pairs : str or sequence of str, optional
            Pairs of features, as tuples or as first:second.
        pair_grid : int, optional
            Grid points per numeric feature of a pair, at the most.
        spread : bool, optional
            Also how rows spread around the mean: sd, standard errors, heterogeneity; without them the means
            of a tree ensemble cost a few predictions of each row, whatever the grid.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

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
                "grid": _one_of("grid", grid, 64, "grid_resolution", grid_resolution),
                "grid_rule": grid_rule,
                "values": values,
                "pairs": pairs,
                "pair_grid": pair_grid,
                "spread": spread,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    pdp = partial_dependence

    @own_words
    def ice(
        self,
        features: str | int | Sequence[str | int] | None = None,
        *,
        grid: int = 64,
        grid_resolution: int | None = None,
        grid_rule: Literal["quantiles", "uniform", "sklearn", "breakpoints", "values"] = "quantiles",
        values: Any = None,
        rows: Any = None,
        curves: int = 250,
        center: bool = False,
        anchor: Any = None,
        derivative: bool = False,
        rows_from: Any = None,
        background_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """How does the prediction of each single row change when one feature is set to a value?

        ICE_i(v) = f(v, x_C^(i)); centred: minus its value at the anchor; derivative: (ICE_i(v_k+1) −
        ICE_i(v_k)) / (v_k+1 − v_k).
        When to use it: to see whether the average curve hides rows that react differently.
        When not to: strongly correlated features: parts of each curve are at values the row could not have.

        Parameters
        ----------
        features : str or sequence of str, optional
            Features to explain, by name or position; default: all that the model uses.
        grid : int, optional
            Grid points of a numeric feature, at the most.
        grid_resolution : int, optional
            The same as `grid`.
        grid_rule : {"quantiles", "uniform", "sklearn", "breakpoints", "values"}, optional
            How the grid is laid: quantiles of the data, uniform, as scikit-learn, at every split of a tree
            model (breakpoints), or the given values.
        values : float or date, or sequence of these, optional
            Grid of numeric features with grid_rule values: numbers, or dates (2020-01-31).
        rows : int or str or sequence of these, DataFrame, Table or array, optional
            These rows, counted from 0, or by their names (of the index, or of the explainer's `ids`); or a
            table of other rows, which are explained then (the same as rows_from).
        curves : int, optional
            Curves to keep, picked by quantiles of the prediction; 0 = all. Mean and bands are over all
            rows.
        center : bool, optional
            Subtract each curve's value at the anchor.
        anchor : float or date, or sequence of these, optional
            Grid value at which centred curves are 0, a number or a date; default: the smallest.
        derivative : bool, optional
            Slopes per grid step instead of curves: where they differ between rows, the feature interacts.
        rows_from : DataFrame, Table, relation, array, str or path, optional
            Another table whose rows are explained, all of them unless rows or explain say otherwise; what
            they are compared with comes from the data.
        background_data : DataFrame, Table, relation, array, str or path, optional
            Another table that rows are compared with, such as the training data: background, neighbourhood,
            levels and quantiles come from there.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

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
                "grid": _one_of("grid", grid, 64, "grid_resolution", grid_resolution),
                "grid_rule": grid_rule,
                "values": values,
                "rows": rows,
                "curves": curves,
                "center": center,
                "anchor": anchor,
                "derivative": derivative,
                "rows_from": rows_from,
                "background_data": background_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def regional_effects(
        self,
        features: str | int | Sequence[str | int] | None = None,
        *,
        grid: int = 20,
        grid_resolution: int | None = None,
        grid_rule: Literal["quantiles", "uniform", "sklearn", "breakpoints", "values"] = "quantiles",
        values: Any = None,
        depth: int = 2,
        splits: int = 20,
        min_gain: float = 0.1,
        min_rows: int = 0,
        split_by: str | int | Sequence[str | int] | None = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """In which parts of the data does a feature act alike, and how does it act in each?

        splits of other features that lower Σ [c_i(v_k) − mean c of i's region (v_k)]² / Σ c_i(v_k)² most, c_i =
        ICE_i minus its own mean.
        When to use it: the average curve hides different ones (heterogeneity above 25 %): who reacts how?
        When not to: strongly correlated features, as with partial dependence; regions need rows enough to
        trust.

        Parameters
        ----------
        features : str or sequence of str, optional
            Features to explain, by name or position; default: all that the model uses.
        grid : int, optional
            Grid points of a numeric feature, at the most.
        grid_resolution : int, optional
            The same as `grid`.
        grid_rule : {"quantiles", "uniform", "sklearn", "breakpoints", "values"}, optional
            How the grid is laid: quantiles of the data, uniform, as scikit-learn, at every split of a tree
            model (breakpoints), or the given values.
        values : float or date, or sequence of these, optional
            Grid of numeric features with grid_rule values: numbers, or dates (2020-01-31).
        depth : int, optional
            Splits one after the other: 1 (two regions) or 2 (up to four).
        splits : int, optional
            Quantiles to try as thresholds of a numeric feature, levels to try of a categorical one, at the
            most.
        min_gain : float, optional
            A split must lower the heterogeneity by at least this share of the total.
        min_rows : int, optional
            (weighted) rows in each region, at the least; 0 = 30 or 5 % of all, whichever is more.
        split_by : str or sequence of str, optional
            Features whose splits are tried; default: all others that the model uses.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: at most (depth + 1) × grid × rows predictions per feature.
        Herbinger, Bischl, Casalicchio 2022, REPID: regional effect plots with implicit interaction detection.

        """
        return self._run(
            "regional-effects",
            {
                "features": features,
                "grid": _one_of("grid", grid, 20, "grid_resolution", grid_resolution),
                "grid_rule": grid_rule,
                "values": values,
                "depth": depth,
                "splits": splits,
                "min_gain": min_gain,
                "min_rows": min_rows,
                "split_by": split_by,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    regional = regional_effects

    @own_words
    def ale(
        self,
        features: str | int | Sequence[str | int | tuple[str | int, str | int]] | None = None,
        *,
        bins: int = 40,
        bins_rule: Literal["quantiles", "adaptive"] = "quantiles",
        centering: Literal["midpoint", "right"] = "midpoint",
        pairs: str | Sequence[str | tuple[str | int, str | int]] | None = None,
        pair_bins: int = 20,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """How does the prediction change along a feature, among rows that could have such values?

        ALE(z_k) = sum over bins l up to k of the mean over their rows of f(z_l, x_C) - f(z_(l-1), x_C), minus
        the mean over all rows.
        When to use it: the effect of a feature that is correlated with others; faster than partial dependence.
        When not to: strong interactions: neighbouring bins hold different rows, so the curve is nobody's path;
        look at ICE and at pairs too.

        Parameters
        ----------
        features : str or sequence of str, optional
            Features to explain, by name or position; a tuple of two stands for a pair; default: all
            features that the model uses.
        bins : int, optional
            Bins of a numeric feature, at the most.
        bins_rule : {"quantiles", "adaptive"}, optional
            Bins with about as many rows each, or as wide as the local slopes stay alike (adaptive).
        centering : {"midpoint", "right"}, optional
            What has mean 0 over the rows: the curve in the middle of each row's bin, or at its right edge.
        pairs : str or sequence of str, optional
            Pairs of features, as tuples or as first:second.
        pair_bins : int, optional
            Bins per numeric feature of a pair, at the most.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: 2 × rows predictions per feature and 4 to 9 × rows per pair, whatever the number of bins.
        Apley & Zhu 2020, Visualizing the effects of predictor variables in black box supervised learning
        models.

        """
        return self._run(
            "ale",
            {
                "features": features,
                "bins": bins,
                "bins_rule": bins_rule,
                "centering": centering,
                "pairs": pairs,
                "pair_bins": pair_bins,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    accumulated_local_effects = ale

    @own_words
    def m_plot(
        self,
        features: str | int | Sequence[str | int] | None = None,
        *,
        bins: int = 40,
        smoothing: Literal["bins", "kernel"] = "bins",
        bandwidth: float = 0.08,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """What does the model predict, on average, for the rows that have such a value?

        M(bin) = mean over the rows i of the bin of f(x^(i)).
        When to use it: what goes with a feature in the data; beside partial dependence and ALE it shows how
        much of that is other features' work.
        When not to: as the effect of the feature: everything that is correlated with it shows as if it were its
        own.

        Parameters
        ----------
        features : str or sequence of str, optional
            Features to explain, by name or position; default: all that the model uses.
        bins : int, optional
            Bins of a numeric feature, at the most: each value where there are no more of them, else those
            of ale.
        smoothing : {"bins", "kernel"}, optional
            Which rows are near a value: those of its bin, or all, weighted by a Gaussian kernel around each
            edge.
        bandwidth : float, optional
            Standard deviation of the kernel, as a share of the distance between the first and the last
            decile.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: 1 × rows predictions for all features together.
        Apley & Zhu 2020, Visualizing the effects of predictor variables in black box supervised learning
        models.

        """
        return self._run(
            "m-plot",
            {
                "features": features,
                "bins": bins,
                "smoothing": smoothing,
                "bandwidth": bandwidth,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    marginal_plot = m_plot

    @own_words
    def interactions(
        self,
        features: str | int | Sequence[str | int | tuple[str | int, str | int]] | None = None,
        *,
        pairs: str | Sequence[str | tuple[str | int, str | int]] | None = None,
        triples: str | Sequence[str | tuple[str | int, str | int, str | int]] | None = None,
        only_totals: bool = False,
        predictions: int = 5000000,
        budget: int | None = None,
        sample_rows: int = 0,
        samples: int = 4,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """Which features act together, so that what one does depends on the other?

        H²_jk = Σ_i [PD_jk − PD_j − PD_k]² / Σ_i PD_jk²; H²_j = Σ_i [f − PD_j − PD_−j]² / Σ_i f²; strength =
        √(mean numerator).
        When to use it: to find the pairs worth a two-dimensional picture, and the features that no single curve
        describes.
        When not to: strongly correlated features: partial dependence evaluates rows that could not be, and H²
        can show interactions that the data never see.

        Parameters
        ----------
        features : str or sequence of str, optional
            Features to explain, by name or position; a tuple of two stands for a pair; default: all
            features that the model uses.
        pairs : str or sequence of str, optional
            Pairs of features, as tuples or as first:second.
        triples : str or sequence of str, optional
            Triples of features, each as first:second:third; default: none.
        only_totals : bool, optional
            Each feature with all others together, but no pairs unless they are named.
        predictions : int, optional
            Predictions to ask for: all rows are used if that suffices, else samples of them, of 20 rows at
            the least.
        budget : int, optional
            The same as `predictions`.
        sample_rows : int, optional
            Rows in each sample; 0 = as many as predictions allow.
        samples : int, optional
            Disjoint samples, where not all rows are used.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: rows × different values of each feature, pair and triple; no more than the option predictions.
        Friedman, Popescu 2008, Predictive learning via rule ensembles.

        """
        return self._run(
            "interactions",
            {
                "features": features,
                "pairs": pairs,
                "triples": triples,
                "only_totals": only_totals,
                "predictions": _one_of("predictions", predictions, 5000000, "budget", budget),
                "sample_rows": sample_rows,
                "samples": samples,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    h = interactions

    @own_words
    def decomposition(
        self,
        order: int = 2,
        *,
        grid: int = 64,
        surfaces: int = 3,
        pair_grid: int = 12,
        complex_interactions: float = 0.2,
        complex_effects: float = 3,
        predictions: int = 5000000,
        budget: int | None = None,
        sample_rows: int = 0,
        samples: int = 4,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """How much of the prediction do features explain one by one, in pairs, and how much is left?

        f_S = Σ_{T ⊆ S} (−1)^(|S|−|T|) PD_T; share of S = Cov(f_S, f) / Var f.
        When to use it: to see whether a model is a sum of simple parts, and which parts.
        When not to: strongly correlated features: components overlap, and shares can be negative.

        Parameters
        ----------
        order : int, optional
            Features that act together in a component, at the most: 1, 2, or more if the features are few.
        grid : int, optional
            Grid points of a main effect's curve, at the most.
        surfaces : int, optional
            Pairs to draw, the strongest.
        pair_grid : int, optional
            Grid points per numeric feature of a drawn pair, at the most.
        complex_interactions : float, optional
            Complex-model is raised above this interaction strength and complex_effects.
        complex_effects : float, optional
            Complex-model is raised above this main-effect complexity and complex_interactions.
        predictions : int, optional
            Predictions to ask for: all rows are used if that suffices, else samples of them, of 20 rows at
            the least.
        budget : int, optional
            The same as `predictions`.
        sample_rows : int, optional
            Rows in each sample; 0 = as many as predictions allow.
        samples : int, optional
            Disjoint samples, where not all rows are used.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: rows × different values of each feature and pair; no more than the option predictions.
        Hooker 2004, Discovering additive structure in black box functions; Molnar, Casalicchio, Bischl 2020,
        Quantifying model complexity via functional decomposition.

        """
        return self._run(
            "decomposition",
            {
                "order": order,
                "grid": grid,
                "surfaces": surfaces,
                "pair_grid": pair_grid,
                "complex_interactions": complex_interactions,
                "complex_effects": complex_effects,
                "predictions": _one_of("predictions", predictions, 5000000, "budget", budget),
                "sample_rows": sample_rows,
                "samples": samples,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def performance(
        self,
        losses: str | Sequence[str] | None = None,
        *,
        scoring: str | Sequence[str] | None = None,
        train_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """How good are the model's predictions of these rows?

        mean loss of f(x_i) against y_i, and of the best constant c against y_i.
        When to use it: first: explanations of a model that predicts badly explain little; on rows it was not
        trained on.
        When not to: rows that the model was trained on: it looks better there than it is.

        Parameters
        ----------
        losses : str or sequence of str, optional
            One or more of squared, absolute, rmse, r2, log-loss, brier, auc, accuracy, f1, poisson;
            default: r2, rmse and absolute for numbers, accuracy, auc, log-loss and brier for classes.
        scoring : str or sequence of str, optional
            The same as `losses`.
        train_data : DataFrame, Table, relation, array, str or path, optional
            The table that the model was fitted to: measured as well, beside the data, which it is judged
            by.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: rows predictions.
        Gneiting and Raftery 2007, Strictly proper scoring rules, prediction, and estimation.

        """
        return self._run(
            "performance",
            {
                "losses": _one_of("losses", losses, None, "scoring", scoring),
                "train_data": train_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def confusion_matrix(
        self,
        threshold: float | None = None,
        *,
        cutoff: float | None = None,
        train_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """Which classes does the model take for which?

        n_jk = weight of rows of class j for which class k is predicted.
        When to use it: after performance says how many rows are wrong: how they are wrong, and which class
        suffers.
        When not to: probabilities are what is used, not classes: see calibration; one class is rare and its
        threshold is yet to be chosen: see threshold.

        Parameters
        ----------
        threshold : float, optional
            Of two classes, or of one that was chosen: from this probability on it is predicted; default: as
            the model does, above one half.
        cutoff : float, optional
            The same as `threshold`.
        train_data : DataFrame, Table, relation, array, str or path, optional
            The table that the model was fitted to: measured as well, beside the data, which it is judged
            by.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: rows predictions.
        Stehman 1997, Selecting and interpreting measures of thematic classification accuracy.

        """
        return self._run(
            "confusion-matrix",
            {
                "threshold": _one_of("threshold", threshold, None, "cutoff", cutoff),
                "train_data": train_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def roc(
        self,
        points: int = 300,
        *,
        train_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """How well does the model put rows of a class before the others?

        (share of negatives with f ≥ t, share of positives with f ≥ t) for all t.
        When to use it: rows are to be put in an order, or the threshold is open.
        When not to: the class is rare: many false alarms look like few beside all the others, see
        precision-recall; probabilities are used as such: see calibration.

        Parameters
        ----------
        points : int, optional
            Points of a curve that are kept, at the most; 0 = one per threshold. Points on a straight line
            go first; areas are of all.
        train_data : DataFrame, Table, relation, array, str or path, optional
            The table that the model was fitted to: measured as well, beside the data, which it is judged
            by.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: rows predictions.
        Fawcett 2006, An introduction to ROC analysis.

        """
        return self._run(
            "roc",
            {
                "points": points,
                "train_data": train_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def precision_recall(
        self,
        points: int = 300,
        *,
        train_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """Of the rows that are predicted as a class, how many are of it, and how many are found?

        precision = TP / (TP + FP) against recall = TP / P for all t; AP = Σ (R_n − R_{n−1}) P_n.
        When to use it: the class that matters is rare, or false alarms cost.
        When not to: models are compared on data in which the class is differently frequent: precision changes
        with that, see roc.

        Parameters
        ----------
        points : int, optional
            Points of a curve that are kept, at the most; 0 = one per threshold. Average precision is of
            all.
        train_data : DataFrame, Table, relation, array, str or path, optional
            The table that the model was fitted to: measured as well, beside the data, which it is judged
            by.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: rows predictions.
        Davis and Goadrich 2006, The relationship between precision-recall and ROC curves.

        """
        return self._run(
            "precision-recall",
            {
                "points": points,
                "train_data": train_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def calibration(
        self,
        bins: int = 10,
        *,
        n_bins: int | None = None,
        strategy: Literal["quantile", "uniform"] = "quantile",
        train_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """Can the model's probabilities be taken at their word?

        per bin b: mean of f(x_i) against share of y_i = 1; ECE = Σ n_b/n |difference|.
        When to use it: probabilities are used as such: expected costs, risks that people read.
        When not to: only the order of rows matters: see roc; there are few rows: intervals are as wide as the
        page.

        Parameters
        ----------
        bins : int, optional
            Bins of rows.
        n_bins : int, optional
            The same as `bins`.
        strategy : {"quantile", "uniform"}, optional
            Quantile: as many rows in each bin; uniform: bins of the same width.
        train_data : DataFrame, Table, relation, array, str or path, optional
            The table that the model was fitted to: measured as well, beside the data, which it is judged
            by.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: rows predictions.
        Niculescu-Mizil and Caruana 2005, Predicting good probabilities with supervised learning.

        """
        return self._run(
            "calibration",
            {
                "bins": _one_of("bins", bins, 10, "n_bins", n_bins),
                "strategy": strategy,
                "train_data": train_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def threshold(
        self,
        false_positive_cost: float = 1,
        *,
        false_negative_cost: float = 1,
        points: int = 101,
        train_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """From which probability on should a row be taken for the class?

        argmin_t (c_FP · FP(t) + c_FN · FN(t)) / n.
        When to use it: mistakes of one kind cost more than those of the other; then judge the choice on other
        rows.
        When not to: nothing is decided by the prediction; the costs of a mistake differ from row to row.

        Parameters
        ----------
        false_positive_cost : float, optional
            What it costs to take another row for the class.
        false_negative_cost : float, optional
            What it costs to miss a row of the class.
        points : int, optional
            Thresholds that are drawn, evenly from 0 to 1; the best is sought among all predictions.
        train_data : DataFrame, Table, relation, array, str or path, optional
            The table that the model was fitted to: measured as well, beside the data, which it is judged
            by.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: rows predictions.
        Elkan 2001, The foundations of cost-sensitive learning.

        """
        return self._run(
            "threshold",
            {
                "false_positive_cost": false_positive_cost,
                "false_negative_cost": false_negative_cost,
                "points": points,
                "train_data": train_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def residuals(
        self,
        features: str | int | Sequence[str | int] | None = None,
        *,
        against: str | Sequence[str] = ["prediction", "truth", "normal"],
        bins: int = 20,
        points: int = 500,
        train_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """How far are predictions from the truth, and does that depend on anything?

        r_i = y_i − f(x_i).
        When to use it: after performance: whether errors are chance, or something that the model could have
        known.
        When not to: classes: see calibration; residuals on rows that the model was trained on look smaller than
        they will be.

        Parameters
        ----------
        features : str or sequence of str, optional
            Features to explain, by name or position; default: all that the model uses.
        against : str or sequence of str, optional
            What else residuals are shown against: prediction, truth, normal (their own quantiles against
            those of a normal distribution).
        bins : int, optional
            Bins of as many rows each, whose means are drawn.
        points : int, optional
            Rows that are drawn as dots, chosen at random; 0 = none, only means.
        train_data : DataFrame, Table, relation, array, str or path, optional
            The table that the model was fitted to: measured as well, beside the data, which it is judged
            by.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: rows predictions.
        Anscombe and Tukey 1963, The examination and analysis of residuals.

        """
        return self._run(
            "residuals",
            {
                "features": features,
                "against": against,
                "bins": bins,
                "points": points,
                "train_data": train_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def error_regions(
        self,
        loss: Literal["auto", "absolute", "squared", "log-loss", "brier", "poisson"] = "auto",
        *,
        features: str | int | Sequence[str | int] | None = None,
        max_depth: int = 3,
        min_leaf_rows: int = 0,
        min_samples_leaf: int | None = None,
        use_rows: int = 100000,
        train_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """In which regions of the data are the model's errors largest?

        a regression tree of l(y_i, f(x_i)) on x_i, judged on other rows than those it was grown on.
        When to use it: the model is good on average: where to collect more data, or not to use it.
        When not to: rows that the model was trained on: its errors there are not those to come; few rows.

        Parameters
        ----------
        loss : {"auto", "absolute", "squared", "log-loss", "brier", "poisson"}, optional
            What an error is; auto: absolute for numbers, log-loss for classes.
        features : str or sequence of str, optional
            Features by which regions may be told; default: all.
        max_depth : int, optional
            The most conditions of a region.
        min_leaf_rows : int, optional
            The fewest rows of a region; 0 = one in thirty, and at least 20.
        min_samples_leaf : int, optional
            The same as `min_leaf_rows`.
        use_rows : int, optional
            Rows that are used, at the most, drawn at random; 0 = all.
        train_data : DataFrame, Table, relation, array, str or path, optional
            The table that the model was fitted to: measured as well, beside the data, which it is judged
            by.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: rows predictions.
        Chung, Kraska, Polyzotis, Tae and Whang 2019, Slice Finder.

        """
        return self._run(
            "error-regions",
            {
                "loss": loss,
                "features": features,
                "max_depth": max_depth,
                "min_leaf_rows": _one_of("min_leaf_rows", min_leaf_rows, 0, "min_samples_leaf", min_samples_leaf),
                "use_rows": use_rows,
                "train_data": train_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def permutation_importance(
        self,
        features: str | int | Sequence[str | int] | None = None,
        *,
        losses: str | Sequence[str] | None = None,
        scoring: str | Sequence[str] | None = None,
        estimator: Literal["shuffled", "expected"] = "shuffled",
        repeats: int = 10,
        n_repeats: int | None = None,
        groups: str | Sequence[str | Sequence[str | int]] | Mapping[str, Sequence[str | int]] | None = None,
        kind: Literal["difference", "ratio"] = "difference",
        noise: Any = None,
        predictions: int = 10000000,
        budget: int | None = None,
        train_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """How much worse do predictions become when a feature's values are shuffled between rows?

        PFI_j = mean over repeats of loss(f with feature j shuffled) − loss(f).
        When to use it: which features the model relies on for its performance; on data it was not trained on.
        When not to: strongly correlated features: rows get values they could not have, and features that say
        the same share their importance; shuffle them as a group.

        Parameters
        ----------
        features : str or sequence of str, optional
            Features to explain, by name or position; default: all that the model uses.
        losses : str or sequence of str, optional
            One or more of squared, absolute, rmse, r2, log-loss, brier, auc, accuracy, f1, poisson;
            default: rmse for numbers, log-loss for classes.
        scoring : str or sequence of str, optional
            The same as `losses`.
        estimator : {"shuffled", "expected"}, optional
            Shuffled: the mean over repeats; expected: over all exchanges of values between rows, without
            chance and repeats (not for auc, f1 and noise).
        repeats : int, optional
            Shuffles of each feature.
        n_repeats : int, optional
            The same as `repeats`.
        groups : str or sequence of str, optional
            Features that are taken together: a mapping of names to features, a list of lists of features,
            or texts like name=a,b; features in no group stay single, unless others are named with features.
        kind : {"difference", "ratio"}, optional
            Loss after minus loss before, or their ratio.
        noise : float or date, or sequence of these, optional
            Also the loss with noise of these sizes on a feature: in its standard deviations; categories:
            the share of rows that get a random row's.
        predictions : int, optional
            Estimator expected: predictions per feature, at the most; above that a sample of rows is used.
        budget : int, optional
            The same as `predictions`.
        train_data : DataFrame, Table, relation, array, str or path, optional
            The table that the model was fitted to: measured as well, beside the data, which it is judged
            by.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: (repeats × features + 1) × rows predictions; noise: as much again for each size; expected: as
        model-reliance.
        Breiman 2001, Random forests; Fisher, Rudin and Dominici 2019, All models are wrong, but many are
        useful.

        """
        return self._run(
            "permutation-importance",
            {
                "features": features,
                "losses": _one_of("losses", losses, None, "scoring", scoring),
                "estimator": estimator,
                "repeats": _one_of("repeats", repeats, 10, "n_repeats", n_repeats),
                "groups": groups,
                "kind": kind,
                "noise": noise,
                "predictions": _one_of("predictions", predictions, 10000000, "budget", budget),
                "train_data": train_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    pfi = permutation_importance

    @own_words
    def model_reliance(
        self,
        features: str | int | Sequence[str | int] | None = None,
        *,
        losses: str | Sequence[str] | None = None,
        scoring: str | Sequence[str] | None = None,
        groups: str | Sequence[str | Sequence[str | int]] | Mapping[str, Sequence[str | int]] | None = None,
        predictions: int = 10000000,
        budget: int | None = None,
        divide: bool = True,
        train_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """How much does the model rely on a feature, over all ways to exchange its values between rows?

        MR = e_switch / e_orig, e_switch = mean over pairs i ≠ j of L(y_i, f(x_j,S ; x_i,C)).
        When to use it: importance without the noise of shuffling, and as a ratio that compares between models.
        When not to: strongly correlated features: rows get values they could not have; switch them as a group.

        Parameters
        ----------
        features : str or sequence of str, optional
            Features to explain, by name or position; default: all that the model uses.
        losses : str or sequence of str, optional
            One or more of squared, absolute, poisson, log-loss, brier, accuracy; default: squared for
            numbers, log-loss for classes.
        scoring : str or sequence of str, optional
            The same as `losses`.
        groups : str or sequence of str, optional
            Features that are taken together: a mapping of names to features, a list of lists of features,
            or texts like name=a,b; features in no group stay single, unless others are named with features.
        predictions : int, optional
            Predictions per feature, at the most; above that a sample of rows is used: 10000000 is all pairs
            of 3162 rows.
        budget : int, optional
            The same as `predictions`.
        divide : bool, optional
            Also e_divide: rows of the file's first half exchanged with those of its second.
        train_data : DataFrame, Table, relation, array, str or path, optional
            The table that the model was fitted to: measured as well, beside the data, which it is judged
            by.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: rows × distinct values predictions per feature, no more than the option predictions; rows once
        more; of trees: values that no split tells apart are one, and rows are predicted with all of them at a
        time.
        Fisher, Rudin and Dominici 2019, All models are wrong, but many are useful.

        """
        return self._run(
            "model-reliance",
            {
                "features": features,
                "losses": _one_of("losses", losses, None, "scoring", scoring),
                "groups": groups,
                "predictions": _one_of("predictions", predictions, 10000000, "budget", budget),
                "divide": divide,
                "train_data": train_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    mr = model_reliance

    @own_words
    def pd_importance(
        self,
        features: str | int | Sequence[str | int] | None = None,
        *,
        grid: int = 64,
        grid_resolution: int | None = None,
        grid_rule: Literal["quantiles", "uniform", "sklearn", "breakpoints", "values"] = "quantiles",
        values: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """How much does the average prediction move along a feature?

        sd over the grid of PD_j (of a categorical feature: range / 4), and the same over the data.
        When to use it: a ranking of main effects, also without a target.
        When not to: features that act through interactions: a flat average may hide them; use
        permutation-importance.

        Parameters
        ----------
        features : str or sequence of str, optional
            Features to explain, by name or position; default: all that the model uses.
        grid : int, optional
            Grid points of a numeric feature, at the most.
        grid_resolution : int, optional
            The same as `grid`.
        grid_rule : {"quantiles", "uniform", "sklearn", "breakpoints", "values"}, optional
            How the grid is laid: quantiles of the data, uniform, as scikit-learn, at every split of a tree
            model (breakpoints), or the given values.
        values : float or date, or sequence of these, optional
            Grid of numeric features with grid_rule values: numbers, or dates (2020-01-31).
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: grid × rows predictions per feature.
        Greenwell, Boehmke and McCarthy 2018, A simple and effective model-based variable importance measure.

        """
        return self._run(
            "pd-importance",
            {
                "features": features,
                "grid": _one_of("grid", grid, 64, "grid_resolution", grid_resolution),
                "grid_rule": grid_rule,
                "values": values,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def shap(
        self,
        rows: Any = None,
        *,
        explain: int = 1000,
        background: Literal["rows", "cover"] = "rows",
        background_rows: int = 100,
        interactions: bool = False,
        groups: str | Sequence[str | Sequence[str | int]] | Mapping[str, Sequence[str | int]] | None = None,
        estimator: Literal["auto", "exact", "sampling"] = "auto",
        precision: float = 0.02,
        permutations: int = 20,
        predictions: int = 10000000,
        budget: int | None = None,
        rows_from: Any = None,
        background_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """What does each feature add to the prediction of a single row, compared with the average?

        φ_j = Σ_{S ∌ j} |S|! (p − |S| − 1)! / p! · [v(S ∪ j) − v(S)]; v(S) = mean_b f(x_S, b_−S); base + Σ φ_j =
        f(x).
        When to use it: to explain single predictions by numbers that add up, and to see over many rows which
        features push where.
        When not to: as advice what to change: values compare with the average, not with a change of the row;
        strongly correlated features share credit through rows that could not be.

        Parameters
        ----------
        rows : int or str or sequence of these, DataFrame, Table or array, optional
            These rows, counted from 0, or by their names (of the index, or of the explainer's `ids`); or a
            table of other rows, which are explained then (the same as rows_from).
        explain : int, optional
            Rows to write out where none are named, drawn at random; 0 = all. Trees explain all rows for the
            ranking, other models only these, fewer if predictions do not suffice.
        background : {"rows", "cover"}, optional
            What a feature that is not known yet takes its value from: other rows, or the cover of a tree's
            branches.
        background_rows : int, optional
            Rows to compare with, drawn at random; 0 = all. Trees are compared with all rows.
        interactions : bool, optional
            What pairs of features add together, besides.
        groups : str or sequence of str, optional
            Features that are taken together: a mapping of names to features, a list of lists of features,
            or texts like name=a,b; features in no group stay single, unless others are named with features.
        estimator : {"auto", "exact", "sampling"}, optional
            Every coalition of features (at most 15 features or groups), or random orders of them; auto:
            every coalition if predictions suffice.
        precision : float, optional
            Of sampling: stop when standard errors are below this share of the row's largest value.
        permutations : int, optional
            Of sampling: random orders per background row, each with its reverse, at the most.
        predictions : int, optional
            Predictions to ask for where rows are not named; 0 = no limit.
        budget : int, optional
            The same as `predictions`.
        rows_from : DataFrame, Table, relation, array, str or path, optional
            Another table whose rows are explained, all of them unless rows or explain say otherwise; what
            they are compared with comes from the data.
        background_data : DataFrame, Table, relation, array, str or path, optional
            Another table that rows are compared with, such as the training data: background, neighbourhood,
            levels and quantiles come from there.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: trees: some tens of predictions per row; others: 2^p × background rows predictions per row up to
        15 features; beyond, or to keep to the budget, 2 (p − 1) × background rows per round of random orders.
        Lundberg, Lee 2017, A unified approach to interpreting model predictions; Štrumbelj, Kononenko 2010.

        """
        return self._run(
            "shap",
            {
                "rows": rows,
                "explain": explain,
                "background": background,
                "background_rows": background_rows,
                "interactions": interactions,
                "groups": groups,
                "estimator": estimator,
                "precision": precision,
                "permutations": permutations,
                "predictions": _one_of("predictions", predictions, 10000000, "budget", budget),
                "rows_from": rows_from,
                "background_data": background_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    shapley = shap

    @own_words
    def what_if(
        self,
        rows: Any = None,
        *,
        features: str | int | Sequence[str | int] | None = None,
        grid: int = 64,
        grid_resolution: int | None = None,
        grid_rule: Literal["quantiles", "uniform", "sklearn", "breakpoints", "values"] = "quantiles",
        values: Any = None,
        explain: int = 1,
        rows_from: Any = None,
        background_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """What would the model predict for this row if one of its values were another?

        WI_j(v) = f(v, x_−j); swing_j = max_v WI_j(v) − min_v WI_j(v).
        When to use it: to see what a single prediction hangs on, how far each value is from changing the
        predicted class.
        When not to: values that go together: changing one alone makes a row that does not occur; as advice what
        to do in the world: the model knows no causes.

        Parameters
        ----------
        rows : int or str or sequence of these, DataFrame, Table or array, optional
            These rows, counted from 0, or by their names (of the index, or of the explainer's `ids`); or a
            table of other rows, which are explained then (the same as rows_from).
        features : str or sequence of str, optional
            Features to explain; default: all that the model uses.
        grid : int, optional
            Grid points of a numeric feature, at the most.
        grid_resolution : int, optional
            The same as `grid`.
        grid_rule : {"quantiles", "uniform", "sklearn", "breakpoints", "values"}, optional
            How the grid is laid: quantiles of the data, uniform, as scikit-learn, at every split of a tree
            model (breakpoints), or the given values.
        values : float or date, or sequence of these, optional
            Grid of numeric features with grid_rule values: numbers, or dates (2020-01-31).
        explain : int, optional
            Rows to explain where none are named, drawn at random; 0 = all.
        rows_from : DataFrame, Table, relation, array, str or path, optional
            Another table whose rows are explained, all of them unless rows or explain say otherwise; what
            they are compared with comes from the data.
        background_data : DataFrame, Table, relation, array, str or path, optional
            Another table that rows are compared with, such as the training data: background, neighbourhood,
            levels and quantiles come from there.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: features × grid predictions per row, and 30 for each change of class; trees: their splits besides.
        Biecek, Burzykowski 2021, Explanatory model analysis, ch. 10; Goldstein, Kapelner, Bleich, Pitkin 2015,
        Peeking inside the black box.

        """
        return self._run(
            "what-if",
            {
                "rows": rows,
                "features": features,
                "grid": _one_of("grid", grid, 64, "grid_resolution", grid_resolution),
                "grid_rule": grid_rule,
                "values": values,
                "explain": explain,
                "rows_from": rows_from,
                "background_data": background_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    ceteris_paribus = what_if

    @own_words
    def lime(
        self,
        rows: Any = None,
        *,
        explain: int | None = None,
        terms: int = 10,
        num_features: int | None = None,
        estimator: Literal["auto", "exact", "controlled", "sampling"] = "auto",
        samples: int = 5000,
        num_samples: int | None = None,
        repeats: int = 5,
        bins: Literal["quartiles", "deciles", "none"] = "quartiles",
        draw: Literal["data", "normal"] = "data",
        around: Literal["data", "row"] = "data",
        width: float | None = None,
        kernel_width: float | None = None,
        kernel: Literal["root", "plain"] = "root",
        select: Literal["auto", "forward", "weights", "lasso-path"] = "auto",
        penalty: float = 1,
        pick: int = 0,
        noisy: str | int | Sequence[str | int] | None = None,
        near_rows: int = 50,
        use_rows: int = 10000,
        text_column: str = "",
        image_column: str = "",
        rows_from: Any = None,
        background_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """Which features speak for the prediction of this row, and which against it?

        argmin_w Σ_i π(z_i) (f(z_i) − w₀ − w · z'_i)² + α |w|²; π(z) = √exp(−D(z, x)² / σ²); σ = 0.75 √p; z' = 1
        where a sample lies in the row's own bin.
        When to use it: to explain single predictions of any model by a few terms that people can read, and to
        pick a few rows that show what a model does.
        When not to: where numbers must add up to the prediction (ask shap), or features go together so closely
        that made-up rows say nothing about real ones.

        Parameters
        ----------
        rows : int or str or sequence of these, DataFrame, Table or array, optional
            These rows, counted from 0, or by their names (of the index, or of the explainer's `ids`); or a
            table of other rows, which are explained then (the same as rows_from).
        explain : int, optional
            Rows to explain where none are named, drawn at random; 0 = all; default: 3, with pick or noisy
            500.
        terms : int, optional
            Features of an explanation at the most; 0 = all.
        num_features : int, optional
            The same as `terms`.
        estimator : {"auto", "exact", "controlled", "sampling"}, optional
            Exact: what infinitely many samples would give, from the leaves of a tree ensemble or the terms
            of a linear model; controlled: samples whose chance errors are taken off by the exact line of
            the margin, behind a link; auto: the first of these that can be had.
        samples : int, optional
            Rows made up around the explained one (it is the first of them); exact lines are only measured
            on them, on 1000 at the most.
        num_samples : int, optional
            The same as `samples`.
        repeats : int, optional
            Of sampling: how often an explanation is found, each time from other samples, to see whether it
            is stable.
        bins : {"quartiles", "deciles", "none"}, optional
            What a term of a number says: in which quarter (or tenth) of the data it lies, or by how many
            standard deviations it is above the mean.
        draw : {"data", "normal"}, optional
            Values within a bin: those of the data, or a normal distribution that is cut off at the bin's
            ends, as the package lime has it.
        around : {"data", "row"}, optional
            Without bins: where numbers are drawn around, the mean of the data or the row.
        width : float, optional
            Σ of the kernel, in features that differ; default: 0.75 √p.
        kernel_width : float, optional
            The same as `width`.
        kernel : {"root", "plain"}, optional
            A sample's weight at distance D: √exp(−D²/σ²), as the package lime has it, or without the root.
        select : {"auto", "forward", "weights", "lasso-path"}, optional
            How the features of an explanation are chosen; auto: forward up to 6 terms, else by weight.
        penalty : float, optional
            Of sampling: α of the weighted ridge regression.
        pick : int, optional
            Show so many rows only, chosen so that their explanations cover as much as possible.
        noisy : str or sequence of str, optional
            Features that were made of random numbers: counts the predictions whose explanation names
            another class without them.
        near_rows : int, optional
            Rows of the data nearest to the explained one on which its line is measured, too.
        use_rows : int, optional
            Rows that bins, frequencies and neighbours are taken from, drawn at random; 0 = all.
        text_column : str, optional
            Column with the texts; may be left out where only one column has text; lime-text is run then.
        image_column : str, optional
            Column with the pictures; may be left out where only one column has text; lime-image is run
            then.
        rows_from : DataFrame, Table, relation, array, str or path, optional
            Another table whose rows are explained, all of them unless rows or explain say otherwise; what
            they are compared with comes from the data.
        background_data : DataFrame, Table, relation, array, str or path, optional
            Another table that rows are compared with, such as the training data: background, neighbourhood,
            levels and quantiles come from there.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: samples × repeats predictions for all rows together (without bins: for each row); trees on the
        margin scale: samples predictions for all rows together.
        Ribeiro, Singh, Guestrin 2016, "Why should I trust you?": explaining the predictions of any classifier.

        """
        return self._run(
            "lime",
            {
                "rows": rows,
                "explain": explain,
                "terms": _one_of("terms", terms, 10, "num_features", num_features),
                "estimator": estimator,
                "samples": _one_of("samples", samples, 5000, "num_samples", num_samples),
                "repeats": repeats,
                "bins": bins,
                "draw": draw,
                "around": around,
                "width": _one_of("width", width, None, "kernel_width", kernel_width),
                "kernel": kernel,
                "select": select,
                "penalty": penalty,
                "pick": pick,
                "noisy": noisy,
                "near_rows": near_rows,
                "use_rows": use_rows,
                "text_column": text_column,
                "image_column": image_column,
                "rows_from": rows_from,
                "background_data": background_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    local_line = lime

    @own_words
    def lime_text(
        self,
        text_column: str = "",
        *,
        rows: Any = None,
        explain: int | None = None,
        terms: int = 10,
        num_features: int | None = None,
        samples: int = 5000,
        num_samples: int | None = None,
        width: float = 0.25,
        select: Literal["auto", "forward", "weights"] = "auto",
        penalty: float = 1,
        mask: str = "",
        places: bool = False,
        most_words: int = 500,
        pick: int = 0,
        rows_from: Any = None,
        background_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """Which words of a text speak for the prediction, and which against it?

        min Σ w (f(x) − b − Σ_j z_j β_j)² + α Σ β_j², w = √exp(−D²/σ²), D = 1 − √(kept words / words).
        When to use it: the model reads texts, and single predictions are to be understood.
        When not to: the order of words decides: a line through texts with words left out knows nothing of it,
        and such texts may be unlike any that the model has seen.

        Parameters
        ----------
        text_column : str, optional
            Column with the texts; may be left out where only one column has text.
        rows : int or str or sequence of these, DataFrame, Table or array, optional
            These rows, counted from 0, or by their names (of the index, or of the explainer's `ids`); or a
            table of other rows, which are explained then (the same as rows_from).
        explain : int, optional
            Rows to explain where none are named, drawn at random; 0 = all; default: 3, with pick 100.
        terms : int, optional
            Words of an explanation at the most; 0 = all.
        num_features : int, optional
            The same as `terms`.
        samples : int, optional
            Texts with words left out that the model is asked about (the whole text is the first of them).
        num_samples : int, optional
            The same as `samples`.
        width : float, optional
            Σ of the kernel, in distances from 0 (all words are there) to 1 (none); the package lime calls
            0.25 25.
        select : {"auto", "forward", "weights"}, optional
            How the words of an explanation are chosen; auto: forward up to 6 terms, else by weight.
        penalty : float, optional
            Α of the weighted ridge regression.
        mask : str, optional
            What stands where a word is left out; default: nothing.
        places : bool, optional
            Explain each place where a word stands for itself, not all places together.
        most_words : int, optional
            Different words (or places) of a text that are explained, from its beginning; those beyond stay
            in every sample.
        pick : int, optional
            Show so many texts only, chosen so that the words of their explanations cover as much as
            possible.
        rows_from : DataFrame, Table, relation, array, str or path, optional
            Another table whose rows are explained, all of them unless rows or explain say otherwise; what
            they are compared with comes from the data.
        background_data : DataFrame, Table, relation, array, str or path, optional
            Another table that rows are compared with, such as the training data: background, neighbourhood,
            levels and quantiles come from there.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: samples per text, fewer where texts are short.
        Ribeiro, Singh & Guestrin 2016, "Why should I trust you?"; Mardaoui & Garreau 2021.

        """
        return self._run(
            "lime-text",
            {
                "text_column": text_column,
                "rows": rows,
                "explain": explain,
                "terms": _one_of("terms", terms, 10, "num_features", num_features),
                "samples": _one_of("samples", samples, 5000, "num_samples", num_samples),
                "width": width,
                "select": select,
                "penalty": penalty,
                "mask": mask,
                "places": places,
                "most_words": most_words,
                "pick": pick,
                "rows_from": rows_from,
                "background_data": background_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def lime_image(
        self,
        image_column: str = "",
        *,
        rows: Any = None,
        explain: int | None = None,
        segments: int = 60,
        compactness: float = 10,
        hide: Literal["grey", "mean"] = "grey",
        terms: int = 0,
        num_features: int | None = None,
        samples: int = 1000,
        num_samples: int | None = None,
        width: float = 0.25,
        select: Literal["auto", "forward", "weights"] = "auto",
        penalty: float = 1,
        pick: int = 0,
        kinds: int = 40,
        rows_from: Any = None,
        background_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """Which regions of a picture speak for the prediction, and which against it?

        min Σ w (f(x) − b − Σ_j z_j β_j)² + α Σ β_j², w = √exp(−D²/σ²), D = 1 − √(shown / segments).
        When to use it: the model sees pictures, and single predictions are to be understood.
        When not to: single pixels decide, or regions only together: pictures with hidden regions may be unlike
        any that the model has seen.

        Parameters
        ----------
        image_column : str, optional
            Column with the pictures; may be left out where only one column has text.
        rows : int or str or sequence of these, DataFrame, Table or array, optional
            These rows, counted from 0, or by their names (of the index, or of the explainer's `ids`); or a
            table of other rows, which are explained then (the same as rows_from).
        explain : int, optional
            Rows to explain where none are named, drawn at random; 0 = all; default: 3, with pick 100.
        segments : int, optional
            Superpixels (SLIC) of a picture, about.
        compactness : float, optional
            Of superpixels: how much places count beside colours.
        hide : {"grey", "mean"}, optional
            What hides a superpixel: grey, or its mean colour.
        terms : int, optional
            Superpixels of an explanation at the most; 0 = all.
        num_features : int, optional
            The same as `terms`.
        samples : int, optional
            Pictures with regions hidden that the model is asked about (the whole picture is the first of
            them).
        num_samples : int, optional
            The same as `samples`.
        width : float, optional
            Σ of the kernel, in distances from 0 (all is shown) to 1 (nothing).
        select : {"auto", "forward", "weights"}, optional
            How the superpixels of an explanation are chosen; auto: forward up to 6 terms, else by weight.
        penalty : float, optional
            Α of the weighted ridge regression.
        pick : int, optional
            Show so many pictures only, chosen so that the kinds of regions in their explanations cover as
            much as possible.
        kinds : int, optional
            With pick: how many kinds of regions there are at the most, by colours and texture.
        rows_from : DataFrame, Table, relation, array, str or path, optional
            Another table whose rows are explained, all of them unless rows or explain say otherwise; what
            they are compared with comes from the data.
        background_data : DataFrame, Table, relation, array, str or path, optional
            Another table that rows are compared with, such as the training data: background, neighbourhood,
            levels and quantiles come from there.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: samples per picture, fewer where it has few regions.
        Ribeiro, Singh & Guestrin 2016, "Why should I trust you?"; Achanta et al. 2012 (SLIC).

        """
        return self._run(
            "lime-image",
            {
                "image_column": image_column,
                "rows": rows,
                "explain": explain,
                "segments": segments,
                "compactness": compactness,
                "hide": hide,
                "terms": _one_of("terms", terms, 0, "num_features", num_features),
                "samples": _one_of("samples", samples, 1000, "num_samples", num_samples),
                "width": width,
                "select": select,
                "penalty": penalty,
                "pick": pick,
                "kinds": kinds,
                "rows_from": rows_from,
                "background_data": background_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def anchors(
        self,
        rows: Any = None,
        *,
        explain: int = 10,
        precision: float = 0.95,
        threshold: float | None = None,
        delta: float = 0.05,
        epsilon: float = 0.1,
        search: Literal["auto", "rows", "sampling"] = "auto",
        max_conditions: int = 5,
        bins: int = 4,
        borders: Literal["quantiles", "splits"] = "quantiles",
        outcome: Literal["auto", "class", "label", "labels", "number"] = "auto",
        tolerance: float = 0.1,
        min_rows: int = 10,
        beam: int = 4,
        beam_size: int | None = None,
        perturbed_rows: int = 65536,
        exact_rows: int = 65536,
        use_rows: int = 1000000,
        max_rules: int = 5000000,
        certain: bool = False,
        boxes: int = 5000,
        text_column: str = "",
        rows_from: Any = None,
        background_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """Which few conditions of this row settle what the model says, whatever else the row is like?

        max coverage(A) over rules A with A(x) and P(f(z) = f(x) | A(z)) ≥ τ.
        When to use it: a prediction is to be explained by a rule that people can check, and that says where it
        holds.
        When not to: the row lies near a border of the model: rules there are long, cover little and contradict
        one another.

        Parameters
        ----------
        rows : int or str or sequence of these, DataFrame, Table or array, optional
            These rows, counted from 0, or by their names (of the index, or of the explainer's `ids`); or a
            table of other rows, which are explained then (the same as rows_from).
        explain : int, optional
            Rows to explain where none are named, drawn at random; 0 = all.
        precision : float, optional
            Share of rows under a rule that are to have the outcome of the row.
        threshold : float, optional
            The same as `precision`.
        delta : float, optional
            How often a bound may be wrong.
        epsilon : float, optional
            How far below the precision its lower bound may be; of sampling: difference in precision that
            does not matter while rules are compared.
        search : {"auto", "rows", "sampling"}, optional
            Rows: all rules over the rows of the data; sampling: KL-LUCB with a beam over perturbed rows;
            auto: rows if there are 200 of them.
        max_conditions : int, optional
            Conditions of a rule, at the most.
        bins : int, optional
            Parts of about equally many rows that a number is divided into.
        borders : {"quantiles", "splits"}, optional
            Where parts of a number end: at quantiles, or at those split points of the model that are
            nearest to these.
        outcome : {"auto", "class", "label", "labels", "number"}, optional
            What is to stay the same: class, the most probable one (of a class that is named, whether it is
            that); label, whether an output is above one half, one output at a time; labels, the set of
            outputs above one half; number, each output within the tolerance; auto: by what the model
            predicts.
        tolerance : float, optional
            Of numbers: how far predictions may be apart, in standard deviations of the predictions.
        min_rows : int, optional
            Rows of the data that a rule must hold for, at least.
        beam : int, optional
            Of sampling: rules that are made longer at a time.
        beam_size : int, optional
            The same as `beam`.
        perturbed_rows : int, optional
            Rows to make up for all rules together, fewer if there are hundreds of features.
        exact_rows : int, optional
            Rules are checked on all perturbed rows that differ for the model, instead of on 2,000 that are
            drawn, where these are no more than so many (2,000 if the model is no tree ensemble).
        use_rows : int, optional
            Rows of the data to search and to count, drawn at random, fewer if there are hundreds of
            features; 0 = as many as fit.
        max_rules : int, optional
            Rules to look at for a row, at the most.
        certain : bool, optional
            Besides, of tree ensembles: the smallest set of features whose values settle the outcome for
            every possible input, proven.
        boxes : int, optional
            Of certain rules: sets of inputs to look at for each question, at the most, and for each feature
            while smaller rules are searched.
        text_column : str, optional
            Column with the texts; may be left out where only one column has text; anchors-text is run then.
        rows_from : DataFrame, Table, relation, array, str or path, optional
            Another table whose rows are explained, all of them unless rows or explain say otherwise; what
            they are compared with comes from the data.
        background_data : DataFrame, Table, relation, array, str or path, optional
            Another table that rows are compared with, such as the training data: background, neighbourhood,
            levels and quantiles come from there.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: one prediction per row of the data, 65,536 perturbed rows for all rows that are explained
        together, 2,000 for each rule that is checked.
        Ribeiro, Singh & Guestrin 2018, Anchors: high-precision model-agnostic explanations.

        """
        return self._run(
            "anchors",
            {
                "rows": rows,
                "explain": explain,
                "precision": _one_of("precision", precision, 0.95, "threshold", threshold),
                "delta": delta,
                "epsilon": epsilon,
                "search": search,
                "max_conditions": max_conditions,
                "bins": bins,
                "borders": borders,
                "outcome": outcome,
                "tolerance": tolerance,
                "min_rows": min_rows,
                "beam": _one_of("beam", beam, 4, "beam_size", beam_size),
                "perturbed_rows": perturbed_rows,
                "exact_rows": exact_rows,
                "use_rows": use_rows,
                "max_rules": max_rules,
                "certain": certain,
                "boxes": boxes,
                "text_column": text_column,
                "rows_from": rows_from,
                "background_data": background_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    anchor = anchors

    @own_words
    def anchors_text(
        self,
        text_column: str = "",
        *,
        rows: Any = None,
        explain: int = 3,
        precision: float = 0.95,
        threshold: float | None = None,
        delta: float = 0.05,
        epsilon: float = 0.1,
        max_words: int = 5,
        outcome: Literal["auto", "class", "label", "labels", "number"] = "auto",
        tolerance: float = 0.1,
        beam: int = 4,
        beam_size: int | None = None,
        samples: int = 4000,
        mask: str = "",
        most_words: int = 500,
        use_rows: int = 20000,
        rows_from: Any = None,
        background_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """Which few words of this text settle what the model says, whatever other words are left out?

        max coverage(A) over sets of words A of x with P(f(z) = f(x) | A ⊂ z) ≥ τ.
        When to use it: the model reads texts, and a prediction is to be explained by words that people can
        check.
        When not to: many words are weighed against each other: rules are then long, or none reaches the
        precision.

        Parameters
        ----------
        text_column : str, optional
            Column with the texts; may be left out where only one column has text.
        rows : int or str or sequence of these, DataFrame, Table or array, optional
            These rows, counted from 0, or by their names (of the index, or of the explainer's `ids`); or a
            table of other rows, which are explained then (the same as rows_from).
        explain : int, optional
            Rows to explain where none are named, drawn at random; 0 = all.
        precision : float, optional
            Share of texts with the words of a rule that are to have the outcome of the row.
        threshold : float, optional
            The same as `precision`.
        delta : float, optional
            How often a bound may be wrong.
        epsilon : float, optional
            How far below the precision its lower bound may be, and difference in precision that does not
            matter while rules are compared.
        max_words : int, optional
            Words of a rule, at the most.
        outcome : {"auto", "class", "label", "labels", "number"}, optional
            What is to stay the same: class, the most probable one; label, whether an output is above one
            half; labels, the set of outputs above one half; number, each output within the tolerance; auto:
            by what the model predicts.
        tolerance : float, optional
            Of numbers: how far predictions may be apart, in standard deviations of the predictions.
        beam : int, optional
            Rules that are made longer at a time.
        beam_size : int, optional
            The same as `beam`.
        samples : int, optional
            Texts with words left out that all rules of a text are compared by.
        mask : str, optional
            What stands where a word is left out; default: nothing.
        most_words : int, optional
            Different words of a text that a rule can name, from its beginning; those beyond stay in every
            sample.
        use_rows : int, optional
            Texts of the data to count, drawn at random; 0 = all.
        rows_from : DataFrame, Table, relation, array, str or path, optional
            Another table whose rows are explained, all of them unless rows or explain say otherwise; what
            they are compared with comes from the data.
        background_data : DataFrame, Table, relation, array, str or path, optional
            Another table that rows are compared with, such as the training data: background, neighbourhood,
            levels and quantiles come from there.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: samples per text, 2,000 for each rule that is checked, and what the search wants besides.
        Ribeiro, Singh & Guestrin 2018, Anchors: high-precision model-agnostic explanations.

        """
        return self._run(
            "anchors-text",
            {
                "text_column": text_column,
                "rows": rows,
                "explain": explain,
                "precision": _one_of("precision", precision, 0.95, "threshold", threshold),
                "delta": delta,
                "epsilon": epsilon,
                "max_words": max_words,
                "outcome": outcome,
                "tolerance": tolerance,
                "beam": _one_of("beam", beam, 4, "beam_size", beam_size),
                "samples": samples,
                "mask": mask,
                "most_words": most_words,
                "use_rows": use_rows,
                "rows_from": rows_from,
                "background_data": background_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def counterfactuals(
        self,
        rows: Any = None,
        *,
        explain: int = 10,
        want: str = "",
        at_least: float | None = None,
        at_most: float | None = None,
        change: float | None = None,
        fixed: str | int | Sequence[str | int] | None = None,
        only_rise: str | int | Sequence[str | int] | None = None,
        only_fall: str | int | Sequence[str | int] | None = None,
        within: Literal["data", "anywhere"] = "data",
        max_changes: int = 3,
        count: int = 3,
        search: Literal["auto", "trees", "asking"] = "auto",
        boxes: int = 200000,
        compare_rows: int = 10000,
        other_model: Any = None,
        new_model: Any = None,
        rows_from: Any = None,
        background_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """What is the smallest change of a row with which the model says something else?

        min (features changed, Σ |x' − x| / MAD + levels changed) subject to f(x') as wanted.
        When to use it: somebody asks what would have had to be different, or how near a decision was.
        When not to: as advice what to do in the world: the model would answer otherwise, which is not what a
        change would cause.

        Parameters
        ----------
        rows : int or str or sequence of these, DataFrame, Table or array, optional
            These rows, counted from 0, or by their names (of the index, or of the explainer's `ids`); or a
            table of other rows, which are explained then (the same as rows_from).
        explain : int, optional
            Rows to explain where none are named, drawn at random; 0 = all.
        want : str, optional
            The class that is to be predicted; default: the most likely other one.
        at_least : float, optional
            The prediction is to be this or more.
        at_most : float, optional
            The prediction is to be this or less.
        change : float, optional
            The prediction is to rise by this or more; below 0: to fall.
        fixed : str or sequence of str, optional
            Features that may not change.
        only_rise : str or sequence of str, optional
            Features that may only become larger.
        only_fall : str or sequence of str, optional
            Features that may only become smaller.
        within : {"data", "anywhere"}, optional
            Data: values between the least and the greatest of the data, and levels that rows have;
            anywhere: all that the column can hold.
        max_changes : int, optional
            Features that may change together.
        count : int, optional
            Different changes, each of other features.
        search : {"auto", "trees", "asking"}, optional
            Trees: by the structure of trees, with proof; asking: by predictions alone; auto: trees where
            the model has them.
        boxes : int, optional
            Of trees: boxes of inputs to look at for a row, at the most; then what was proven so far is
            said.
        compare_rows : int, optional
            Rows of the data that say what is usual and near, drawn at random; 0 = all.
        other_model : estimator, callable, Booster, str or path, optional
            A second model, a newer version most likely: whether the changes that are found lead there, too.
        new_model : estimator, callable, Booster, str or path, optional
            The same as `other_model`.
        rows_from : DataFrame, Table, relation, array, str or path, optional
            Another table whose rows are explained, all of them unless rows or explain say otherwise; what
            they are compared with comes from the data.
        background_data : DataFrame, Table, relation, array, str or path, optional
            Another table that rows are compared with, such as the training data: background, neighbourhood,
            levels and quantiles come from there.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: trees: two predictions per row and a search of milliseconds to a second; others: some thousands of
        predictions per row.
        Wachter, Mittelstadt & Russell 2017, Counterfactual explanations without opening the black box.

        """
        return self._run(
            "counterfactuals",
            {
                "rows": rows,
                "explain": explain,
                "want": want,
                "at_least": at_least,
                "at_most": at_most,
                "change": change,
                "fixed": fixed,
                "only_rise": only_rise,
                "only_fall": only_fall,
                "within": within,
                "max_changes": max_changes,
                "count": count,
                "search": search,
                "boxes": boxes,
                "compare_rows": compare_rows,
                "other_model": _one_of("other_model", other_model, None, "new_model", new_model),
                "rows_from": rows_from,
                "background_data": background_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    recourse = counterfactuals

    @own_words
    def intrinsic(
        self,
        rows: Any = None,
        *,
        explain: int = 3,
        rows_from: Any = None,
        background_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """How does a model that explains itself arrive at the prediction of this row?

        margin = base + Σ_j w_j (t_j(x) − mean t_j); of a tree: margin = root + Σ changes of the mean along the
        path.
        When to use it: the model is a linear model, a tree, rules, an additive model, panels or one of
        neighbours that sightglass fit made.
        When not to: the model was made elsewhere: ask shap, or fit a surrogate.

        Parameters
        ----------
        rows : int or str or sequence of these, DataFrame, Table or array, optional
            These rows, counted from 0, or by their names (of the index, or of the explainer's `ids`); or a
            table of other rows, which are explained then (the same as rows_from).
        explain : int, optional
            Rows to explain where none are named, drawn at random; 0 = all.
        rows_from : DataFrame, Table, relation, array, str or path, optional
            Another table whose rows are explained, all of them unless rows or explain say otherwise; what
            they are compared with comes from the data.
        background_data : DataFrame, Table, relation, array, str or path, optional
            Another table that rows are compared with, such as the training data: background, neighbourhood,
            levels and quantiles come from there.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: one prediction per row.
        Friedman, Popescu 2008, Predictive learning via rule ensembles; Saabas 2014, Interpreting random
        forests.

        """
        return self._run(
            "intrinsic",
            {
                "rows": rows,
                "explain": explain,
                "rows_from": rows_from,
                "background_data": background_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    own = intrinsic

    @own_words
    def surrogate(
        self,
        learner: str | Sequence[str] | None = None,
        *,
        kind: str | Sequence[str] | None = None,
        features: str | int | Sequence[str | int] | None = None,
        size: int = 0,
        held_out: float = 0.25,
        regions: int = 4,
        refits: int = 20,
        frontier: bool = True,
        near: int | None = None,
        width: float = 0.75,
        votes: bool = False,
        proof: int = 64,
        fit_rows: int = 20000,
        rows_from: Literal["data", "grid"] = "data",
        grid: int = 10,
        far_rows: int = 1000,
        alternatives: float = 0.01,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """Which simple model says nearly the same as this one, and where does it not?

        g = argmin Σ w (f(x) − g(x))² + size; R² = 1 − Σ w (f − g)² / Σ w (f − mean f)².
        When to use it: people are to see the gist of a model at a glance, as a tree, a few rules or terms.
        When not to: the surrogate follows the model badly, or single predictions matter: it explains itself,
        not the model.

        Parameters
        ----------
        learner : str or sequence of str, optional
            Which surrogates to fit: linear, tree, optimal-tree, rules (at most 10 of them), rulefit (rules
            and linear terms), gam; default: all but rulefit.
        kind : str or sequence of str, optional
            The same as `learner`.
        features : str or sequence of str, optional
            Features that surrogates may use; default: all that the model uses.
        size : int, optional
            Leaves, rules or terms at most; 0 = 8 leaves or terms, 10 rules.
        held_out : float, optional
            Share of the rows on which fidelity is measured and nothing is fitted.
        regions : int, optional
            Parts into which each feature is cut to look for regions where a surrogate fails; 0 = none.
        refits : int, optional
            Refits on resampled rows: how often each split, rule or term comes back; 0 = none.
        frontier : bool, optional
            Fidelity against size, for several sizes of each kind.
        near : int, optional
            Row whose surroundings are to be explained: rows count by how near they are to it.
        width : float, optional
            With near: how far rows count, in standard deviations of each feature.
        votes : bool, optional
            Of a model with classes: learn the class that it predicts, all classes by one surrogate, instead
            of the probability of each.
        proof : int, optional
            Of a tree ensemble: boxes of inputs to look at for a proof of how far a surrogate tree can be
            off in each of its leaves; 0 = none.
        fit_rows : int, optional
            Rows to fit to, drawn at random; 0 = all.
        rows_from : {"data", "grid"}, optional
            What to fit to: rows of the data, or rows made of a grid of values of features, whatever their
            combination.
        grid : int, optional
            Values of each number for rows that are made of them, at the most.
        far_rows : int, optional
            With rows from the data: rows made of all values, to see how surrogates do off the data; 0 =
            none.
        alternatives : float, optional
            List other trees whose fidelity is lower by no more than this; 0 = none.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: one prediction per row used or made.
        Craven & Shavlik 1995, Extracting tree-structured representations of trained networks.

        """
        return self._run(
            "surrogate",
            {
                "learner": _one_of("learner", learner, None, "kind", kind),
                "features": features,
                "size": size,
                "held_out": held_out,
                "regions": regions,
                "refits": refits,
                "frontier": frontier,
                "near": near,
                "width": width,
                "votes": votes,
                "proof": proof,
                "fit_rows": fit_rows,
                "rows_from": rows_from,
                "grid": grid,
                "far_rows": far_rows,
                "alternatives": alternatives,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def prototypes(
        self,
        prototypes: int = 30,
        *,
        criticisms: int = 10,
        per_class: bool = False,
        features: str | int | Sequence[str | int] | None = None,
        gamma: float | None = None,
        map: str | int | Sequence[str | int] | None = None,
        attributions: int = 3,
        surrogate: str | Sequence[str] | None = None,
        size: int = 0,
        use_rows: int = 100000,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """Which rows stand for all others, and which rows do these not stand for?

        prototypes: min MMD² = 1/m² ΣΣ k(z, z') − 2/(mn) ΣΣ k(z, x) + 1/n² ΣΣ k(x, x'); criticisms: max
        Σ|witness| + log det K.
        When to use it: people understand examples better than formulas, or the data themselves are to be
        understood.
        When not to: distance has no meaning for the features as they are: what counts as alike decides
        everything.

        Parameters
        ----------
        prototypes : int, optional
            Rows that stand for the others.
        criticisms : int, optional
            Rows that these do not stand for.
        per_class : bool, optional
            Divide both among the classes of the target, each of which has its own.
        features : str or sequence of str, optional
            Features by which rows are alike; default: all that the model uses, or all columns.
        gamma : float, optional
            Γ of the kernel exp(−γ d²): larger ones see only rows that are nearly equal; default: 1 / (2
            median²) of the distances.
        map : str or sequence of str, optional
            Two features to draw the rows along; default: the first two principal components.
        attributions : int, optional
            With a model: features that add most to the prediction of each row; 0 = none.
        surrogate : str or sequence of str, optional
            Fit these to what the model predicts for the prototypes, each counting as many rows as it stands
            for: linear, tree, optimal-tree, rules, rulefit, gam.
        size : int, optional
            Of surrogates: leaves, rules or terms at most; 0 = as they usually have.
        use_rows : int, optional
            Rows to choose from, drawn at random: time grows with their square; 0 = all.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: half the pairs of rows; with a model one prediction per row shown, and their Shapley values; with
        surrogates one prediction per row of the data.
        Kim, Khanna & Koyejo 2016, Examples are not enough, learn to criticize!

        """
        return self._run(
            "prototypes",
            {
                "prototypes": prototypes,
                "criticisms": criticisms,
                "per_class": per_class,
                "features": features,
                "gamma": gamma,
                "map": map,
                "attributions": attributions,
                "surrogate": surrogate,
                "size": size,
                "use_rows": use_rows,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    mmd_critic = prototypes

    @own_words
    def neighbors(
        self,
        rows: Any = None,
        *,
        explain: int = 1,
        neighbors: int = 5,
        use_rows: int = 20000,
        rows_from: Any = None,
        background_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """Which rows of the data are most like this one, and what does the model say of them?

        d(x, z) = mean_j |x_j − z_j| / range_j, or 1 where levels differ; the k rows with the smallest d.
        When to use it: to see whether a prediction is that of similar rows, and how these turned out.
        When not to: distance has no meaning for the features as they are: what counts as alike decides
        everything.

        Parameters
        ----------
        rows : int or str or sequence of these, DataFrame, Table or array, optional
            These rows, counted from 0, or by their names (of the index, or of the explainer's `ids`); or a
            table of other rows, which are explained then (the same as rows_from).
        explain : int, optional
            Rows to explain where none are named, drawn at random; 0 = all.
        neighbors : int, optional
            Rows to show for each.
        use_rows : int, optional
            Rows among which they are looked for, drawn at random; 0 = all.
        rows_from : DataFrame, Table, relation, array, str or path, optional
            Another table whose rows are explained, all of them unless rows or explain say otherwise; what
            they are compared with comes from the data.
        background_data : DataFrame, Table, relation, array, str or path, optional
            Another table that rows are compared with, such as the training data: background, neighbourhood,
            levels and quantiles come from there.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: one prediction per neighbour; at the most rows × features distances per row.
        Gower 1971, A general coefficient of similarity and some of its properties.

        """
        return self._run(
            "neighbors",
            {
                "rows": rows,
                "explain": explain,
                "neighbors": neighbors,
                "use_rows": use_rows,
                "rows_from": rows_from,
                "background_data": background_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    nearest = neighbors

    @own_words
    def compare(
        self,
        features: str | int | Sequence[str | int] | None = None,
        *,
        bins: int = 40,
        grid: int = 64,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """How do partial dependence, M-plot and ALE of a feature differ?

        PD(v), mean prediction of the rows near v, and ALE(v) plus the mean prediction, in one chart.
        When to use it: to see whether correlated features bend a curve: where the three agree, any of them can
        be read.
        When not to: a quick look at many features: it costs as much as its three methods together.

        Parameters
        ----------
        features : str or sequence of str, optional
            Features to explain, by name or position; default: all that the model uses.
        bins : int, optional
            Bins of numeric features for ALE and the M-plot, at the most.
        grid : int, optional
            Grid points of numeric features for partial dependence, at the most.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: those of partial-dependence, ale and m-plot: (grid + 3) × rows predictions per feature.
        Apley and Zhu 2020, Visualizing the effects of predictor variables in black box supervised learning
        models.

        """
        return self._run(
            "compare",
            {
                "features": features,
                "bins": bins,
                "grid": grid,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def compare_models(
        self,
        other_model: Any = None,
        *,
        names: str | Sequence[str] | None = None,
        features: str | int | Sequence[str | int] | None = None,
        top: int = 6,
        bins: int = 40,
        repeats: int = 5,
        n_repeats: int | None = None,
        examples: int = 10,
        max_depth: int = 3,
        min_leaf_rows: int = 0,
        min_samples_leaf: int | None = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """How do two models differ, in which rows and regions most, and which is nearer to the truth?

        d_i = b(x_i) − a(x_i); of classes ½ Σ_k |b_k(x_i) − a_k(x_i)|.
        When to use it: to choose between two models, or before a new version replaces the one that is in use.
        When not to: rows that one of them was trained on and the other was not: that one looks better than it
        is.

        Parameters
        ----------
        other_model : estimator, callable, Booster, str or path, optional
            The second model.
        names : str or sequence of str, optional
            What the two are called, the first one first; default: by their files.
        features : str or sequence of str, optional
            Features whose effects are compared; default: the most important ones of both.
        top : int, optional
            How many of the most important features of each model have their effects compared.
        bins : int, optional
            Bins of numeric features for ALE, at the most.
        repeats : int, optional
            Times that each feature is shuffled for its importance.
        n_repeats : int, optional
            The same as `repeats`.
        examples : int, optional
            How many of the rows are shown in which they disagree most.
        max_depth : int, optional
            The most conditions of a region in which they disagree.
        min_leaf_rows : int, optional
            The fewest rows of such a region; 0 = one in thirty, and at least 20.
        min_samples_leaf : int, optional
            The same as `min_leaf_rows`.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: performance, permutation importance and ALE of both models, and two predictions of each row.
        Biecek & Burzykowski 2021, Explanatory Model Analysis.

        """
        return self._run(
            "compare-models",
            {
                "other_model": other_model,
                "names": names,
                "features": features,
                "top": top,
                "bins": bins,
                "repeats": _one_of("repeats", repeats, 5, "n_repeats", n_repeats),
                "examples": examples,
                "max_depth": max_depth,
                "min_leaf_rows": _one_of("min_leaf_rows", min_leaf_rows, 0, "min_samples_leaf", min_samples_leaf),
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    models = compare_models

    @own_words
    def ranking(
        self,
        features: str | int | Sequence[str | int] | None = None,
        *,
        repeats: int = 10,
        n_repeats: int | None = None,
        predictions: int = 5000000,
        budget: int | None = None,
        flat_share: float = 0.1,
        high_share: float = 0.3,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """Which features matter, by every measure side by side?

        permutation importance, PD-based importance, mean |SHAP| and interaction strength H_j of each feature.
        When to use it: an overview of all features, and a check whether measures agree.
        When not to: strongly correlated features: all of these measures evaluate rows that could not exist.

        Parameters
        ----------
        features : str or sequence of str, optional
            Features to explain, by name or position; default: all that the model uses.
        repeats : int, optional
            Shuffles per feature of the permutation importance.
        n_repeats : int, optional
            The same as `repeats`.
        predictions : int, optional
            Predictions for the interactions, and for the Shapley values: all rows if that suffices, else
            samples.
        budget : int, optional
            The same as `predictions`.
        flat_share : float, optional
            Flat-but-important: a PD-based importance below this share of the largest is flat.
        high_share : float, optional
            Flat-but-important: a permutation importance or interaction above this share of the largest is
            high.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: those of permutation-importance, pd-importance, shap and the totals of interactions.
        Molnar 2022, Interpretable machine learning.

        """
        return self._run(
            "ranking",
            {
                "features": features,
                "repeats": _one_of("repeats", repeats, 10, "n_repeats", n_repeats),
                "predictions": _one_of("predictions", predictions, 5000000, "budget", budget),
                "flat_share": flat_share,
                "high_share": high_share,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def explain_row(
        self,
        rows: Any = None,
        *,
        neighbors: int = 5,
        grid: int = 64,
        background_rows: int = 100,
        want: str = "",
        at_least: float | None = None,
        at_most: float | None = None,
        change: float | None = None,
        rows_from: Any = None,
        background_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """Why does the model predict what it does for this row, and what would change it?

        those of its methods, all on the scale of the predictions.
        When to use it: somebody asks about one prediction: all that can be said about it, in one place.
        When not to: what the model does in general: its effects and rankings over all rows say that.

        Parameters
        ----------
        rows : int or str or sequence of these, DataFrame, Table or array, optional
            These rows, counted from 0, or by their names (of the index, or of the explainer's `ids`); or a
            table of other rows, which are explained then (the same as rows_from).
        neighbors : int, optional
            Most similar rows to show.
        grid : int, optional
            Points of a numeric feature at which its value is changed, at the most.
        background_rows : int, optional
            Rows with which the row is compared to see what features add, drawn at random; 0 = all. Trees
            are compared with all rows.
        want : str, optional
            The class for which the smallest change is looked for; default: the most likely other one.
        at_least : float, optional
            The smallest change with which the prediction is this or more.
        at_most : float, optional
            The smallest change with which the prediction is this or less.
        change : float, optional
            The smallest change with which the prediction rises by this or more; below 0: falls.
        rows_from : DataFrame, Table, relation, array, str or path, optional
            Another table whose rows are explained, all of them unless rows or explain say otherwise; what
            they are compared with comes from the data.
        background_data : DataFrame, Table, relation, array, str or path, optional
            Another table that rows are compared with, such as the training data: background, neighbourhood,
            levels and quantiles come from there.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: those of its methods, for one row.
        Biecek & Burzykowski 2021, Explanatory Model Analysis.

        """
        return self._run(
            "explain-row",
            {
                "rows": rows,
                "neighbors": neighbors,
                "grid": grid,
                "background_rows": background_rows,
                "want": want,
                "at_least": at_least,
                "at_most": at_most,
                "change": change,
                "rows_from": rows_from,
                "background_data": background_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def scorecard(
        self,
        rows: Any = None,
        *,
        of: str | Sequence[str] | None = None,
        neighbors: int = 10,
        other_model: Any = None,
        want: str = "",
        at_least: float | None = None,
        at_most: float | None = None,
        change: float | None = None,
        rows_from: Any = None,
        background_data: Any = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        where: str | None = None,
        by: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Result:
        """How good are the explanations of these rows?

        likeness of two explanations: Σ min / Σ max of the shares of their parts; docs/scorecard.md has the
        others.
        When to use it: before an explanation of a single prediction is believed, shown to somebody, or
        preferred to another.
        When not to: to explain anything: it judges explanations and does not show them.

        Parameters
        ----------
        rows : int or str or sequence of these, DataFrame, Table or array, optional
            These rows, counted from 0, or by their names (of the index, or of the explainer's `ids`); or a
            table of other rows, which are explained then (the same as rows_from).
        of : str or sequence of str, optional
            Explanations to judge; default: all that this model and these data allow.
        neighbors : int, optional
            Most similar rows whose explanations are compared with that of a row.
        other_model : estimator, callable, Booster, str or path, optional
            A second model: how alike are the explanations of both, and their predictions?
        want : str, optional
            Of counterfactuals: the class for which the smallest change is looked for.
        at_least : float, optional
            Of counterfactuals: the smallest change with which the prediction is this or more.
        at_most : float, optional
            Of counterfactuals: the smallest change with which the prediction is this or less.
        change : float, optional
            Of counterfactuals: the smallest change with which the prediction rises by this or more; below
            0: falls.
        rows_from : DataFrame, Table, relation, array, str or path, optional
            Another table whose rows are explained, all of them unless rows or explain say otherwise; what
            they are compared with comes from the data.
        background_data : DataFrame, Table, relation, array, str or path, optional
            Another table that rows are compared with, such as the training data: background, neighbourhood,
            levels and quantiles come from there.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        by : str, optional
            Column whose groups are explained one by one: its levels or values, or quarters of many numbers;
            or a part of its dates: month(column), year, quarter, weekday or hour.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        out : str or path, optional
            Where to save the result as well, as `Result.save` does. Folder, format and exporter are checked before
            the work.

        Returns
        -------
        Result

        Notes
        -----
        Cost: those of its methods, for the rows and those that are most like them.
        Robnik-Šikonja & Bohanec 2018, Perturbation-based explanations of prediction models.

        """
        return self._run(
            "scorecard",
            {
                "rows": rows,
                "of": of,
                "neighbors": neighbors,
                "other_model": other_model,
                "want": want,
                "at_least": at_least,
                "at_most": at_most,
                "change": change,
                "rows_from": rows_from,
                "background_data": background_data,
                "output": output,
                "scale": scale,
                "where": where,
                "by": by,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
                "engine": engine,
            },
            out,
        )

    @own_words
    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        features: str | int | Sequence[str | int] | None = None,
        by: str | None = None,
        top: int | None = None,
        pairs: int | None = None,
        examples: int | None = None,
        budget: str | float | None = None,
        no_rows: bool | None = None,
        skip: str | Sequence[str] | None = None,
        predictions: int | None = None,
        part_rows: str | Sequence[str] | None = None,
        title: str | None = None,
        other_model: Any = None,
        names: str | Sequence[str] | None = None,
        output: Any = None,
        scale: Literal["response", "margin"] | None = None,
        engine: Literal["blackbox", "trees"] | None = None,
        where: str | None = None,
        sample: int | None = None,
        seed: int | None = None,
        random_state: int | None = None,
        out: str | os.PathLike[str] | None = None,
    ) -> Report:
        """Everything a careful analyst would ask, as one page.

        The model's speed is measured, and where the time (budget) does not suffice fewer rows are used and
        parts left out; report.results[0].options has what was decided as sample, skip, predictions and
        part_rows, which repeat it.

        Parameters
        ----------
        path : str or path, optional
            Where to write the page (.html); it can also be saved later.
        features : str or sequence of str, optional
            Features to explain, by name or position; default: all that the model uses.
        by : str, optional
            Column whose groups are compared: how good the predictions are, what matters and what the most
            important features do in each; its levels or values, or quarters of many numbers.
        top : int, optional
            How many of the most important features are followed for single rows. Default: 8.
        pairs : int, optional
            How many of the strongest pairs are drawn. Default: 6.
        examples : int, optional
            How many single rows are explained, at the most. Default: 10.
        budget : str, optional
            Time that it may take, about: 90s, 5m, 1h; above that fewer rows are used. 0 = no limit, and so
            with sample. Default: 2m.
        no_rows : bool, optional
            Leave out everything that shows single rows of the data.
        skip : str or sequence of str, optional
            Parts to leave out: confusion-matrix, roc, precision-recall, calibration, threshold,
            performance-by, residuals, error-regions, importance-by, pd-importance, shap, example-shap,
            partial-dependence, effects-by, ice, regional-effects, interactions, decomposition, ale-pairs,
            pd-pairs, what-if, anchors, counterfactuals, neighbors, surrogates, prototypes, prototype-shap.
        predictions : int, optional
            Predictions that interactions, decomposition and Shapley values may ask for, each; 0 = as these
            methods do.
        part_rows : str or sequence of str, optional
            Rows of single parts, as ale=500; 0 = all, as scores have where time chooses fewer: performance,
            permutation-importance, performance-by, ale, m-plot.
        title : str, optional
            Title of the page.
        other_model : estimator, callable, Booster, str or path, optional
            A second model: the page compares both (as compare-models).
        names : str or sequence of str, optional
            What two models are called, the first one first; default: by their files.
        output : str, optional
            Class or output to explain; default: all. As the explainer was told if not given.
        scale : {"response", "margin"}, optional
            Scale of the predictions; default: response, but for interactions, decomposition, shap and lime
            margin (before the link) where the model has one. As the explainer was told if not given.
        engine : {"blackbox", "trees"}, optional
            Blackbox: by predictions alone; trees: exactly, by the model's trees; default: trees where the
            model has them.
        where : str, optional
            Condition on the rows to use, for example: temp > 20 and season = winter; default: all rows.
        sample : int, optional
            Rows to use, drawn at random; 0 = all. As the explainer was told if not given.
        seed : int, optional
            Seed of everything random. As the explainer was told if not given.
        random_state : int, optional
            The same as `seed`.
        out : str or path, optional
            The same as `path`.

        Returns
        -------
        Report
        """
        return self._report(
            _one_of("path", path, None, "out", out),
            {
                "features": features,
                "by": by,
                "top": top,
                "pairs": pairs,
                "examples": examples,
                "budget": budget,
                "no_rows": no_rows,
                "skip": skip,
                "predictions": predictions,
                "part_rows": part_rows,
                "title": title,
                "other_model": other_model,
                "names": names,
                "output": output,
                "scale": scale,
                "engine": engine,
                "where": where,
                "sample": sample,
                "seed": _one_of("seed", seed, None, "random_state", random_state),
            },
        )
