"""libsvm text read the obvious way: split lines into words, and words at their colon."""

from __future__ import annotations


def libsvm(text: bytes) -> tuple[list[float], list[int], list[int], list[float]]:
    """Labels, pointers, indices and values; the text must be well-formed."""
    labels, pointers, indices, values = [], [0], [], []
    for line in text.decode().split("\n"):
        words = line.split("#")[0].split()
        if not words:
            continue
        labels.append(float(words[0]))
        for word in words[1:]:
            index, value = word.split(":")
            if index != "qid":
                indices.append(int(index))
                values.append(float(value))
        pointers.append(len(indices))
    return labels, pointers, indices, values
