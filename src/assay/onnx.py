"""Models as ONNX, for runtimes that know nothing of Python, checked against the model before they are handed out."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from assay.errors import BadParameter
from assay.extras import needed_for
from assay.learners.registry import name_of
from assay.learners.sklearn_models import to_sklearn
from assay.types import Array, Floats

#: The one input: so many numbers in single precision for each row.
INPUT = "X"
#: By how much probabilities and scores may differ, as a share of their size: they are computed in single precision.
CLOSE = 1e-4
_ROWS = 1000


@dataclass(frozen=True)
class OnnxModel:
    """A model as ONNX.

    Attributes
    ----------
    content : bytes
        What a file holds.
    features : tuple of str
        What stands in each column of the input, in this order.
    rows : int
        On how many rows it was compared with the model.
    apart : float
        By how much probabilities, or predicted numbers, differed at most.
    """

    content: bytes
    features: tuple[str, ...]
    rows: int
    apart: float


def to_onnx(model: Any, rows: Any = None) -> OnnxModel:
    """A fitted learner as ONNX: rows of numbers in, labels and probabilities, or numbers, out.

    The equal model of scikit-learn is converted, by skl2onnx. What comes out is run, by onnxruntime, on 1,000 rows
    drawn from where the model decides, and compared with the model; where the two predict different labels, or their
    numbers differ by more than single precision explains, nothing is handed out.

    Parameters
    ----------
    model : learner
        One that has an equal in scikit-learn, which skl2onnx knows.
    rows : array-like of shape (n_samples, n_features), optional
        Rows to compare on in place of drawn ones; such as the model is for show most.

    Returns
    -------
    OnnxModel

    Raises
    ------
    BadParameter
        If it cannot be converted, or does not predict the same.
    """
    name = name_of(model)
    with needed_for("An ONNX model", "onnx"):
        from skl2onnx import to_onnx as converted
        from skl2onnx.common.data_types import FloatTensorType
    peer = _with_scale(model, to_sklearn(model))
    width = int(model.n_features_in_)
    given: dict[str, Any] = {"initial_types": [(INPUT, FloatTensorType([None, width]))]}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                made = converted(peer, options={id(peer): {"zipmap": False}}, **given)
            except NameError:  # what has no probabilities does not know the option
                made = converted(peer, **given)
    except Exception as problem:  # skl2onnx has an error for each of its steps
        raise BadParameter(f"skl2onnx cannot convert this {name}: {_brief(problem)}.") from None
    content = made.SerializeToString()
    cells = probes(model) if rows is None else np.ascontiguousarray(rows, dtype=np.float32)
    return OnnxModel(content, _features(model), len(cells), compared(model, content, cells))


def _with_scale(model: Any, peer: Any) -> Any:
    """The model behind the scale that it was learned with, if there is one."""
    scale = getattr(model, "scale_", None)
    if scale is None:
        return peer
    from sklearn.pipeline import Pipeline  # only here: few models have one
    from sklearn.preprocessing import StandardScaler

    step = StandardScaler()
    step.mean_, step.var_ = scale.mean.copy(), scale.deviation**2
    # A feature that has not varied is zero, whatever it is.
    step.scale_ = np.where(scale.deviation > 0, scale.deviation, np.finfo(np.float32).max)
    step.n_features_in_, step.n_samples_seen_ = len(scale.mean), scale.rows
    return Pipeline([("scale", step), ("model", peer)])


def _features(model: Any) -> tuple[str, ...]:
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = [f"x{i}" for i in range(model.n_features_in_)]
    return tuple(map(str, names))


def compared(model: Any, content: bytes, rows: Array) -> float:
    """By how much the numbers of a model and of its ONNX differ at most; refuses other labels, or numbers far off."""
    with needed_for("An ONNX model", "onnx"):
        import onnxruntime
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    answers = session.run(None, {INPUT: rows})
    scale = getattr(model, "scale_", None)
    cells = rows.astype(np.float64)
    cells = cells if scale is None else scale.transform(cells, learn=False)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        own = np.asarray(model.predict(cells))
        shares = model.predict_proba(cells) if hasattr(model, "predict_proba") else None
    if not hasattr(model, "classes_"):
        return _apart(model, own.reshape(len(rows), -1), answers[0].reshape(len(rows), -1))
    labels = own.astype(int) if own.dtype.kind == "b" else own
    other = np.asarray(answers[0]).reshape(labels.shape).astype(str) != labels.astype(str)
    if other.any():
        raise BadParameter(
            f"As ONNX this {name_of(model)} predicts another label on {int(other.sum()):,} of {len(rows):,} rows: its "
            "runtime computes in single precision. Nothing was handed out."
        )
    return 0.0 if shares is None else _apart(model, np.asarray(shares), np.asarray(answers[1]))


def _apart(model: Any, own: Floats, theirs: Array) -> float:
    if own.shape != theirs.shape:
        return 0.0  # scores where there are no probabilities: labels were compared
    apart = float(np.abs(own - theirs).max(initial=0.0))
    size = max(1.0, float(np.abs(own).max(initial=0.0)))
    if not apart <= CLOSE * size:
        raise BadParameter(
            f"As ONNX this {name_of(model)} gives numbers that are off by up to {apart:.3g}: its runtime computes in "
            "single precision. Nothing was handed out. Scale the features."
        )
    return apart


def probes(model: Any, rows: int = _ROWS, seed: int = 0) -> Array:
    """Rows from where a model decides, in single precision."""
    width = int(model.n_features_in_)
    low, high = _reach(model, width)
    drawn = np.random.default_rng(seed).uniform(-0.25, 1.25, (rows, width))
    return np.asarray(low + (high - low) * drawn, dtype=np.float32)


def _reach(model: Any, width: int) -> tuple[Floats, Floats]:
    """For each feature between which numbers the model tells rows apart, as far as it says; else -1 and 1."""
    low, high = np.full(width, np.inf), np.full(width, -np.inf)
    scale = getattr(model, "scale_", None)
    for points in (
        [scale.mean - 2 * scale.deviation, scale.mean + 2 * scale.deviation] if scale else []
    ):
        low, high = np.minimum(low, points), np.maximum(high, points)
    for name in ("X_fit_", "support_vectors_", "theta_"):
        held = getattr(model, name, None)
        if held is not None and np.ndim(held) == 2 and held.shape[0] and held.shape[1] == width:
            cells = held.toarray() if sparse.issparse(held) else np.asarray(held)
            low, high = np.minimum(low, cells.min(axis=0)), np.maximum(high, cells.max(axis=0))
    for feature, limit in _asked(model):
        inner = (feature >= 0) & np.isfinite(limit)
        np.minimum.at(low, feature[inner], limit[inner])
        np.maximum.at(high, feature[inner], limit[inner])
    known = low <= high
    low, high = np.where(known, low, -1.0), np.where(known, high, 1.0)
    return low, np.where(high > low, high, low + 1.0)


def _asked(model: Any) -> list[tuple[Array, Floats]]:
    """What trees ask: features, and limits."""
    if hasattr(model, "cuts_"):
        trees = model.trees_
        return [(trees["feature"], model.cuts_[trees["feature"], trees["cut"]])]
    if hasattr(model, "thresholds_"):
        return [(model.features_, model.thresholds_)]
    nodes = getattr(model, "nodes_", None)
    if isinstance(nodes, dict):
        return [(nodes["feature"], nodes["threshold"])]
    if nodes is not None:
        return [(nodes.feature, nodes.threshold)]
    return [pair for one in getattr(model, "learners_", []) for pair in _asked(one)]


def _brief(problem: Exception) -> str:
    text = " ".join(str(problem).split()).rstrip(".") or type(problem).__name__
    return text if len(text) <= 200 else f"{text[:200]}..."
