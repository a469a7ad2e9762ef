"""What a learner of the service can do, whatever game it plays."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils import check_random_state

from assay.certificates.certificate import Certificate
from assay.certificates.issue.stream import KNOWN_BEFORE, certify_stream
from assay.evidence.repeats import Repeats
from assay.guarantees.assumption import Assumption
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.lateness import counted_as_learned
from assay.learners.model_file.files import load, save
from assay.learners.registry import find_learner, make_learner
from assay.server.engine.arithmetic import RULES
from assay.server.engine.definition import Definition, Settings
from assay.server.engine.requests import Kept, Tell
from assay.server.engine.truths import Truths
from assay.server.limits import Limits
from assay.server.refusals import Refusal

#: Tells draws of the service from those of the model.
_BESIDE = 0x5EED_BE51DE


class Game:
    """A learner that is asked and told; a subclass for each kind.

    What it has learned is its `model`, which a snapshot keeps as a model file, and its `counts`, plain numbers.
    Whenever `learn` refuses, the game is thrown away and made again from its events.
    """

    kind: ClassVar[str]
    #: The fields of a definition that belong to this kind alone.
    fields: ClassVar[frozenset[str]]
    #: The kind of array that labels are certified as, where it is known.
    label_type: Any = None
    #: Whether truths are labels, about which there are certificates.
    labels: bool = True
    #: The route by which it is asked.
    route: ClassVar[str] = "predict"
    #: Whether a trial that waited long enough may be told a default, and whether it may follow a baseline.
    waits: ClassVar[bool] = False
    apprentices: ClassVar[bool] = False
    #: Whether it follows one at present; the settings say so.
    apprentice: bool = False
    #: How it chooses while feedback is out, see `RULES`.
    rules: int = RULES

    def __init__(self, definition: Definition, seed: int, limits: Limits) -> None:
        self.definition, self.limits = definition, limits
        learner = find_learner(definition.algorithm)
        params = parameters_with(learner, self.params(), seed)
        self.model: Any = make_learner(definition.algorithm, params)

    def params(self) -> dict[str, Any]:
        """The parameters of the learner, as the definition has them."""
        return self.definition.params

    def read(self, ask: Any) -> tuple[Any, str]:
        """What is asked about, and the same as the text that the log keeps, without braces."""
        raise NotImplementedError

    def restore(self, kept: Kept) -> tuple[Any, Any]:
        """What was asked about and what was answered, from the log."""
        raise NotImplementedError

    def size(self, value: Any) -> int:
        """How many examples a trial holds."""
        return 1

    def bytes_of(self, value: Any) -> int:
        """Bytes in memory of what was asked about."""
        return 0

    def deferred(self, value: Any) -> bool:
        """Whether a trial takes part only when it is activated."""
        return False

    def ask(self, value: Any) -> dict[str, Any]:
        """The answer."""
        raise NotImplementedError

    def shown(self, value: Any, answer: dict[str, Any]) -> dict[str, Any]:
        """The answer as clients see it."""
        return answer

    def asked(self, value: Any, answer: dict[str, Any]) -> None:
        """Follow, in a replay, what asking had changed."""

    def truth(self, tell: Tell, value: Any) -> dict[str, Any]:
        """The feedback as the log keeps it: the same truth is always the same dict."""
        raise NotImplementedError

    def default(self, value: Any, terms: Settings) -> dict[str, Any]:
        """The truth that is told in the place of one that never comes."""
        raise NotImplementedError

    def reward_range(self) -> tuple[float, float]:
        """Between which numbers rewards lie."""
        return 0.0, 1.0

    def rehearse(self, value: Any, answer: dict[str, Any], truth: dict[str, Any]) -> None:
        """Refuse a truth that the learner would refuse, before anything is touched.

        What is like what was learned before needs none; anything else is learned by a copy first.
        """

    def learn(self, value: Any, answer: dict[str, Any], truth: dict[str, Any]) -> int | None:
        """Learn; return how many predictions had been wrong, where such a thing is known."""
        raise NotImplementedError

    def counts(self) -> dict[str, Any]:
        """What is counted beside the model."""
        return {}

    def set_counts(self, counts: dict[str, Any]) -> None:
        """Go on from these counts."""

    def mended(self) -> Sequence[str]:
        """Which of the counts an earlier version did not have, or counted otherwise."""
        return ()

    @property
    def keeps_examples(self) -> bool:
        """Whether the model holds examples as they were, not only what was learned from them."""
        return False

    def forget(self, value: Any, answer: dict[str, Any]) -> None:
        """A trial was erased before it was told."""

    def standing(self) -> dict[str, Any]:
        """Where the learner stands, cheaply."""
        return {}

    def error(self) -> tuple[int, int] | None:
        """Errors and rows of the progressive bound, where predictions are right or wrong."""
        return None

    def repeats(self) -> Repeats | None:
        """What was found about examples that came again; None where they are not compared."""
        return None

    def guarantees(self) -> Sequence[Guarantee]:
        """What the learner's theorems say."""
        guarantees: Sequence[Guarantee] = self.model.guarantees()
        return guarantees

    def told_late(
        self, guarantees: Sequence[Guarantee], late: int, untold: int
    ) -> Sequence[Guarantee]:
        """The same with what late feedback does to them, and feedback that never came."""
        return counted_as_learned(guarantees, late)

    def certificate(self, truths: Truths | None, source: str) -> Certificate:
        """The certificate that `assay stream` gives on the same rows, whose truths are given in their order."""
        count = self.error()
        if count is None or truths is None:
            raise Refusal(
                "refused", "Certificates are about labels; see the guarantees of this learner."
            )
        errors, rows = count
        if not rows:
            raise Refusal("conflict", "There is no feedback yet that could be certified.")
        return certify_stream(
            rows=rows,
            errors=errors,
            delta=self.definition.delta,
            guarantees=self.guarantees(),
            known=(Assumption(KNOWN_BEFORE, "declared", ""),),
            data=truths.digest(),
            target=self.definition.target,
            drawn=f"all rows of {source}, in their order",
            repeats=self.repeats(),
        )

    def copied(self) -> Self:
        """A copy that may be asked for its guarantees, which a model remembers: state is made by events alone."""
        twin = copy.copy(self)
        twin.model = copy.deepcopy(self.model)
        return twin

    def saved(self) -> bytes:
        """The model as a model file."""
        with tempfile.TemporaryDirectory() as folder:
            save(self.model, Path(folder) / "model.assay")
            return (Path(folder) / "model.assay").read_bytes()

    def put_back(self, saved: bytes) -> None:
        """Go on from a model file."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "model.assay").write_bytes(saved)
            made, self.model = self.model, load(Path(folder) / "model.assay")
        if "random_state" in made.get_params(
            deep=False
        ):  # a file of an earlier version may not name it
            self.model.random_state = made.random_state


def parameters_with(learner: type, params: dict[str, Any], seed: int) -> dict[str, Any]:
    """The parameters of a learner, with a seed where it draws and none was named, not even by default."""
    renamed = getattr(learner, "_renamed", {})  # a store may be older than the name
    params = {renamed.get(name, name): value for name, value in params.items()}
    known = learner().get_params(deep=False)
    if "random_state" in known and params.get("random_state", known["random_state"]) is None:
        return params | {"random_state": seed}
    return params


def seed_of_draws(model: Any) -> np.uint64:
    """A seed for what the service draws beside a model, which follows from the seed of the model."""
    seed = check_random_state(model.random_state).randint(2**63 - 1, dtype=np.int64)
    return np.uint64(int(seed) ^ _BESIDE)
