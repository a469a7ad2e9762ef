from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from assay import GaussianNB, Ridge
from assay.distributed import predict
from tests.distributed.samples import classified, cut, measured


@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_part_by_part_it_is_what_the_model_says(method, tmp_path):
    import dask.dataframe as dd

    X, y = classified()
    frame = pd.DataFrame(X, columns=list("abcde"), index=np.arange(len(X)) * 2)
    model = GaussianNB().fit(frame, y)
    expected = getattr(model, method)(frame)
    frame["other"] = "x"
    frame.to_parquet(tmp_path / "rows.parquet")
    for given in (dd.from_pandas(frame, npartitions=4), tmp_path):
        lazy = predict(model, given, method=method)
        assert lazy.npartitions == (4 if given is not tmp_path else 1)
        assert np.array_equal(lazy.compute(), expected)
    plain = GaussianNB().fit(X, y)
    assert np.array_equal(predict(plain, cut(X, 5), method=method).compute(), expected)


def test_a_series_has_the_index_of_its_frame():
    import dask.dataframe as dd

    X, y = measured()
    frame = pd.DataFrame(X, columns=list("abcde"), index=np.arange(len(X)) * 2)
    predicted = predict(Ridge().fit(frame, y), dd.from_pandas(frame, npartitions=3)).compute()
    assert predicted.index.equals(frame.index)
