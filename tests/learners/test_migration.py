"""Programs written for scikit-learn, with nothing but the import line changed: they run, and answer the same."""

from __future__ import annotations

import re

import numpy as np
import pytest
import sklearn

import assay

#: What a program imports from where assay has classes of the same names.
LEARNERS = [
    "ensemble",
    "kernel_ridge",
    "linear_model",
    "naive_bayes",
    "neighbors",
    "neural_network",
    "svm",
    "tree",
]

# Each ends with `answer`: numbers, which may differ by so much where random numbers or solvers do.
PROGRAMS = {
    "a pipeline and a search": (
        """
        from sklearn.datasets import load_wine
        from sklearn.model_selection import GridSearchCV, train_test_split
        from sklearn.pipeline import Pipeline
        from sklearn.preprocessing import StandardScaler
        from sklearn.svm import SVC

        X, y = load_wine(return_X_y=True)
        X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
        pipe = Pipeline([("scale", StandardScaler()), ("svc", SVC(random_state=0))])
        grid = {"svc__C": [0.1, 1, 10], "svc__gamma": ["scale", 0.01], "svc__kernel": ["rbf", "linear"]}
        search = GridSearchCV(pipe, grid, cv=3, scoring="balanced_accuracy").fit(X_train, y_train)
        answer = [search.best_score_, search.score(X_test, y_test), search.best_params_["svc__C"]]
        """,
        1e-9,
    ),
    "random search over a forest": (
        """
        from scipy.stats import randint
        from sklearn.datasets import load_iris
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.model_selection import RandomizedSearchCV

        X, y = load_iris(return_X_y=True)
        ranges = {"max_depth": randint(2, 5), "min_samples_leaf": randint(1, 4), "max_features": ["sqrt", None]}
        search = RandomizedSearchCV(
            RandomForestClassifier(n_estimators=15, n_jobs=1), ranges, n_iter=4, cv=3, random_state=0
        ).fit(X, y)
        answer = [search.best_score_, search.best_estimator_.n_classes_, len(search.best_estimator_)]
        """,
        0.05,
    ),
    "scores of many kinds": (
        """
        from sklearn.datasets import load_breast_cancer
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import StratifiedKFold, cross_validate
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        X, y = load_breast_cancer(return_X_y=True)
        model = make_pipeline(StandardScaler(), LogisticRegression(C=0.5, max_iter=500))
        folds = StratifiedKFold(4, shuffle=True, random_state=0)
        scores = cross_validate(model, X, y, cv=folds, scoring=["roc_auc", "f1", "neg_log_loss", "average_precision"])
        answer = [scores[f"test_{name}"].mean() for name in ("roc_auc", "f1", "neg_log_loss", "average_precision")]
        """,
        1e-4,
    ),
    "calibrated margins": (
        """
        from sklearn.calibration import CalibratedClassifierCV
        from sklearn.datasets import load_digits
        from sklearn.metrics import log_loss
        from sklearn.svm import LinearSVC

        X, y = load_digits(n_class=4, return_X_y=True)
        X = X / 16
        machine = LinearSVC(C=0.01, random_state=0)
        model = CalibratedClassifierCV(machine, cv=3, method="sigmoid").fit(X[::2], y[::2])
        answer = [model.score(X[1::2], y[1::2]), log_loss(y[1::2], model.predict_proba(X[1::2]))]
        """,
        2e-3,
    ),
    "a vote and a stack": (
        """
        from sklearn.datasets import load_wine
        from sklearn.ensemble import StackingClassifier, VotingClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.naive_bayes import GaussianNB
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.preprocessing import scale

        X, y = load_wine(return_X_y=True)
        parts = [("knn", KNeighborsClassifier(7)), ("bayes", GaussianNB()), ("line", LogisticRegression())]
        vote = VotingClassifier(parts, voting="soft", weights=[1, 2, 1]).fit(scale(X)[::2], y[::2])
        stack = StackingClassifier(parts, final_estimator=LogisticRegression(), cv=3).fit(scale(X)[::2], y[::2])
        hard = vote.set_params(voting="hard", bayes="drop").fit(scale(X)[::2], y[::2])
        answer = [one.score(scale(X)[1::2], y[1::2]) for one in (stack, hard)]
        """,
        1e-9,
    ),
    "columns of several kinds": (
        """
        import numpy as np
        import pandas as pd
        from sklearn.compose import ColumnTransformer, make_column_selector
        from sklearn.impute import SimpleImputer
        from sklearn.linear_model import Ridge
        from sklearn.model_selection import cross_val_score
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import OneHotEncoder, StandardScaler

        rng = np.random.default_rng(0)
        table = pd.DataFrame({"size": rng.normal(size=300), "town": rng.choice(["Ulm", "Bonn", "Kiel"], 300)})
        table["price"] = 3 * table["size"] + table["town"].map({"Ulm": 1.0, "Bonn": 2.0, "Kiel": 4.0})
        table.loc[::17, "size"] = np.nan
        numbers = make_pipeline(SimpleImputer(), StandardScaler())
        columns = ColumnTransformer([
            ("numbers", numbers, make_column_selector(dtype_include=np.number)),
            ("texts", OneHotEncoder(handle_unknown="ignore"), ["town"]),
        ])
        model = make_pipeline(columns, Ridge(alpha=0.1, solver="auto"))
        answer = cross_val_score(model, table.drop(columns="price"), table["price"], cv=4, scoring="r2")
        """,
        1e-9,
    ),
    "which features count": (
        """
        import numpy as np
        from sklearn.datasets import load_diabetes
        from sklearn.ensemble import RandomForestRegressor
        from sklearn.feature_selection import RFE, SelectFromModel, SequentialFeatureSelector
        from sklearn.inspection import partial_dependence, permutation_importance
        from sklearn.linear_model import LinearRegression, Ridge
        from sklearn.tree import DecisionTreeRegressor

        X, y = load_diabetes(return_X_y=True)
        tree = DecisionTreeRegressor(max_depth=3).fit(X, y)
        moved = permutation_importance(tree, X, y, n_repeats=3, random_state=0).importances_mean
        kept = SelectFromModel(Ridge(0.1), threshold="median").fit(X, y).get_support()
        ranks = RFE(LinearRegression(), n_features_to_select=4).fit(X, y).ranking_
        chosen = SequentialFeatureSelector(LinearRegression(), n_features_to_select=2, cv=3).fit(X, y).get_support()
        forest = RandomForestRegressor(n_estimators=40, max_depth=3, max_features=1.0, random_state=0).fit(X, y)
        curve = partial_dependence(forest, X, [2], method="brute", grid_resolution=8)["average"][0]
        answer = [*moved / y.var(), *kept, *ranks, *chosen, *(curve - curve.mean()) / 200]
        """,
        0.05,
    ),
    "curves of learning and of validation": (
        """
        from sklearn.datasets import load_digits
        from sklearn.model_selection import learning_curve, validation_curve
        from sklearn.naive_bayes import BernoulliNB
        from sklearn.neighbors import KNeighborsClassifier

        X, y = load_digits(n_class=5, return_X_y=True)
        sizes, train, test = learning_curve(BernoulliNB(binarize=8), X, y, cv=3, train_sizes=[60, 200], random_state=0)
        _, validated = validation_curve(
            KNeighborsClassifier(weights="distance"), X, y, param_name="n_neighbors", param_range=[1, 5], cv=3
        )
        answer = [*sizes, *train.mean(axis=1), *test.mean(axis=1), *validated.mean(axis=1)]
        """,
        1e-9,
    ),
    "frames in, frames out": (
        """
        import pandas as pd
        from sklearn.datasets import load_iris
        from sklearn.feature_selection import SelectFromModel
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler
        from sklearn.tree import DecisionTreeClassifier

        X, y = load_iris(return_X_y=True, as_frame=True)
        steps = make_pipeline(
            StandardScaler(), SelectFromModel(DecisionTreeClassifier(max_depth=2, random_state=0), max_features=2)
        ).set_output(transform="pandas")
        kept = steps.fit_transform(X, y)
        assert isinstance(kept, pd.DataFrame) and set(kept.columns) <= set(X.columns)
        tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(kept, y)
        assert list(tree.feature_names_in_) == list(kept.columns) == list(steps.get_feature_names_out())
        answer = [tree.score(kept, y), tree.get_depth(), tree.get_n_leaves(), tree.tree_.node_count]
        """,
        0.02,
    ),
    "weights that are routed": (
        """
        import numpy as np
        import sklearn
        from sklearn.datasets import load_breast_cancer
        from sklearn.linear_model import LogisticRegression, SGDClassifier
        from sklearn.model_selection import GridSearchCV, cross_validate
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        X, y = load_breast_cancer(return_X_y=True)
        weights = np.where(y == 0, 4.0, 1.0)
        with sklearn.config_context(enable_metadata_routing=True):
            line = LogisticRegression(max_iter=500).set_fit_request(sample_weight=True)
            line = line.set_score_request(sample_weight=True)
            scaled = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), line)
            scores = cross_validate(scaled, X, y, cv=3, params={"sample_weight": weights})["test_score"]
            steps = SGDClassifier(random_state=0).set_fit_request(sample_weight=True)
            steps = steps.set_score_request(sample_weight=True)
            pipe = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), steps)
            search = GridSearchCV(pipe, {"sgdclassifier__alpha": [0.01]}, cv=3).fit(X, y, sample_weight=weights)
        answer = [*scores, search.best_score_]
        """,
        1e-3,
    ),
    "work in parallel": (
        """
        import joblib
        from sklearn.datasets import load_iris
        from sklearn.ensemble import BaggingClassifier
        from sklearn.linear_model import Perceptron
        from sklearn.model_selection import cross_val_predict, cross_val_score
        from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.svm import LinearSVC

        X, y = load_iris(return_X_y=True)
        with joblib.parallel_config(backend="threading", n_jobs=2):
            pairs = OneVsOneClassifier(LinearSVC(random_state=0, max_iter=10_000)).fit(X, y)
            bags = BaggingClassifier(KNeighborsClassifier(), n_estimators=5, random_state=0)
            scores = cross_val_score(bags, X, y, cv=3)
        with joblib.parallel_backend("threading", n_jobs=2):
            rest = OneVsRestClassifier(Perceptron(random_state=0), n_jobs=2).fit(X, y)
            predicted = cross_val_predict(KNeighborsClassifier(), X, y, cv=3, method="predict_proba")
        answer = [pairs.score(X, y), scores.mean(), rest.score(X, y) > 0.6, *predicted[:5].ravel()]
        """,
        0.05,
    ),
    "copies": (
        """
        import copy
        import io
        import pickle

        import joblib
        import numpy as np
        from sklearn.base import clone
        from sklearn.datasets import load_iris
        from sklearn.ensemble import AdaBoostClassifier, HistGradientBoostingClassifier
        from sklearn.svm import SVC

        X, y = load_iris(return_X_y=True)
        answer = []
        models = [SVC(C=2), HistGradientBoostingClassifier(max_iter=5), AdaBoostClassifier(n_estimators=5)]
        for model in models:
            fresh = clone(model).set_params(**model.get_params())
            assert not hasattr(fresh, "classes_") and repr(fresh) == repr(model)
            model.fit(X, y)
            assert not hasattr(clone(model), "classes_")
            file = io.BytesIO()
            joblib.dump(model, file)
            file.seek(0)
            for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model), joblib.load(file)):
                assert np.array_equal(other.predict(X), model.predict(X))
            answer.append(model.score(X, y))
        """,
        0.02,
    ),
    "chunks": (
        """
        import numpy as np
        from sklearn.datasets import load_digits
        from sklearn.linear_model import SGDClassifier, SGDRegressor
        from sklearn.naive_bayes import GaussianNB
        from sklearn.neural_network import MLPClassifier

        X, y = load_digits(return_X_y=True)
        X = X / 16
        network = MLPClassifier((16,), random_state=0)
        models = [SGDClassifier(alpha=0.01, shuffle=False), GaussianNB(var_smoothing=1e-3), network]
        for start in range(0, 1200, 200):
            for model in models:
                model.partial_fit(X[start : start + 200], y[start : start + 200], classes=np.arange(10))
        line = SGDRegressor(shuffle=False)
        for _ in range(3):
            line.partial_fit(X[:1200], y[:1200])
        answer = [*(model.score(X[1200:], y[1200:]) for model in models), line.score(X[1200:], y[1200:])]
        """,
        2e-3,
    ),
    "several outputs": (
        """
        from sklearn.datasets import load_linnerud
        from sklearn.ensemble import RandomForestRegressor
        from sklearn.kernel_ridge import KernelRidge
        from sklearn.linear_model import Ridge, SGDRegressor
        from sklearn.metrics import r2_score
        from sklearn.multioutput import MultiOutputRegressor, RegressorChain
        from sklearn.neighbors import KNeighborsRegressor
        from sklearn.svm import SVR
        from sklearn.tree import DecisionTreeRegressor

        X, y = load_linnerud(return_X_y=True)
        models = [
            *(Ridge(), KernelRidge(kernel="rbf", gamma=1e-3), KNeighborsRegressor(4)),
            *(DecisionTreeRegressor(max_depth=2), MultiOutputRegressor(SVR(C=5.0))),
            RegressorChain(Ridge(), order=[2, 0, 1]),
        ]
        answer = [r2_score(y, model.fit(X, y).predict(X)) for model in models]
        assert RandomForestRegressor(5).fit(X, y).predict(X).shape == y.shape
        """,
        1e-4,
    ),
}


def answered(program, changed):
    """What a program answers, after its import lines were changed on request."""
    text = "\n".join(line.removeprefix(" " * 8) for line in program.splitlines())
    if changed:
        text = re.sub(rf"from sklearn\.(?:{'|'.join(LEARNERS)}) import (.*)", imported, text)
        assert "from assay import" in text
    space = {}
    exec(compile(text, "program", "exec"), space)
    return np.asarray(space["answer"], dtype=float)


def imported(line):
    """An import from assay, of all that it has; what it has not comes from where it came before."""
    names = [name.strip() for name in line[1].split(",")]
    ours = [name for name in names if hasattr(assay, name)]
    rest = [name for name in names if name not in ours]
    lines = [f"from assay import {', '.join(ours)}"] if ours else []
    if rest:
        lines.append(line[0].replace(line[1], ", ".join(rest)))
    return "; ".join(lines)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_program_answers_the_same(name):
    program, off = PROGRAMS[name]
    assert answered(program, True) == pytest.approx(answered(program, False), abs=off)


def test_programs_are_changed():
    """What is compared are two libraries, and not one with itself."""
    program = "from sklearn.svm import SVC\nanswer = SVC.__module__.startswith('sklearn')"
    assert answered(program, False) == 1
    assert answered(program, True) == 0
    assert sklearn.__version__
