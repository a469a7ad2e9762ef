"""The description of a tree, written out bit by bit and read back without any examples."""

from __future__ import annotations

import math

from tests.theory.complexity.test_question_code import read, words


class Language:
    """What a reader knows before the examples: features and classes, and of every feature its kind."""

    def __init__(self, classes, arity, may_miss, multiway=False):
        self.classes, self.arity, self.may_miss = classes, list(arity), list(map(bool, may_miss))
        self.multiway = multiway

    def write(self, tree, node=0):
        """The word of a tree."""
        below = tree.children_of(node)
        if not below:
            return "0" + _number(int(tree.value[node].argmax()), self.classes)
        f = int(tree.feature[node])
        start = "1" + _number(f, len(self.arity))
        if not self.arity[f]:
            start += min(words(float(tree.threshold[node])), key=len)
            if self.may_miss[f]:
                start += str(int(tree.missing_left[node]))
            return start + "".join(self.write(tree, child) for child in below)
        table = tree.table_of(node)
        known = table[:-1]
        if self.multiway and self.arity[f] > 1:
            order = list(known)
            if self.may_miss[f]:
                start += _number(
                    known.index(table[-1]) if table[-1] in known else len(known), len(table)
                )
                order += [table[-1]] if table[-1] not in known else []
        else:
            values = table if self.may_miss[f] else known
            # The group of the first value comes first; the others join it or not, but not all of them.
            joins = [child == values[0] for child in values[1:]]
            start += _number(sum(j << i for i, j in enumerate(joins)), 2 ** (len(values) - 1) - 1)
            order = [values[0], next(child for child in values if child != values[0])]
        return start + "".join(self.write(tree, child) for child in order)

    def read(self, bits):
        """The tree at the front of some bits, as a function of a row of cells, and what follows."""
        if bits[0] == "0":
            label, bits = _take(bits[1:], self.classes)
            if label >= self.classes:
                raise IndexError
            return (lambda row: label), bits
        f, bits = _take(bits[1:], len(self.arity))
        arity, missing = self.arity[f], self.may_miss[f]
        if not arity:
            threshold, bits = read(bits)
            left = missing and bits[0] == "1"
            bits = bits[missing:]
            low, bits = self.read(bits)
            high, bits = self.read(bits)

            def ask(row):
                goes = left if math.isnan(row[f]) else row[f] <= threshold
                return (low if goes else high)(row)

            return ask, bits
        table = list(range(arity + missing))
        if self.multiway and arity > 1:
            if missing:
                table[-1], bits = _take(bits, arity + 1)
        else:
            code, bits = _take(bits, 2 ** (len(table) - 1) - 1)
            table = [0] + [1 - (code >> i & 1) for i in range(len(table) - 1)]
        below = []
        for _ in range(max(table) + 1):
            child, bits = self.read(bits)
            below.append(child)
        return (lambda row: below[table[arity if math.isnan(row[f]) else int(row[f])]](row)), bits

    def all_words(self, longest):
        """Every word of at most so many bits."""
        found, waiting = [], [""]
        while waiting:
            word = waiting.pop()
            try:
                _, rest = self.read(word)
            except (IndexError, ValueError):
                if len(word) < longest:
                    waiting += [word + "0", word + "1"]
                continue
            assert not rest
            found.append(word)
        return found


def _width(options):
    return (options - 1).bit_length()


def _number(value, options):
    return format(value, f"0{_width(options)}b") if options > 1 else ""


def _take(bits, options):
    width = _width(options)
    if len(bits) < width:
        raise IndexError
    return int(bits[:width] or "0", 2), bits[width:]
