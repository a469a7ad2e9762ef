"""What the base install leaves out: which extra brings a package, and the sentence that says so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from assay.errors import MissingExtra

_EXTRAS = {
    "dask": "dask",
    "distributed": "dask",
    "fastapi": "server",
    "httptools": "server",
    "llvmlite": "learn",
    "mlflow": "mlflow",
    "msgspec": "server",
    "numba": "learn",
    "onnx": "onnx",
    "onnxruntime": "onnx",
    "plotly": "plots",
    "pyarrow": "tables",
    "pydantic": "server",
    "python_calamine": "excel",
    "skl2onnx": "onnx",
    "sklearn": "learn",
    "starlette": "server",
    "threadpoolctl": "learn",
    "uvicorn": "server",
    "uvloop": "server",
}
# Where a package is installed under another name than it is imported by.
_INSTALLED_AS = {
    "llvmlite": "numba",
    "python_calamine": "python-calamine",
    "sklearn": "scikit-learn",
}


@contextmanager
def needed_for(what: str, extra: str | None = None) -> Iterator[None]:
    """Say of a package that is not there which extra brings it.

    Parameters
    ----------
    what : str
        What needs it, as the sentence begins.
    extra : str, optional
        The extra to install, where it is another than the smallest that brings the package.

    Raises
    ------
    MissingExtra
        If a package of an extra is missing; any other failure to import stays what it is.

    Examples
    --------
    >>> with needed_for("The plot"):
    ...     raise ModuleNotFoundError("No module named 'plotly'", name="plotly")
    Traceback (most recent call last):
        ...
    assay.errors.MissingExtra: The plot needs plotly, which is not installed. Run: pip install 'assay-ml[plots]'
    """
    try:
        yield
    except ModuleNotFoundError as missing:
        package = (missing.name or "").partition(".")[0]
        if package not in _EXTRAS:
            raise
        raise MissingExtra(
            f"{what} needs {_INSTALLED_AS.get(package, package)}, which is not installed. "
            f"Run: pip install 'assay-ml[{extra or _EXTRAS[package]}]'"
        ) from None
