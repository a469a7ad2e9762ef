"""Models, certificates and what they promise in MLflow.

>>> from sklearn.datasets import load_iris
>>> import assay, assay.mlflow
>>> X, y = load_iris(return_X_y=True)
>>> model = assay.LogisticRegression().fit(X[::2], y[::2])
>>> certificate = model.certificate(X[1::2], y[1::2])
>>> assay.mlflow.metrics_of(certificate)["error.observed"] < 0.1
True
"""

from __future__ import annotations

import functools
import os
import platform
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from assay import __version__
from assay.errors import BadData
from assay.extras import needed_for
from assay.learners.common.remember import within_another
from assay.learners.model_file.files import load, save
from assay.learners.registry import family_of, find_learner, learner_names, name_of

__all__ = ["autolog", "load_model", "log_model", "metrics_of", "save_model"]

#: The name under which MLflow lists such models.
FLAVOR_NAME = "assay"
_MODEL, _CERTIFICATE = "model.assay", "certificate.json"
# Those that learn from losses, not from rows.
_WITHOUT_ROWS = ("bandits", "contextual", "experts")


def _mlflow() -> Any:
    """MLflow, which is asked for when something is to be logged, so that what is here can be read without it."""
    with needed_for("assay.mlflow", "mlflow"):
        import mlflow
        import mlflow.pyfunc
    return mlflow


def save_model(
    model: Any,
    path: str | os.PathLike[str],
    *,
    certificate: Any = None,
    mlflow_model: Any = None,
    signature: Any = None,
    metadata: dict[str, Any] | None = None,
) -> None:
    """Write a model to a folder as MLflow has it, with its certificate beside it.

    The model is written by :func:`assay.save`: numbers, and no code. A model of scikit-learn becomes assay's before
    (:func:`assay.from_sklearn`).

    Parameters
    ----------
    model : learner
        A fitted learner of assay.
    path : str or path
        A folder that is not there.
    certificate : Certificate, optional
        What is promised of it.
    mlflow_model : mlflow.models.Model, optional
        Where MLflow writes down what a model is.
    signature : mlflow.models.ModelSignature, optional
        What goes in and comes out.
    metadata : dict, optional
        Whatever else is to stand there.
    """
    mlflow = _mlflow()
    folder = Path(path)
    if folder.exists() and any(folder.iterdir()):
        raise BadData(f"{folder} must be a folder that is not there, or empty, but holds files.")
    folder.mkdir(parents=True, exist_ok=True)
    save(model, folder / _MODEL)
    told = {"assay_version": __version__, "learner": name_of(model), "data": _MODEL}
    if certificate is not None:
        certificate.save(folder / _CERTIFICATE)
        told["certificate"] = _CERTIFICATE
    listed = mlflow.models.Model() if mlflow_model is None else mlflow_model
    if signature is not None:
        listed.signature = signature
    if metadata is not None:
        listed.metadata = metadata
    needed = [f"assay-ml[learn]=={__version__}"]
    environment = {
        "name": "assay",
        "channels": ["conda-forge"],
        "dependencies": [f"python={platform.python_version()}", "pip", {"pip": needed}],
    }
    (folder / "requirements.txt").write_text("\n".join(needed) + "\n", encoding="utf-8")
    _write_yaml(folder / "conda.yaml", environment)
    mlflow.pyfunc.add_to_model(
        listed, loader_module="assay.mlflow", data=_MODEL, conda_env="conda.yaml"
    )
    listed.add_flavor(FLAVOR_NAME, **told)
    listed.save(str(folder / "MLmodel"))


def _write_yaml(path: Path, content: Any) -> None:
    import yaml  # MLflow brings it

    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")


def log_model(
    model: Any,
    name: str = "model",
    *,
    certificate: Any = None,
    registered_model_name: str | None = None,
    signature: Any = None,
    metadata: dict[str, Any] | None = None,
) -> Any:
    """Log a model to the active run, its certificate as an artifact, and what is promised as metrics.

    Parameters
    ----------
    model : learner
        A fitted learner of assay.
    name : str, default="model"
        What the run calls it.
    certificate : Certificate, optional
        What is promised of it: logged as ``certificate.json``, its numbers as in `metrics_of`.
    registered_model_name : str, optional
        Under which name it is registered.
    signature, metadata
        As for `save_model`.

    Returns
    -------
    mlflow.models.model.ModelInfo
    """
    import assay.mlflow as flavor

    mlflow = _mlflow()
    with _run():
        if certificate is not None:
            mlflow.log_metrics(metrics_of(certificate))
            with tempfile.TemporaryDirectory() as folder:
                certificate.save(Path(folder) / _CERTIFICATE)
                mlflow.log_artifact(str(Path(folder) / _CERTIFICATE))
        return mlflow.models.Model.log(
            artifact_path=None,
            name=name,
            flavor=flavor,
            model=model,
            certificate=certificate,
            registered_model_name=registered_model_name,
            signature=signature,
            metadata=metadata,
        )


@contextmanager
def _run() -> Iterator[None]:
    """The active run, or one of its own."""
    mlflow = _mlflow()
    if mlflow.active_run() is not None:
        yield
        return
    with mlflow.start_run():
        yield


def metrics_of(certificate: Any) -> dict[str, float]:
    """What a certificate says, as MLflow's metrics: of each quantity what is promised, and what was observed.

    Parameters
    ----------
    certificate : Certificate

    Returns
    -------
    dict
        Such as ``{"error.promised": 0.12, "error.observed": 0.08, "delta": 0.05}``. Of a quantity that several theorems
        speak of the tightest; a vacuous promise, and one with an assumption that was found to be violated, is none.
    """
    numbers = {"delta": float(certificate.delta)}
    numbers.update(_numbers_of(certificate.claims))
    return numbers


def _numbers_of(guarantees: Any) -> dict[str, float]:
    numbers: dict[str, float] = {}
    for claim in guarantees:
        key = "".join(c if c.isalnum() else "_" for c in str(claim.of)).strip("_")
        if claim.observed is not None:
            numbers.setdefault(f"{key}.observed", float(claim.observed))
        if claim.value is not None and claim.promised is not None and not claim.vacuous:
            value, known = float(claim.value), numbers.get(f"{key}.promised")
            better = min if claim.direction == "at most" else max
            numbers[f"{key}.promised"] = value if known is None else better(known, value)
    return {name: value for name, value in numbers.items() if np.isfinite(value)}


def load_model(model_uri: str, dst_path: str | None = None) -> Any:
    """The learner that `log_model` or `save_model` wrote; nothing in its file is run.

    Parameters
    ----------
    model_uri : str
        Such as ``runs:/<id>/model``, ``models:/<name>/1``, or a folder.
    dst_path : str, optional
        Where to put what is downloaded.

    Returns
    -------
    learner
    """
    folder = _mlflow().artifacts.download_artifacts(artifact_uri=model_uri, dst_path=dst_path)
    return load(Path(folder) / _MODEL)


class _Predictor:
    """What MLflow's servers call."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def get_raw_model(self) -> Any:
        """The learner itself."""
        return self.model

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        """The prediction for every row of a table; of a model from a table, with the columns it was learned from."""
        if getattr(self.model, "encoder_", None) is None:
            return self.model.predict(model_input)
        from assay.tables.predict import PREDICTION, predict_table

        batches = predict_table(self.model, model_input)
        parts = [batch.column(PREDICTION).to_numpy(zero_copy_only=False) for batch in batches]
        return np.concatenate(parts)


def _load_pyfunc(path: str) -> _Predictor:
    """What ``mlflow.pyfunc.load_model`` calls."""
    return _Predictor(load(path))


def autolog(disable: bool = False, log_models: bool = True) -> None:
    """Log every fit of assay's learners from now on: parameters, what is promised, and the model.

    ``mlflow.sklearn.autolog`` knows scikit-learn's own classes only; this does the same for assay's. What is fitted
    within another learner, or within a search of assay's, is not logged by itself.

    Parameters
    ----------
    disable : bool, default=False
        Whether to stop it.
    log_models : bool, default=True
        Whether models are logged.
    """
    _mlflow()
    for name in learner_names():
        if family_of(name) in _WITHOUT_ROWS:
            continue
        learner = find_learner(name)
        fit = learner.__dict__.get("fit") or learner.fit
        plain = getattr(fit, "before_autolog", fit)
        learner.fit = plain if disable else _logged(plain, log_models)


def _logged(fit: Any, log_models: bool) -> Any:
    @functools.wraps(fit)
    def logged(self: Any, *args: Any, **kwargs: Any) -> Any:
        if within_another():
            return fit(self, *args, **kwargs)
        answer = fit(self, *args, **kwargs)
        mlflow = _mlflow()
        with _run():
            mlflow.log_params(
                {name: str(value)[:500] for name, value in self.get_params(deep=False).items()}
            )
            mlflow.set_tags({"estimator_name": type(self).__name__, "assay_version": __version__})
            numbers = _numbers_of(self.guarantees())
            if numbers:
                mlflow.log_metrics(numbers)
            if log_models:
                log_model(self)
        return answer

    logged.before_autolog = fit  # type: ignore[attr-defined]
    return logged
