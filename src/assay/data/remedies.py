"""What can be done about data that cannot be read, in the words of Python and of the command line."""

from __future__ import annotations

from assay.errors import Words

WITH_DROP = Words("", " with {}", "drop")
IN_CATEGORIES = Words("in categories", "with {}", "category")
NAN_OR_ZERO = Words("say missing='nan' or missing='zero'", "say {} zero", "missing")
FEATURES = Words("features=...", "{}.", "features")

HOW_MANY = ("Say how many there are: ", FEATURES)
NAME_IT = ("If the column holds categories, name it ", IN_CATEGORIES, ".")
ANOTHER_CATEGORY = (
    Words("Fit it on rows that hold it, name it in categories,", "Begin with rows that hold it,"),
    " or say ",
    Words("unknown='other'", "{} other", "unknown"),
    ".",
)
