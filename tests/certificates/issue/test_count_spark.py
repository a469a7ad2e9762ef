"""The same certificate from Spark, where Java and PySpark are installed."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

from assay import certify

pytestmark = pytest.mark.guarantees

RNG = np.random.default_rng(8)
ROWS = 500
TABLE = pd.DataFrame(
    {
        "y": RNG.choice(["ham", "spam", "eggs"], ROWS),
        "p": RNG.choice(["ham", "spam"], ROWS),
        "sex": RNG.choice(["f", "m"], ROWS),
        "who": RNG.integers(0, 90, ROWS),
        "loss": RNG.beta(1, 9, ROWS),
    }
)


@pytest.fixture(scope="module")
def spark():
    sql = pytest.importorskip("pyspark.sql", reason="PySpark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Java is not installed, which Spark needs")
    session = (
        sql.SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "3")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "asked",
    [
        {"truth": "y", "prediction": "p"},
        {"truth": "y", "prediction": "p", "by": "sex", "unit": "who"},
        {"loss": "loss"},
        {"loss": "loss", "unit": "who"},
    ],
    ids=str,
)
@pytest.mark.parametrize("partitions", [1, 5])
def test_spark_counts_the_same(spark, asked, partitions):
    frame = spark.createDataFrame(TABLE.to_dict("records")).repartition(partitions)
    expected = json.dumps(certify(TABLE, **asked).to_json())
    assert json.dumps(certify(frame, **asked).to_json()) == expected
