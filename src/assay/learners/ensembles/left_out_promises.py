"""What ensembles promise from the rows that their bags left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from assay.errors import BadParameter
from assay.guarantees.bags import DEPENDS, vote_guarantees
from assay.guarantees.guarantee import Guarantee
from assay.learners.common import kinds, number_records
from assay.learners.common.guaranteed import Certified, Guaranteed, Terms, issue_training
from assay.learners.ensembles.grower import Bags
from assay.record.out_of_bag import BagRecord, JudgedBagRecord, OutOfBagRecord
from assay.theory.rounding import Number

if TYPE_CHECKING:
    from assay.certificates.certificate import Certificate


class LeftOutRecord(Guaranteed):
    """An ensemble that may have been judged on the rows its bags left out."""

    #: What a fit knows about its bags, and about what members depend on; parameters may be set to others later.
    state = kinds.declare(
        rows_=kinds.whole(1),
        seed_=kinds.whole(most=2**63 - 1),
        draws_=kinds.whole(),
        replacement_=kinds.flag,
        depends_on_=kinds.one_of("bag", *DEPENDS),
        sample_=kinds.text.where(lambda digest: len(digest) <= 64),
        records_=kinds.maybe(kinds.each(number_records.kind_of(OutOfBagRecord), 1)),
        oob_score_=kinds.maybe(kinds.finite),
    )

    earlier_state: ClassVar[Any] = {
        "facts_": number_records.read_rows(OutOfBagRecord),
        "again_": kinds.renamed("replacement_"),
        "alone_": kinds.renamed("depends_on_"),
    }

    records_: list[OutOfBagRecord]
    rows_: int
    draws_: int
    replacement_: bool
    depends_on_: str
    sample_: str
    seed_: int

    @property
    def record_(self) -> BagRecord | JudgedBagRecord:
        """The bags; and what the rows they left out say, if `oob_score` asked for it."""
        check_is_fitted(self, "rows_")
        bags = BagRecord(
            members=self._members,
            rows=self.rows_,
            draws=self.draws_,
            replacement=self.replacement_,
            unseen=self._unseen(),
            depends_on=self.depends_on_,
            targets=self._targets,
        )
        judged = getattr(self, "records_", None)
        return JudgedBagRecord(**vars(judged[0]), bags=bags) if judged else bags

    @property
    def _targets(self) -> tuple[float, float] | None:
        """The least and the largest target, of a regressor."""
        return None

    def _unseen(self) -> int:
        """How many rows the bags left out, all bags together."""
        if not self.replacement_ or self.draws_ == 0:
            return self._members * (self.rows_ - self.draws_)
        return sum(int(np.count_nonzero(counts == 0)) for counts in self._bag_counts())

    def _bag_counts(self) -> Iterator[NDArray[np.int32]]:
        """How often each row is in the bag of each member, drawn anew from the seed."""
        bags = Bags(self.seed_, self.rows_, self.draws_, again=self.replacement_)
        for member in range(self._members):
            yield bags.draw(member)[1]

    @property
    def estimators_samples_(self) -> list[NDArray[np.int32]]:
        """The rows in the bag of each member, as often as they were drawn; worked out anew from the seed."""
        check_is_fitted(self, "rows_")
        every = np.arange(self.rows_, dtype=np.int32)
        return [np.repeat(every, counts) for counts in self._bag_counts()]

    @property
    def _members(self) -> int:
        raise NotImplementedError

    def _keep_record(self, record: OutOfBagRecord) -> None:
        self.records_ = [number_records.plain(record)]

    def _require_state(self) -> None:
        """Refuse, in a model file, a record that cannot be that of so many members."""
        record = self.records_[0] if hasattr(self, "records_") else None
        if record is not None and (
            (record.members, record.rows) != (self._members, self.rows_)
            or max(record.counted, record.voted, record.left_out) > record.rows
            or record.left_out_by_both > record.left_out
            or record.tandem > 1
        ):
            raise ValueError("its record does not fit its members")


class LeftOutVote(LeftOutRecord, Certified):
    """A classifier whose members vote, and what rows left out promise about the vote.

    Their error rate itself is an estimate (``out-of-bag-unbiased``), and no promise.
    """

    state = kinds.declare(
        classes_=kinds.labels_or_one,
        oob_decision_function_=kinds.maybe(
            kinds.array("<f8", "rows_", None, least=-1, most=1, nan=True)
        ),
    )

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """What the rows left out promise, about a member drawn at random and about the vote.

        These two only if `oob_score` asked for them; together they fail with probability at most delta. The last says
        how many rows a bag leaves out on average.
        """
        return vote_guarantees(self.record_, terms.delta)

    def oob_certificate(self, *, delta: Number = 0.05, **terms: Any) -> Certificate:
        """A certificate about the error of the vote from the rows that bags left out, without any further rows.

        Parameters
        ----------
        delta : number
            The probability that its promise fails.
        **terms
            Digests and provenance, as `assay.certificates.issue.training.certify_training` takes them.
        """
        record = self.record_
        if isinstance(record, BagRecord) or not record.left_out:
            raise BadParameter(
                "oob_certificate needs rows that every bag left out: fit with oob_score=True, and with more rows."
            )
        vote = vote_guarantees(record, delta)[1]
        return issue_training([vote], delta, **terms)
