"""Rows of separated text, line by line, by the standard library."""

import csv


def delimited(text, separator, places):
    """Numbers and the kept text of every line, or None where a line is not plain."""
    rows, kept = [], []
    width = sum(place >= 0 for place in places)
    for line in text.removesuffix("\n").split("\n"):
        line = line.removesuffix("\r")
        cells = next(csv.reader([line], delimiter=separator), [])
        if len(cells) != len(places):
            return None
        row = [0.0] * width
        for cell, place in zip(cells, places, strict=True):
            if place >= 0:
                row[place] = float(cell)
            elif place == -1:
                kept.append(cell)
        rows.append(row)
    return rows, kept
