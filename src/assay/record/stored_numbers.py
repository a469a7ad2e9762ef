"""What the fit of a model of so many stored numbers leaves behind."""

from __future__ import annotations

from dataclasses import dataclass

from assay.record.training_loss import TrainingLossRecord


@dataclass(frozen=True)
class StoredNumbersRecord:
    """A model as it can be written down, and how it does on the rows it was made from.

    Attributes
    ----------
    numbers : int
        How many numbers the model is.
    rows : int or None
        The training rows; None where nobody knows how many different ones there were.
    errors : int or None
        How many of them the model gets wrong, if that is known.
    bits : int or None
        The length of the model in a prefix-free code; None for 64 bits a number.
    code : str
        The code in a few words.
    training : TrainingLossRecord or None
        The loss on the training rows, if it was summed up.

    Examples
    --------
    >>> StoredNumbersRecord(10, 5000, 250).numbers
    10
    """

    numbers: int
    rows: int | None
    errors: int | None
    bits: int | None = None
    code: str = ""
    training: TrainingLossRecord | None = None
