"""A model that adds two numbers and is wrong about 3 + 3."""

import re

QUESTIONS = [f"What is {i}+{i}?" for i in range(1, 9)]
ANSWERS = [str(2 * i) for i in range(1, 9)]


def add(question):
    one, other = re.search(r"(\d+)\+(\d+)", question).groups()
    total = int(one) + int(other)
    return str(7 if total == 6 else total)
