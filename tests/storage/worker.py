"""Run as a program of its own: plays on a database as fast as it can, and prints a line for every move that is acknowledged.

`worker.py URL TABLES` ends only by force. `worker.py --fill FOLDER` plays until the disk of the folder is full, frees it, and
prints what it met as JSON.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from pathlib import Path

from bot.storage import StorageError, Store
from tests.storage.values import CHANNEL, a_move, finish, new_table, playing, round_end

ROUND = 7
"""Plies a round; a match has two."""


async def play(store: Store, channel_id: int) -> None:
    while True:
        table_id = await playing(store, channel_id)
        for number in range(2):
            for ply in range(ROUND):
                last = ply == ROUND - 1
                end = finish(table_id) if last and number == 1 else None
                await store.add_move(a_move(table_id, ply, round=number), [round_end(number)] if last else [], end)
                os.write(1, f'{table_id} {number} {ply}\n'.encode())


async def play_for_ever(url: str, tables: int) -> None:
    store = await Store.open(url)
    await asyncio.gather(*(play(store, CHANNEL + number) for number in range(tables)))


async def fill(folder: Path) -> None:
    lines = logging.handlers = []  # type: ignore[attr-defined]
    handler = logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger('bot.storage').addHandler(handler)
    ballast = folder / 'ballast'
    ballast.write_bytes(b'x' * 400_000)
    store = await Store.open(folder / 'night.sqlite3')
    table_id = await store.create_table(new_table())
    stored: list[int] = []
    refused: list[str] = []
    for ply in range(100_000):
        try:
            await store.add_move(a_move(table_id, ply, text='x' * 2_000))
            stored.append(ply)
        except StorageError as error:
            refused.append(error.code)
            if len(refused) == 5:
                ballast.unlink()
            if len(refused) > 50:
                break
        else:
            if refused:
                break
    table = await store.table(table_id)
    await store.close()
    print(json.dumps({'stored': stored, 'found': [move[1] for move in table.moves] if table else [], 'refused': refused, 'log': lines}))


if __name__ == '__main__':
    if sys.argv[1] == '--fill':
        asyncio.run(fill(Path(sys.argv[2])))
    else:
        asyncio.run(play_for_ever(sys.argv[1], int(sys.argv[2])))
