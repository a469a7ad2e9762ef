"""Runs commands, given as JSON, in this process, and prints what a shell would see of each."""

import dataclasses
import json
import sys

from tests.cli.runner import run

if __name__ == "__main__":
    lines = json.load(sys.stdin)
    json.dump([dataclasses.astuple(run(*line)) for line in lines], sys.stdout)
