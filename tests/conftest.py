from __future__ import annotations

import logging
import os
import tempfile
from collections.abc import Iterator

import hypothesis
import pytest

# No test sees the settings of whoever runs it, or writes into their folders.
for name in list(os.environ):
    if name.startswith('CARDNIGHT_') or name == 'DISCORD_TOKEN':
        del os.environ[name]
for name in ('XDG_CONFIG_HOME', 'XDG_DATA_HOME'):
    os.environ[name] = os.path.join(tempfile.gettempdir(), 'cardnight-tests')

# Times depend on the machine; the examples do not.
hypothesis.settings.register_profile('tests', deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile('tests')


@pytest.fixture(autouse=True)
def nothing_goes_wrong_unseen(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """discord.py only logs what is raised in the callback of a dynamic item, and asyncio what is raised in a task; here it counts."""
    yield
    logged = [record for when in ('setup', 'call') for record in caplog.get_records(when) if record.levelno >= logging.ERROR]
    assert [record.getMessage() for record in logged if record.name.startswith(('discord', 'asyncio'))] == []
