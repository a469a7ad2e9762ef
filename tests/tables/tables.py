"""Small tables for the tests of this room."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq

EXAMPLES = Path(__file__).parents[2] / "examples" / "data"


def small(rows: int = 120, seed: int = 0) -> pa.Table:
    """Numbers with gaps, truth values and categories, which tell a label of two apart."""
    rng = np.random.default_rng(seed)
    size, rain = rng.normal(size=rows), rng.normal(size=rows)
    colour = np.array(["red", "green", "blue"])[rng.integers(0, 3, rows)]
    gaps = rng.random(rows) < 0.1
    kind = np.where(size + (colour == "red") + 0.5 * rng.normal(size=rows) > 0.5, "tall", "flat")
    return pa.table(
        {
            "size": pa.array(size),
            "rain": pa.array(rain, mask=gaps),
            "windy": rng.random(rows) < 0.5,
            "colour": colour,
            "kind": kind,
        }
    )


def written(table: pa.Table, path: Path) -> Path:
    """The table on disk, as its name asks for."""
    match path.suffix:
        case ".csv":
            pyarrow.csv.write_csv(table, path)
        case ".parquet":
            pq.write_table(table, path)
        case _:
            pyarrow.feather.write_feather(table, str(path))
    return path


def changed(table: pa.Table, column: str, rows: np.ndarray, value: object) -> pa.Table:
    """The table with another value in some rows of a column."""
    cells = table[column].to_pylist()
    for row in rows:
        cells[row] = value
    at = table.schema.get_field_index(column)
    return table.set_column(at, column, pa.array(cells, table.schema.field(at).type))
