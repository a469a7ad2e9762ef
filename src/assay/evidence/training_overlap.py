"""How many rows of a holdout occur in the training set: a sentence that carries its counts."""

from __future__ import annotations


class TrainingOverlap(str):
    """What was found when a holdout was looked for among training rows.

    Attributes
    ----------
    repeated, rows : int
        How many of how many rows of the holdout occur in the training set.
    compared, learned : int
        With how many of the rows that were learned they were compared; 0 where all were given.
    left_out : bool
        Whether the rows that occur there were left out.

    Examples
    --------
    >>> print(TrainingOverlap(3, 50, left_out=True))
    3 of 50 row digests occur in the training set and were left out
    """

    __slots__ = ("compared", "learned", "left_out", "repeated", "rows")
    repeated: int
    rows: int
    compared: int
    learned: int
    left_out: bool

    def __new__(
        cls, repeated: int, rows: int, compared: int = 0, learned: int = 0, left_out: bool = False
    ) -> TrainingOverlap:
        """So many of so many rows."""
        sentence = f"{repeated} of {rows} row digests occur in the training set"
        if learned:
            sentence = f"{rows_compared(compared, learned)}: {sentence}"
        overlap = super().__new__(cls, sentence + " and were left out" * left_out)
        overlap.repeated, overlap.rows, overlap.left_out = repeated, rows, left_out
        overlap.compared, overlap.learned = compared, learned
        return overlap

    def __getnewargs__(self) -> tuple[int, int, int, int, bool]:  # type: ignore[override]
        """What copies and pickles are made from."""
        return self.repeated, self.rows, self.compared, self.learned, self.left_out

    @property
    def by_sample(self) -> bool:
        """Whether a sample of the training rows was compared: that none was found is then no proof."""
        return self.compared < self.learned


def rows_compared(compared: int, learned: int) -> str:
    """With how many of the rows that were learned others were compared, in words.

    Examples
    --------
    >>> rows_compared(80, 900)
    'a sample of 80 of the 900 rows that were learned was compared'
    """
    if compared == learned:
        return f"all {learned} rows that were learned were compared"
    return f"a sample of {compared} of the {learned} rows that were learned was compared"
