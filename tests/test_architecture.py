"""Who imports whom. The layers stand in pyproject.toml (import-linter); here stands what holds for parts that nobody listed."""

from __future__ import annotations

import ast
import logging
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from importlib.metadata import packages_distributions
from pathlib import Path

import grimp
import pytest
from importlinter.cli import lint_imports

from bot.engines import games

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / 'pyproject.toml').read_text('utf-8'))['project']
SOURCES = sorted([*ROOT.glob('bot/**/*.py'), *ROOT.glob('cogs/**/*.py')])
FACES = (
    'bot.__main__',
    'bot.app',
    'bot.chat',
    'bot.cli.bench.memory',
    'bot.cli.bench.press',
    'bot.cli.demo',
    'bot.cli.doctor',
    'bot.cli.run',
    'bot.ui',
    'cogs',
)
"""The parts that may know Discord."""


def inside(module: str, *packages: str) -> bool:
    return any(module == package or module.startswith(f'{package}.') for package in packages)


@pytest.fixture(scope='module')
def graph() -> grimp.ImportGraph:
    return grimp.build_graph('bot', 'cogs', include_external_packages=True, cache_dir=None)


@cache
def parsed(source: Path) -> ast.Module:
    return ast.parse(source.read_text('utf-8'))


def distributions(requirements: list[str]) -> set[str]:
    return {re.split(r'[\[<>=]', requirement)[0].lower().replace('_', '-') for requirement in requirements}


INSTALLED = {'pyspiel': ['open-spiel']} | packages_distributions()
"""By package; one whose distribution has another name is known also where it is not installed."""


def distribution(module: str) -> str:
    """The distribution that a package from outside comes from."""
    root = module.partition('.')[0]
    return INSTALLED.get(root, [root])[0].lower().replace('_', '-')


REQUIRED = distributions(PROJECT['dependencies'])
OPTIONAL = {name for extra, wanted in PROJECT['optional-dependencies'].items() if extra != 'test' for name in distributions(wanted)}


def test_layers() -> None:
    loggers = [logger for logger in logging.root.manager.loggerDict.values() if isinstance(logger, logging.Logger)]
    silent = [logger for logger in loggers if logger.disabled]
    assert lint_imports(no_cache=True) == 0
    for logger in loggers:  # it has silenced them all, and other tests look at what is logged
        logger.disabled = logger in silent


def test_only_what_draws_for_discord_knows_discord(graph: grimp.ImportGraph) -> None:
    assert [module for module in graph.find_downstream_modules('discord') if not inside(module, *FACES)] == []


def test_rules_need_nothing_but_python_and_pydantic(graph: grimp.ImportGraph) -> None:
    engines = graph.find_descendants('bot.engines') | {'bot.engines'}
    imported = set().union(*(graph.find_modules_directly_imported_by(module) for module in engines)) - engines
    assert imported - sys.stdlib_module_names <= {'pydantic'}


def test_no_game_knows_another(graph: grimp.ImportGraph) -> None:
    """Neither by an import nor by its name: a game is added without touching anything outside its own files, modules or packages."""
    for game in games():
        rules = {f'bot.engines.{game}', *graph.find_descendants(f'bot.engines.{game}')}
        importers = set().union(*(graph.find_modules_that_directly_import(module) for module in rules))
        strangers = {module for module in importers if not inside(module, f'bot.engines.{game}', f'cogs.{game}')}
        assert strangers == set(), f'{strangers} know {game}'
        named = [
            source.relative_to(ROOT)
            for source in SOURCES
            if game not in source.relative_to(ROOT).with_suffix('').parts
            and any(isinstance(node, ast.Constant) and node.value == game for node in ast.walk(parsed(source)))
        ]
        assert named == []


def test_no_cog_knows_another(graph: grimp.ImportGraph) -> None:
    """A cog is a module of the folder `cogs`, or a package there."""
    for cog in graph.find_children('cogs'):
        parts = {cog, *graph.find_descendants(cog)}
        imported = set().union(*(graph.find_modules_directly_imported_by(part) for part in parts))
        assert {module for module in imported if inside(module, 'cogs')} <= parts


def test_no_cycles(graph: grimp.ImportGraph) -> None:
    tuple(TopologicalSorter({module: graph.find_modules_directly_imported_by(module) for module in graph.modules}).static_order())


def test_every_import_is_declared_and_every_dependency_imported(graph: grimp.ImportGraph) -> None:
    outside = {module for module in graph.modules if graph.is_module_squashed(module)} - sys.stdlib_module_names
    imported = {distribution(module) for module in outside}
    assert imported - OPTIONAL == REQUIRED - OPTIONAL


# --- imports stand at the top -----------------------------------------------------------------------------------------


def imports(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))


def roots(node: ast.Import | ast.ImportFrom, package: str) -> Iterator[str]:
    """The modules that an import statement names, in full."""
    if isinstance(node, ast.Import):
        yield from (name.name for name in node.names)
    else:
        above = package.rsplit('.', node.level - 1)[0] + '.' if node.level else ''
        yield from (f'{above}{node.module or name.name}' for name in node.names)


@pytest.mark.parametrize('source', SOURCES, ids=lambda source: str(source.relative_to(ROOT)))
def test_imports_stand_at_the_top(source: Path, graph: grimp.ImportGraph) -> None:
    """But for what comes with an extra, and our own modules that need one."""

    def needs_an_extra(module: str) -> bool:
        needed = graph.find_modules_directly_imported_by(module) if module in graph.modules else set()
        return any(distribution(name) in OPTIONAL - REQUIRED for name in {module, *needed})

    package = '.'.join(source.relative_to(ROOT).parent.parts)
    inline = {
        f'line {node.lineno}: {module}'
        for function in ast.walk(parsed(source))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in imports(function)
        for module in roots(node, package)
        if not needs_an_extra(module)
    }
    assert inline == set()
