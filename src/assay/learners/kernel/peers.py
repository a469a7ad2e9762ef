"""Support vector machines and kernel ridge as scikit-learn's, and back."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse

from assay.errors import BadParameter
from assay.kernels import Kernel, as_kernel
from assay.learners.common.conversion import Convert, converts
from assay.learners.kernel.kernel_ridge import KernelRidge
from assay.learners.kernel.svc import SVC
from assay.learners.kernel.svr import SVR
from assay.types import Array, Floats, Ints

_NAMED = ("linear", "poly", "rbf", "sigmoid", "precomputed")


def _named(model: Any) -> str:
    """The kernel by the name that scikit-learn's machines have for it."""
    spec = model.kernel
    name = spec if isinstance(spec, str) else spec.__class__.__name__
    if isinstance(spec, str) and name in _NAMED:
        return name
    raise BadParameter(
        f"scikit-learn's machines keep the kernels {', '.join(map(repr, _NAMED))}, but kernel is {name!r}: of any "
        "other they need all training rows, which this model does not hold."
    )


def _machine_to_peer(model: Any, peer: Any, dual: Floats, free: Floats, counts: Ints) -> None:
    name = _named(model)
    peer.kernel, peer._gamma = name, model.gamma_
    if name in ("poly", "rbf", "sigmoid"):
        peer.gamma = model.gamma_ or peer.gamma
    spread = sparse.issparse(model.support_vectors_)
    peer._sparse = spread
    peer.support_ = model.support_.astype(np.int32)
    vectors = model.support_vectors_
    vectors = vectors.astype(np.float64) if spread else np.array(vectors, np.float64, order="C")
    peer.support_vectors_ = vectors
    peer._n_support = np.asarray(counts, np.int32)
    peer.dual_coef_ = _all_stored(dual) if spread else np.array(dual, order="C")
    peer.intercept_ = np.array(free, np.float64)
    peer._probA, peer._probB, peer._effective_probability = np.zeros(0), np.zeros(0), False
    peer.shape_fit_ = _shape_of(model)
    peer.fit_status_, peer._num_iter = 0, np.zeros(len(peer.intercept_), np.int32)
    peer.class_weight_ = getattr(model, "class_weight_", np.zeros(0))
    peer._intercept_, peer._dual_coef_ = peer.intercept_, peer.dual_coef_


def _all_stored(dual: Floats) -> Any:
    """A sparse matrix that stores its zeros, too: LIBSVM reads the numbers one after the other."""
    rows, columns = dual.shape
    places = np.tile(np.arange(columns, dtype=np.int32), rows)
    ends = np.arange(rows + 1, dtype=np.int32) * columns
    return sparse.csr_matrix((dual.ravel(), places, ends), shape=dual.shape)


def _shape_of(model: Any) -> tuple[int, int]:
    if model.kernel == "precomputed":
        return (int(model.n_features_in_),) * 2
    rows = int(model.support_.max(initial=0)) + 1
    return (model.shape_fit_[0] if hasattr(model, "records_") else rows), int(model.n_features_in_)


def _svc_to_peer(model: Any, peer: Any, convert: Convert) -> None:
    many = len(model.classes_)
    if many > 2 and model.multi_class != "ovo":
        raise BadParameter(
            "scikit-learn's SVC compares the classes in pairs, but this one has a machine for each against the rest. "
            "Fit with multi_class='ovo'."
        )
    dual = np.asarray(model._dual, np.float64)
    if many > 2:
        dual = _by_class(dual, model.n_support_, many)
    _machine_to_peer(model, peer, dual, model.intercept_, model.n_support_)
    peer.classes_ = model.classes_
    if hasattr(model, "curves_"):
        peer.probability = peer._effective_probability = True
        peer._probA, peer._probB = model.probA_, model.probB_
    elif "probability" in peer.get_params(deep=False):
        peer.probability = type(peer)().probability
    if many == 2:  # LIBSVM's own signs are those of the first class
        peer._intercept_, peer._dual_coef_ = -peer.intercept_, -peer.dual_coef_


def _by_class(dual: Floats, counts: Ints, many: int) -> Floats:
    """Coefficients of pairs as LIBSVM lays them out: of each class's vectors a row for each other class."""
    ends = np.concatenate([[0], np.cumsum(counts)])
    laid = np.zeros((many - 1, dual.shape[1]))
    for row, (i, j) in zip(dual, combinations(range(many), 2), strict=True):
        ours, theirs = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
        laid[j - 1, ours], laid[i, theirs] = row[ours], row[theirs]
    return laid


def _by_pair(laid: Floats, counts: Ints, many: int) -> Floats:
    """The inverse of `_by_class`."""
    ends = np.concatenate([[0], np.cumsum(counts)])
    rows = []
    for i, j in combinations(range(many), 2):
        row = np.zeros(laid.shape[1])
        ours, theirs = slice(ends[i], ends[i + 1]), slice(ends[j], ends[j + 1])
        row[ours], row[theirs] = laid[j - 1, ours], laid[i, theirs]
        rows.append(row)
    return np.array(rows)


def _svr_to_peer(model: Any, peer: Any, convert: Convert) -> None:
    counts = np.array([len(model.support_), 0])
    _machine_to_peer(model, peer, np.asarray(model._dual), model.intercept_, counts)


def _machine_from_peer(peer: Any, model: Any, dual: Floats) -> None:
    model.kernel_ = _kernel_of(peer)
    model.gamma_ = float(getattr(model.kernel_, "gamma", 0.0))
    model.support_ = np.asarray(peer.support_, np.int64)
    vectors = peer.support_vectors_
    if sparse.issparse(vectors):
        model.support_vectors_ = sparse.csr_matrix(vectors)
        model.support_vectors_.sort_indices()
        model.dual_coef_ = sparse.csr_matrix(dual)
    else:
        model.support_vectors_ = np.array(vectors, np.float64)
        model.dual_coef_ = np.ascontiguousarray(dual)
    if peer.kernel == "precomputed":
        model.support_vectors_ = np.zeros((0, 0))
    model.intercept_ = np.array(peer.intercept_, np.float64)
    model._hold_settings()


def _kernel_of(peer: Any) -> Kernel:
    if peer.kernel not in _NAMED:
        raise BadParameter(
            f"kernel must be one of {', '.join(map(repr, _NAMED))} for a machine to become assay's, but is "
            f"{peer.kernel!r}: a function cannot stand in a model file."
        )
    given = getattr(peer, "_gamma", peer.gamma)
    return as_kernel(peer.kernel, gamma=given, degree=peer.degree, coef0=peer.coef0, X=None)


def _svc_from_peer(peer: Any, model: Any, convert: Convert) -> None:
    many = len(peer.classes_)
    model.classes_ = np.asarray(peer.classes_)
    model.n_support_ = np.asarray(peer.n_support_, np.int64)
    model.class_weight_ = np.asarray(peer.class_weight_, np.float64)
    dual = _dense(peer.dual_coef_)
    if many > 2:
        dual = _by_pair(dual, model.n_support_, many)
    _machine_from_peer(peer, model, np.asarray(dual, np.float64))
    if peer.probability is True:
        signs = -1.0 if many == 2 else 1.0
        model.curves_ = np.column_stack([peer.probA_, signs * peer.probB_]).astype(np.float64)
    else:
        model.probability = False


def _svr_from_peer(peer: Any, model: Any, convert: Convert) -> None:
    _machine_from_peer(peer, model, np.asarray(_dense(peer.dual_coef_), np.float64))


def _dense(matrix: Any) -> Array:
    return np.asarray(matrix.toarray() if sparse.issparse(matrix) else matrix)


def _ridge_to_peer(model: Any, peer: Any, convert: Convert) -> None:
    spec = model.kernel
    if not isinstance(spec, str):
        raise BadParameter(
            "scikit-learn's KernelRidge has kernels by name, but this one's is an object. Give its name to fit."
        )
    peer.alpha = getattr(model, "alpha_", model.alpha)
    peer.dual_coef_ = model.dual_coef_.copy()
    peer.X_fit_ = getattr(model, "X_fit_", np.zeros((model.n_features_in_,) * 2))


def _ridge_from_peer(peer: Any, model: Any, convert: Convert) -> None:
    if not isinstance(peer.kernel, str) or peer.kernel not in (*_NAMED, "laplacian", "cosine"):
        raise BadParameter(
            f"kernel must be a name that assay knows for a KernelRidge to become assay's, but is {peer.kernel!r}."
        )
    model.dual_coef_ = np.ascontiguousarray(peer.dual_coef_, np.float64)
    if peer.kernel != "precomputed":
        rows = peer.X_fit_
        model.X_fit_ = rows if sparse.issparse(rows) else np.array(rows, np.float64)


converts(SVC, "sklearn.svm:SVC", _svc_to_peer, _svc_from_peer)
converts(SVR, "sklearn.svm:SVR", _svr_to_peer, _svr_from_peer)
converts(KernelRidge, "sklearn.kernel_ridge:KernelRidge", _ridge_to_peer, _ridge_from_peer)
