"""Fitting a model to more rows than one machine holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from assay.compiled.common.processors import processors
from assay.distributed.in_sequence import InSequence
from assay.distributed.on_cluster import OnCluster
from assay.distributed.tables import Sample, sample_of
from assay.errors import BadParameter, require
from assay.extras import needed_for
from assay.learners.common.atomic_fit import all_or_nothing, forget
from assay.learners.common.blocks import Blocks


def fit(model: Any, X: Any, y: Any, *, sample_weight: Any = None, client: Any = None) -> Any:
    """Fit a model to rows that lie in Dask collections or in a folder of Parquet.

    The work is cut into blocks of rows whose boundaries depend on the number and the width of the rows only, and what
    the blocks say is put together in one order. So the model is the same, bit for bit, however the rows are divided
    into partitions, and on any number of workers. All rows are learned from, or an error says why not.

    Parameters
    ----------
    model : learner
        One of assay's that learns from blocks; it is fitted itself, and is afterwards like any other.
    X : dask array, dask frame, or path
        The rows: numbers, read in double precision. A path is that of a Parquet file, or of a folder of them, which
        every worker must be able to read. Arrays and frames in memory are taken as well.
    y : dask array, dask series, or str
        The labels or targets; the name of a column where X has named columns, whose other columns are then the
        features.
    sample_weight : dask array, dask series, or str, optional
        The weights of the rows, or the name of their column.
    client : distributed.Client, str or None, default=None
        The cluster: a client, or the address of a scheduler, or ``"local"`` for one of threads of this process that is
        stopped afterwards. None: one block after the other, so that rows need not fit into memory.

    Returns
    -------
    model

    Examples
    --------
    >>> import numpy as np
    >>> from assay import GaussianNB
    >>> from assay.distributed import fit
    >>> model = fit(GaussianNB(), np.array([[-1.0], [-2.0], [1.0], [2.0]]), ["a", "a", "b", "b"])
    >>> model.theta_.tolist(), model.record_.errors
    ([[-1.5], [1.5]], 0)
    """
    if not hasattr(model, "_fit_blocks"):
        raise BadParameter(
            f"{type(model).__name__} does not learn from blocks of rows. These learners do: {', '.join(able())}."
        )
    warm: Any = getattr(model, "warm_start", False)
    require(not warm, "warm_start", "False to learn from blocks of rows", warm)
    sample = sample_of(X, y, sample_weight)
    gaps = bool(get_tags(model).input_tags.allow_nan)
    with clustered(client) as connected:
        if connected is None:
            blocks: Blocks = InSequence.of(sample, gaps=gaps)
        else:
            blocks = OnCluster.of(connected, sample, gaps=gaps)
        return _fitted(model, sample, blocks)


def able() -> list[str]:
    """The learners that learn from blocks, by name."""
    from assay.learners.registry import find_learner, learner_names

    kinds = map(find_learner, learner_names())
    return sorted(kind.__name__ for kind in kinds if hasattr(kind, "_fit_blocks"))


@all_or_nothing
def _fitted(model: Any, sample: Sample, blocks: Blocks) -> Any:
    forget(model)
    model.n_features_in_ = sample.width
    if sample.names is not None:
        model.feature_names_in_ = np.array(sample.names, dtype=object)
    return model._fit_blocks(blocks)


@contextmanager
def clustered(client: Any) -> Iterator[Any]:
    """A client for the time of a fit, or None."""
    if client is None or not isinstance(client, str):
        yield client
        return
    with needed_for("A cluster", extra="dask"):
        import distributed
    local: Any = distributed.LocalCluster
    connect: Any = distributed.Client
    if client == "local":
        # Threads: loops give up the lock, rows are not copied, and no script needs a guard for being started again.
        terms = {"n_workers": 1, "threads_per_worker": processors(), "processes": False}
        with local(**terms, dashboard_address=":0") as cluster, connect(cluster) as own:
            yield own
        return
    with connect(client) as own:
        yield own
