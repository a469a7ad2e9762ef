"""What is told to a client rests on what is on disk, whichever commit fails and however slow it is."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time

import pytest

from assay.certificates.certificate import Certificate
from assay.evidence.column_digest import LabelDigest
from tests.server.test_app import talk

SPAM = {"algorithm": "perceptron", "classes": [0, 1], "features": 2}
HOME = "/v1/learners/spam"
LINES = {"content-type": "application/x-ndjson"}


def _lines(ones):
    return "\n".join(map(json.dumps, ones))


@pytest.mark.parametrize("which", [1, 2, 3])
def test_a_batch_is_not_acknowledged_if_one_of_its_commits_fails(tmp_path, which):
    many = 1000

    async def conversation(client):
        await client.put(HOME, json=SPAM)
        asked = [{"trial": f"t{n}", "x": [n % 7, 1 - n % 3]} for n in range(many)]
        told = [{"trial": f"t{n}", "label": n % 2} for n in range(many)]
        await client.post(f"{HOME}/predict", content=_lines(asked), headers=LINES)
        engine = client._transport.app.state.service.engine
        commit, left = engine.writer._commit, which

        def fails(group):
            nonlocal left
            left -= 1
            time.sleep(0.005)
            if not left:
                raise sqlite3.OperationalError("database or disk is full")
            commit(group)

        engine.writer._commit = fails
        answer = await client.post(f"{HOME}/feedback", content=_lines(told), headers=LINES)
        if left > 0:  # it took fewer commits
            assert answer.status_code == 200
        else:
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "1")
            assert answer.json()["error"]["message"] == (
                "A part of the batch was not kept. Send all of it again: what was kept is not learned twice."
            )
            while (await client.get("/healthz")).status_code != 200:
                await asyncio.sleep(0.01)
            assert (await client.get(HOME)).json()["told"] < many
        engine.writer._commit = commit
        again = await client.post(f"{HOME}/feedback", content=_lines(told), headers=LINES)
        assert again.status_code == 200
        assert (await client.get(HOME)).json()["told"] == many

    talk(tmp_path, conversation)


def test_a_certificate_covers_the_labels_it_counts_while_others_are_told(tmp_path):
    async def conversation(client):
        await client.put(HOME, json=SPAM)
        for n in range(12):
            await client.post(f"{HOME}/predict", json={"trial": f"t{n}", "x": [n, 1]})
        engine = client._transport.app.state.service.engine
        commit = engine.writer._commit
        engine.writer._commit = lambda group: (time.sleep(0.05), commit(group))[1]

        async def telling():
            for n in range(12):
                await client.post(f"{HOME}/feedback", json={"trial": f"t{n}", "label": 1})

        async def asking():
            seen = set()
            await asyncio.sleep(0.06)
            for _ in range(6):
                found = Certificate.from_json((await client.get(f"{HOME}/certificate")).content)
                assert found.to_json()["data"]["sha256"] == _digest(found.rows)
                seen.add(found.rows)
                await asyncio.sleep(0.02)
            assert len(seen) > 1

        await asyncio.gather(telling(), asking())

    talk(tmp_path, conversation)


def _digest(rows):
    import numpy as np

    from assay.evidence.columns import read_column
    from assay.evidence.labels import coded_pieces

    digest = LabelDigest("labels")
    for piece in coded_pieces(read_column(np.array([1] * rows), "labels", 0), "labels", 0):
        digest.update(piece)
    return digest.finish().removeprefix("sha256:")


def test_a_deletion_whose_file_cannot_be_emptied_yet_is_a_deletion(tmp_path):
    async def conversation(client):
        await client.put(HOME, json=SPAM)
        engine = client._transport.app.state.service.engine

        def fails():
            raise sqlite3.OperationalError("database or disk is full")

        engine.store.checkpoint = fails
        assert (await client.delete(HOME)).status_code == 200
        assert (await client.get(HOME)).status_code == 404
        assert engine.ready

    talk(tmp_path, conversation)
