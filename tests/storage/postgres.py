"""A PostgreSQL server of our own, on loopback, in a temporary folder, where its programs are installed."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def programs() -> Path | None:
    """The folder with `initdb`, `postgres` and `psql`; None where PostgreSQL is not installed."""
    on_path = shutil.which('postgres')
    places = [*sorted(Path('/usr/lib/postgresql').glob('*/bin'), reverse=True), *([Path(on_path).parent] if on_path else [])]
    return next((place for place in places if all((place / name).exists() for name in ('initdb', 'postgres', 'psql'))), None)


def user() -> str | None:
    """Whom the server runs as: it refuses to run as root."""
    if os.geteuid() != 0:
        return None
    return next(name for name in ('postgres', 'nobody') if name in {entry.pw_name for entry in pwd.getpwall()})


class Server:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(('127.0.0.1', 0))
            self.port = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, database: str) -> str:
        return f'postgresql://cardnight@127.0.0.1:{self.port}/{database}'

    def start(self) -> None:
        settings = {
            'listen_addresses': '127.0.0.1',
            'port': str(self.port),
            'unix_socket_directories': '',
            'fsync': 'off',
            'max_connections': '40',
        }
        command = [str(found() / 'postgres'), '-D', str(self.folder / 'data')]
        for name, value in settings.items():
            command += ['-c', f'{name}={value}']
        self._process = subprocess.Popen(command, user=user(), cwd=self.folder, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        until = time.monotonic() + 20
        while time.monotonic() < until:
            if self.run('postgres', 'SELECT 1').returncode == 0:
                return
            time.sleep(0.05)
        raise TimeoutError('PostgreSQL does not come up')

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        if self._process:
            self._process.send_signal(how)
            self._process.wait(20)
            self._process = None

    def run(self, database: str, statement: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(found() / 'psql'), '-X', '-A', '-t', '-c', statement, self.url(database)], capture_output=True, text=True, check=False
        )


def found() -> Path:
    place = programs()
    assert place
    return place


@contextmanager
def server() -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix='cardnight-postgres-'))
    try:
        if (name := user()) is not None:
            shutil.chown(folder, name)
        command = [str(found() / 'initdb'), '-D', str(folder / 'data'), '-U', 'cardnight', '-A', 'trust', '-E', 'UTF8']
        subprocess.run([*command, '--locale=C', '--no-sync'], user=user(), cwd=folder, check=True, capture_output=True)
        running = Server(folder)
        running.start()
        try:
            yield running
        finally:
            running.stop(signal.SIGQUIT)
    finally:
        shutil.rmtree(folder)
