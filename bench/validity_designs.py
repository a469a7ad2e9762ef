"""What `bench/validity.py` draws, and who is asked: assay, and the intervals that people take instead.

Each design draws data whose truth is known. A method makes a bound of what was drawn, at 95 % on one side: of an
interval with two ends it is the one that counts, at 90 %. Peers that are not installed are left out, and said to be.
"""

from __future__ import annotations

import functools
import importlib.util
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from scipy import stats

from assay import certify, certify_difference, certify_judged, theorem
from assay.errors import CertificateRefused

DELTA, TWO_SIDED, Z = 0.05, 0.9, 1.6448536269514722
PEERS = ("statsmodels", "mlxtend", "sklearn", "confidenceinterval", "mapie", "ppi_py", "arch")
HERE = {name for name in PEERS if importlib.util.find_spec(name)}


@dataclass
class Design:
    """What is drawn and asked.

    `draw` gives an outcome for each run, whose parts a method is given; `truth` is a number, one for each group, or for
    what is only known later None: then it is the last part of the outcome. Of a yes or no, yes is wrong, and `power`
    draws outcomes for which it is right.
    """

    question: str
    drawn: str
    side: Literal["at most", "at least", "yes"]
    draw: Callable[[np.random.Generator, int], np.ndarray]
    methods: dict[str, Callable[..., Any]]
    truth: Any = None
    power: Callable[[np.random.Generator, int], np.ndarray] | None = None
    slow: frozenset[str] = field(default_factory=frozenset)

    def __post_init__(self) -> None:
        if "1,000 rows" in self.drawn:
            self.slow |= {name for name in self.methods if name.startswith("bootstrap")}


def whole(*parts: Any) -> list[int]:
    return [int(part) for part in parts]


def boot(
    method: str, statistic: Callable[..., Any], end: int, *columns: np.ndarray, paired=False
) -> float:
    """SciPy's bootstrap; where it gives no number, because all values are alike, what was seen."""
    made = stats.bootstrap(
        columns,
        statistic,
        n_resamples=999,
        confidence_level=TWO_SIDED,
        method=method,
        paired=paired,
        vectorized=True,
        rng=np.random.default_rng(0),
    )
    bound = made.confidence_interval[end]
    return float(statistic(*columns, axis=-1) if math.isnan(bound) else bound)


def mean(column, axis=-1):
    return np.mean(column, axis=axis)


RESAMPLED = "bootstrap, resample (scikit-learn)"


def resampled(statistic: Callable[..., Any], end: int, *columns: np.ndarray) -> float:
    """The percentile interval of scikit-learn's resample, as people write it."""
    from sklearn.utils import resample

    random = np.random.RandomState(0)
    rows = np.arange(columns[0].size)
    again = [resample(rows, random_state=random) for _ in range(999)]
    drawn = statistic(*(column[np.array(again)] for column in columns), axis=-1)
    return float(np.percentile(drawn, 100 * (DELTA, 1 - DELTA)[end]))


BOOTS = (("percentile", "bootstrap, percentile (SciPy)"), ("BCa", "bootstrap, BCa (SciPy)"))


def statsmodels_share(count: int, rows: int, method: str, end: int, level: float = DELTA) -> float:
    from statsmodels.stats.proportion import proportion_confint

    return float(proportion_confint(count, rows, alpha=2 * level, method=method)[end])


# One error rate.


def one_rate(rows: int, rate: float) -> Design:
    methods: dict[str, Callable[..., Any]] = {
        "**assay** ``certify``": lambda k: certify(errors=int(k), rows=rows, delta=DELTA).error
    }
    if "statsmodels" in HERE:
        for name in ("normal", "wilson", "agresti_coull", "jeffreys", "beta"):
            methods[f"{name} (statsmodels)"] = functools.partial(
                lambda k, name: statsmodels_share(int(k), rows, name, 1), name=name
            )
    for method, name in BOOTS:
        methods[name] = functools.partial(
            lambda k, method: boot(method, mean, 1, (np.arange(rows) < k).astype(float)),
            method=method,
        )
    if "sklearn" in HERE:
        methods[RESAMPLED] = lambda k: resampled(mean, 1, (np.arange(rows) < k).astype(float))
    return Design(
        "An error rate, at most",
        f"{rows:,} rows, true error {100 * rate:.4g} %",
        "at most",
        lambda rng, runs: rng.binomial(rows, rate, (runs, 1)),
        methods,
        rate,
    )


# Two models on the same rows: both wrong, only the old one, only the new one.


def tables(rows: int, both: float, old: float, new: float):
    return lambda rng, runs: rng.multinomial(rows, [both, old, new, 1 - both - old - new], runs)[
        :, :3
    ]


def gaps(b: int, c: int, rows: int) -> np.ndarray:
    return np.repeat([1.0, -1.0, 0.0], [b, c, rows - b - c])


def paired_t(gap: np.ndarray) -> float:
    return float(
        gap.mean() - stats.t.ppf(1 - DELTA, gap.size - 1) * gap.std(ddof=1) / gap.size**0.5
    )


def difference(rows: int, both: float, old: float, new: float) -> Design:
    @functools.cache
    def ours(b, c):
        return certify_difference(only_old=b, only_new=c, rows=rows, delta=DELTA).claims[0].promised

    # Most methods do not look at the rows on which both are wrong.
    methods: dict[str, Callable[..., Any]] = {
        "**assay** ``certify_difference``": lambda a, b, c: ours(*whole(b, c))
    }
    if "statsmodels" in HERE:
        from statsmodels.stats.proportion import confint_proportions_2indep

        def unpaired(a, b, c, method):
            return confint_proportions_2indep(
                a + b, rows, a + c, rows, method=method, compare="diff", alpha=2 * DELTA
            )[0]

        for name in ("wald", "newcomb"):
            methods[f"two proportions, {name} (statsmodels)"] = functools.partial(
                unpaired, method=name
            )
    methods["paired t"] = lambda a, b, c: paired_t(gaps(b, c, rows))
    for method, name in BOOTS:
        again = functools.cache(
            functools.partial(
                lambda b, c, method: boot(method, mean, 0, gaps(b, c, rows)), method=method
            )
        )
        methods[name] = functools.partial(lambda a, b, c, again: again(b, c), again=again)
    shares = f"only the old model wrong on {100 * old:.3g} %, only the new one on {100 * new:.3g} %"
    return Design(
        "By how much a new model's error is lower, at least",
        f"{rows:,} rows, {shares}, both on {100 * both:.3g} %",
        "at least",
        tables(rows, both, old, new),
        methods,
        old - new,
    )


def better(rows: int, both: float, often: float) -> Design:
    @functools.cache
    def ours(b, c):
        made = certify_difference(only_old=b, only_new=c, rows=rows, promise="better", delta=DELTA)
        return made.claims[0].promised == 0

    methods: dict[str, Callable[..., Any]] = {
        "**assay** ``promise='better'``": lambda a, b, c: ours(*whole(b, c))
    }
    if "statsmodels" in HERE:
        from statsmodels.stats.contingency_tables import mcnemar

        def by_statsmodels(a, b, c, **how):
            return b > c and mcnemar([[a, b], [c, rows - a - b - c]], **how).pvalue <= 2 * DELTA

        methods["McNemar, exact (statsmodels)"] = functools.partial(by_statsmodels, exact=True)
        methods["McNemar, chi-square (statsmodels)"] = functools.partial(
            by_statsmodels, exact=False, correction=False
        )
    if "mlxtend" in HERE:
        from mlxtend.evaluate import mcnemar as by_table
        from mlxtend.evaluate import proportion_difference

        def by_mlxtend(a, b, c, **how):
            table = np.array([[a, b], [c, rows - a - b - c]])
            return b > c and b + c > 0 and by_table(table, **how)[1] <= 2 * DELTA

        def two_proportions(a, b, c):
            right = [(rows - a - c) / rows, (rows - a - b) / rows]
            if b <= c or not 0 < sum(right) < 2:
                return False
            return proportion_difference(*right, n_1=rows)[1] / 2 <= DELTA

        methods["McNemar, corrected (mlxtend)"] = functools.partial(by_mlxtend, corrected=True)
        methods["two proportions, z (mlxtend)"] = two_proportions
    methods["fewer errors"] = lambda a, b, c: b > c
    half = 100 * often / 2
    return Design(
        "Whether a new model is better, where both are equally good",
        f"{rows:,} rows, either alone wrong on {half:.3g} %, both on {100 * both:.3g} %",
        "yes",
        tables(rows, both, often / 2, often / 2),
        methods,
        power=tables(rows, both, 0.7 * often, 0.3 * often),
    )


def graded(rows: int) -> Design:
    def draw(rng, runs):
        return np.concatenate(
            [rng.beta(0.2, 3.0, (runs, rows)), rng.beta(0.1, 1.5, (runs, rows))], 1
        )

    bet = theorem("paired-loss-difference")
    methods: dict[str, Callable[..., Any]] = {
        "**assay** ``paired-loss-difference``": lambda *x: bet(
            old_losses=list(x[:rows]), new_losses=list(x[rows:]), delta=DELTA
        ),
        "paired t": lambda *x: paired_t(np.array(x[:rows]) - x[rows:]),
    }
    for method, name in BOOTS:
        methods[name] = functools.partial(
            lambda *x, method: boot(method, mean, 0, np.array(x[:rows]) - x[rows:]), method=method
        )
    if "arch" in HERE:
        from arch.bootstrap import IIDBootstrap

        def studentized(*x):
            again = IIDBootstrap(np.array(x[:rows]) - x[rows:], seed=0)
            made = again.conf_int(
                np.mean, 499, method="studentized", size=TWO_SIDED, std_err_func=_standard_error
            )
            return float(made[0, 0])

        methods["bootstrap, studentized (arch)"] = studentized
    return Design(
        "By how much a new model's mean loss is lower, at least",
        f"{rows} rows, losses Beta(0.2, 3) against Beta(0.1, 1.5), which has the same mean",
        "at least",
        draw,
        methods,
        0.0,
        slow=frozenset(methods) - {"paired t"},
    )


def _standard_error(mean_, gap):
    return gap.std(ddof=1) / gap.size**0.5


# F1, and the area under the curve.


def f1_of(hits, alarms, misses, axis=-1):
    top = 2 * np.sum(hits, axis=axis)
    return top / np.maximum(top + np.sum(alarms, axis=axis) + np.sum(misses, axis=axis), 1)


def f1(rows: int, prevalence: float, precision: float, recall: float) -> Design:
    hits = prevalence * recall
    chances = [hits, hits / precision - hits, prevalence - hits]
    exact = theorem("f1-at-least")

    def named(tp, fp, fn):
        return dict(
            zip(
                ("true_positives", "false_positives", "false_negatives"),
                whole(tp, fp, fn),
                strict=True,
            )
        )

    def defined(bound):
        return lambda *cells: bound(*cells) if any(cells) else 0.0

    methods: dict[str, Callable[..., Any]] = {
        "**assay** ``f1-at-least``": defined(lambda *cells: exact(**named(*cells), delta=DELTA))
    }
    if "confidenceinterval" in HERE:
        from confidenceinterval import f1_score

        def by_delta(tp, fp, fn):
            truth = np.repeat([1, 0, 1, 0], [tp, fp, fn, rows - tp - fp - fn])
            guess = np.repeat([1, 1, 0, 0], [tp, fp, fn, rows - tp - fp - fn])
            low = f1_score(truth, guess, confidence_level=TWO_SIDED, average="binary")[1][0]
            return 0.0 if math.isnan(low) else low

        methods["delta method (confidenceinterval)"] = defined(by_delta)

    def by_boot(tp, fp, fn, method):
        cells = np.repeat(np.eye(4), [tp, fp, fn, rows - tp - fp - fn], axis=0).T[:3]
        return boot(method, f1_of, 0, *cells, paired=True)

    for method, name in BOOTS:
        methods[name] = defined(functools.partial(by_boot, method=method))
    if "sklearn" in HERE:

        def by_resample(tp, fp, fn):
            cells = np.repeat(np.eye(4), [tp, fp, fn, rows - tp - fp - fn], axis=0).T[:3]
            return resampled(f1_of, 0, *cells)

        methods[RESAMPLED] = defined(by_resample)
    return Design(
        "F1, at least",
        f"{rows:,} rows, prevalence {prevalence:.3g}, precision {precision:.3g}, recall {recall:.3g}",
        "at least",
        lambda rng, runs: rng.multinomial(rows, [*chances, 1 - sum(chances)], runs)[:, :3],
        methods,
        2 * hits / (2 * hits + chances[1] + chances[2]),
        slow=frozenset({RESAMPLED}),
    )


def auc_of(high, low, axis=-1):
    if high.ndim == 1:
        high, low = high[None], low[None]
    above = high[..., :, None] > low[..., None, :]
    tied = high[..., :, None] == low[..., None, :]
    return np.squeeze((above + 0.5 * tied).mean(axis=(-2, -1)))


def area(each: int, apart: float) -> Design:
    """Scores of as many positive as negative rows; those of the positive ones are normal and lie higher."""

    def draw(rng, runs):
        return np.concatenate(
            [rng.normal(apart, 1, (runs, each)), rng.normal(0, 1, (runs, each))], 1
        )

    truth = np.repeat([1, 0], each)

    def ours(*x):
        # The order in which rows are drawn, of which pairs derive.
        order = np.random.default_rng(whole(*(1e9 * abs(np.array(x[:4]))))).permutation(2 * each)
        made = certify(y_true=truth[order], score=np.array(x)[order], rates=["auc"], delta=DELTA)
        return made.claims[0].promised

    methods: dict[str, Callable[..., Any]] = {"**assay** ``rates=['auc']``": ours}
    if "confidenceinterval" in HERE:
        from confidenceinterval import roc_auc_score

        def delong(*x):
            seen, (low, _) = roc_auc_score(truth.tolist(), list(x), confidence_level=TWO_SIDED)
            return seen if math.isnan(low) else low

        methods["DeLong (confidenceinterval)"] = delong
    methods["bootstrap, percentile (SciPy)"] = lambda *x: boot(
        "percentile", auc_of, 0, np.array(x[:each]), np.array(x[each:])
    )
    return Design(
        "The area under the ROC curve, at least",
        f"{each} positive and {each} negative rows, normal scores {apart:g} apart",
        "at least",
        draw,
        methods,
        float(stats.norm.cdf(apart / 2**0.5)),
        slow=frozenset(methods),
    )


# Units, groups, batches, gates, next rows.


def units(many: int, rows: int, rate: float, alike: float, together: bool) -> Design:
    def draw(rng, runs):
        if together:
            sides = (rng.random((runs, many)) < rate).astype(float)
            rates = np.where(rng.random((runs, many)) < alike, sides, rate)
        else:
            spread = 1 / alike - 1
            rates = rng.beta(rate * spread, (1 - rate) * spread, (runs, many))
        return np.sort(rng.binomial(rows, rates), axis=1)

    bet = theorem("unit-mean-betting")

    def ours(*errors):
        kinds = [(k, rows, n) for k, n in sorted(Counter(whole(*errors)).items())]
        return bet(units=kinds, delta=DELTA)

    def by_t(*errors):
        return -paired_t(-np.array(errors) / rows)

    methods: dict[str, Callable[..., Any]] = {"**assay** ``unit-mean-betting``": ours}
    if "statsmodels" in HERE:
        import statsmodels.api as sm

        def clustered(*errors):
            wrong = np.concatenate([(np.arange(rows) < k).astype(float) for k in errors])
            fit = sm.OLS(wrong, np.ones((many * rows, 1)))
            made = fit.fit(
                cov_type="cluster", cov_kwds={"groups": np.repeat(np.arange(many), rows)}
            )
            return made.conf_int(alpha=2 * DELTA)[0, 1]

        for name in ("wilson", "beta"):
            methods[f"row by row, {name} (statsmodels)"] = functools.partial(
                lambda *e, name: statsmodels_share(int(sum(e)), many * rows, name, 1), name=name
            )
        methods["cluster-robust (statsmodels)"] = clustered
    methods["t over units"] = by_t
    for method, name in BOOTS:
        methods[name.replace("bootstrap", "bootstrap of units")] = functools.partial(
            lambda *e, method: boot(method, mean, 1, np.array(e) / rows), method=method
        )
    how = "all or nothing" if together else "a rate each"
    return Design(
        "The mean error over units, at most",
        f"{many} units of {rows} rows, true error {100 * rate:.3g} %, correlation {alike:g} ({how})",
        "at most",
        draw,
        methods,
        rate,
        slow=frozenset(m for m in methods if "row by row" not in m and m != "t over units"),
    )


def groups(sizes: tuple[int, ...], rates: tuple[float, ...]) -> Design:
    level = DELTA / len(sizes)
    exact = functools.cache(lambda k, n: certify(errors=k, rows=n, delta=level).error)

    def each(bound):
        return lambda *errors: [bound(int(k), n) for k, n in zip(errors, sizes, strict=True)]

    methods: dict[str, Callable[..., Any]] = {"**assay**, shared": each(exact)}
    if "statsmodels" in HERE:
        for name, text in (("wilson", "Wilson"), ("beta", "exact")):
            for share, said in ((level, "shared"), (DELTA, "each at 95 %")):
                bound = functools.cache(
                    functools.partial(
                        lambda k, n, name, share: statsmodels_share(k, n, name, 1, share),
                        name=name,
                        share=share,
                    )
                )
                methods[f"{text}, {said} (statsmodels)"] = each(bound)
    return Design(
        "The error of every group, at most, all at once",
        f"{len(sizes)} groups of {', '.join(map(str, sizes))} rows, true errors "
        f"{', '.join(f'{100 * p:.3g}' for p in rates)} %",
        "at most",
        lambda rng, runs: rng.binomial(sizes, rates, (runs, len(sizes))),
        methods,
        np.array(rates),
    )


BATCH, WRONG = (1000, 9000), (800, 90)


def batch(labels: tuple[int, int] | int) -> Design:
    """A batch of 10,000 of which a judge flags 1,000; labels are bought by stratum or of all at random."""
    kinds = [WRONG[0], BATCH[0] - WRONG[0], WRONG[1], BATCH[1] - WRONG[1]]

    def draw(rng, runs):
        """Labelled and flagged, wrong among these, wrong among the others that are labelled."""
        if isinstance(labels, int):
            cells = rng.multivariate_hypergeometric(kinds, labels, runs)
            return np.stack([cells[:, :2].sum(axis=1), cells[:, 0], cells[:, 2]], axis=1)
        seen = [
            rng.hypergeometric(w, s - w, n, runs)
            for w, s, n in zip(WRONG, BATCH, labels, strict=True)
        ]
        return np.stack([np.full(runs, labels[0]), *seen], axis=1)

    bought = labels if isinstance(labels, int) else sum(labels)

    def ours(n, k, j):
        n, k, j = whole(n, k, j)
        found = {"flagged": (n, k), "passed": (bought - n, j)}
        sizes = dict(zip(found, BATCH, strict=True))
        return certify_judged(labels=found, population=sizes, delta=DELTA).claims[0].promised

    def normal(n, k, j):
        total = variance = 0.0
        for size, m, w in zip(BATCH, (n, bought - n), (k, j), strict=True):
            total += size * w / m
            variance += size**2 * (1 - m / size) * w / m * (1 - w / m) / (m - 1)
        return total + Z * math.sqrt(variance)

    methods: dict[str, Callable[..., Any]] = {"**assay** ``certify_judged``": ours}
    methods["stratified normal approximation"] = normal
    if "ppi_py" in HERE:
        from ppi_py import classical_mean_ci, ppi_mean_ci

        def columns(n, k, j):
            truth = np.repeat([1.0, 0.0, 1.0, 0.0], [k, n - k, j, bought - n - j])
            return truth, np.repeat([1.0, 0.0], [n, bought - n])

        def powered(n, k, j):
            truth, judged = columns(n, k, j)
            rest = np.repeat([1.0, 0.0], [BATCH[0] - n, BATCH[1] - (bought - n)])
            more = {}
            if not isinstance(
                labels, int
            ):  # by stratum: each label stands for as many items as it was drawn from
                more["w"] = np.repeat([s / m for s, m in zip(BATCH, labels, strict=True)], labels)
                rest = np.repeat([1.0, 0.0], BATCH)
            return 10_000 * float(
                np.ravel(ppi_mean_ci(truth, judged, rest, alpha=2 * DELTA, **more)[1])[0]
            )

        methods["prediction-powered (ppi_py)"] = powered
        if isinstance(labels, int):
            methods["labels alone (ppi_py)"] = lambda *cells: (
                10_000
                * float(np.ravel(classical_mean_ci(columns(*cells)[0], alpha=2 * DELTA)[1])[0])
            )
    how = (
        f"{labels} labelled at random"
        if isinstance(labels, int)
        else f"{labels[0]} of those and {labels[1]} of the others labelled"
    )
    return Design(
        "How many items of a batch are wrong, at most",
        f"890 of 10,000 wrong, 800 of them among the 1,000 that a judge flags, {how}",
        "at most",
        draw,
        methods,
        890,
    )


def gate(rows: int, target: float) -> Design:
    """A model a hair below the accuracy that is asked for; a pass is wrong."""

    def ours(right):
        asked = {"answer": "pass-fail", "max_error": str(round(1 - target, 6))}
        try:
            certify(errors=rows - int(right), rows=rows, delta=DELTA, **asked)
        except CertificateRefused:
            return False
        return True

    methods: dict[str, Callable[..., Any]] = {"**assay** ``max_error``": ours}
    if "mapie" in HERE:
        from mapie.risk_control import BinaryClassificationController

        def controlled(right):
            truth = np.ones(rows, dtype=int)
            scores = np.where(np.arange(rows) < right, 0.9, 0.1)
            control = BinaryClassificationController(
                lambda X: np.stack([1 - X[:, 0], X[:, 0]], axis=1),
                "accuracy",
                target,
                confidence_level=1 - DELTA,
                list_predict_params=np.array([0.5]),
            )
            control.calibrate(scores[:, None], truth)
            return len(control.valid_predict_params) > 0

        methods["risk control (MAPIE)"] = controlled
    if "statsmodels" in HERE:
        from statsmodels.stats.proportion import proportions_ztest

        def by_z(right):
            seen = right / rows
            return seen >= 1 or proportions_ztest(right, rows, target, "larger")[1] <= DELTA

        methods["z test (statsmodels)"] = by_z
    methods["accuracy as it was seen"] = lambda right: right >= target * rows
    return Design(
        "Whether a model passes a gate, where it just must not",
        f"{rows:,} rows, a gate at an accuracy of {target:g}, a true accuracy a hair below; power at "
        f"{(1 + target) / 2:g}",
        "yes",
        lambda rng, runs: rng.binomial(rows, target - 1e-9, (runs, 1)),
        methods,
        power=lambda rng, runs: rng.binomial(rows, (1 + target) / 2, (runs, 1)),
    )


def following(rows: int, more: int, rate: float) -> Design:
    def draw(rng, runs):
        return np.stack([rng.binomial(rows, rate, runs), rng.binomial(more, rate, runs)], axis=1)

    def ours(k):
        return certify(errors=int(k), rows=rows, next_rows=more, delta=DELTA).claims[0].promised

    def predicted(k):
        share = (k + 0.5) / (rows + 1)
        return more * share + Z * math.sqrt(more * share * (1 - share) * (1 + more / rows))

    return Design(
        "How many of the next rows are wrong, at most",
        f"{rows:,} rows, then {more:,}; true error {100 * rate:.3g} %",
        "at most",
        draw,
        {
            "**assay** ``next_rows``": ours,
            "normal prediction interval": predicted,
            "exact bound on the rate, as a share": lambda k: (
                more * certify(errors=int(k), rows=rows).error
            ),
        },
    )


def designs() -> list[Design]:
    return [
        one_rate(100, 0.0264),
        one_rate(30, 0.1),
        one_rate(1000, 0.01),
        better(30, 0.1, 0.3),
        better(200, 0.1, 0.1),
        better(1000, 0.1, 0.06),
        difference(30, 0.1, 0.0, 0.05),
        difference(100, 0.0, 0.5, 0.5),
        difference(164, 0.1, 0.1, 0.1),
        difference(1000, 0.1, 0.04, 0.02),
        graded(40),
        f1(60, 0.28, 0.926, 0.893),
        f1(200, 0.5, 0.985, 0.985),
        f1(1000, 0.02, 0.8, 0.8),
        area(20, 1.8),
        area(40, 3.0),
        units(20, 8, 0.2, 0.7, False),
        units(20, 8, 0.05, 0.9, True),
        units(50, 8, 0.1, 0.3, False),
        groups((400, 250, 150, 100, 60, 40), (0.03, 0.03, 0.04, 0.02, 0.05, 0.02)),
        batch((100, 300)),
        batch(400),
        gate(100, 0.9),
        following(1000, 100, 0.05),
    ]
