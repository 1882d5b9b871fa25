"""How fast the rules are: random playouts of every game, compared with other programs (peers) in the same process and run.

A ply is a decision: list the legal moves, choose one of them at random, play it. The deals are inside the figures. Everything that
is measured takes turns, round by round, on process time, and every round plays the same games again. A figure is the median of the
rounds, and a ratio is the median of the ratios within each round, since machines are noisy. Peers take their quickest path: without
states or feature vectors where possible, and without a new generator or new card objects for every game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from statistics import median
from time import perf_counter_ns, process_time
from typing import Any, Final

from ...engines import games
from ...engines.base import Game, Round

ROUNDS: Final = 45
SECONDS: Final = 0.05
"""The least process time of each game or peer in each round. Short, as a shared machine may change its speed every second."""
SEATS: Final = 4
"""How many play; the fewest possible in a game for more players."""
DEALS: Final = 20
"""How many rounds are dealt one after the other as in one match."""

Chance = Callable[[], float]
"""Gives a number from 0 to below 1."""
Games = Callable[[Chance], Iterator[int]]
"""Plays without end, and yields the number of plies after each game or round."""
Listings = Callable[[Chance], list[int]]
"""Lists legal moves many times; returns the nanoseconds of each time."""


def figures(progress: Callable[[str], None]) -> dict[str, float]:
    """Plies per second of every game (`<game>`, and `<game>_checked` with the checks and events that people's moves go through)
    and of every peer, the median microseconds to list the legal moves, and the ratio of every game to every peer."""
    ours: dict[str, Games] = {}
    our_listings: dict[str, Listings] = {}
    for game in games().values():
        ours[game.id] = partial(_playouts, game)
        ours[f'{game.id}_checked'] = partial(_checked_playouts, game)
        our_listings[f'{game.id}_legal'] = partial(_listings, game)
    peers: dict[str, Games] = {}
    peer_listings: dict[str, Listings] = {}
    for add in (_rlcard, _openspiel, _chess):
        try:
            add(peers, peer_listings)
        except ModuleNotFoundError as error:
            progress(f'{error.name} is left out; to compare with it, install the extra "bench"')

    speeds: dict[str, list[float]] = {name: [] for name in ours | peers}
    times: dict[str, list[float]] = {name: [] for name in our_listings | peer_listings}
    for number in range(ROUNDS):
        if number % 5 == 0:
            progress(f'round {number + 1} of {ROUNDS} …')
        for name, plays in (ours | peers).items():
            speeds[name].append(_speed(plays(Random(1).random)))
        for name, lists in (our_listings | peer_listings).items():
            times[name].append(median(lists(Random(1).random)) / 1000)
    found = {f'{name}_plies_per_s': median(values) for name, values in speeds.items()}
    found |= {f'{name}_us': median(values) for name, values in times.items()}
    for name in ours:
        for peer in peers:
            found[f'{name}_vs_{peer}'] = median(one / other for one, other in zip(speeds[name], speeds[peer], strict=True))
    for name in our_listings:
        for peer in peer_listings:
            found[f'{name}_vs_{peer}'] = median(other / one for one, other in zip(times[name], times[peer], strict=True))
    return found


def table(figures: dict[str, float]) -> list[list[str]]:
    """Speeds with their ratios to each peer, then the times to list the legal moves."""
    rows: list[list[str]] = []
    for ending, form, heading in (('_plies_per_s', ',.0f', 'plies per second'), ('_us', '.2f', 'legal moves, us')):
        values = {name.removesuffix(ending): value for name, value in figures.items() if name.endswith(ending)}
        peers = [peer for peer in values if any(f'{name}_vs_{peer}' in figures for name in values)]
        rows.append([heading, 'median', *(f'x {peer}' for peer in peers)])
        for name, value in values.items():
            ratios = [figures.get(f'{name}_vs_{peer}') for peer in peers]
            rows.append([name, format(value, form), *('' if ratio is None else f'{ratio:.2f}' for ratio in ratios)])
        rows.append([])
    return rows[:-1]


def _speed(plays: Iterator[int]) -> float:
    """Plies per second."""
    plies, start = 0, process_time()
    for more in plays:
        plies += more
        took = process_time() - start
        if took >= SECONDS:
            break
    return plies / took


# --- our games ------------------------------------------------------------------------------------------------------


def _rounds(game: Game[Any]) -> Iterator[Round[Any]]:
    """Freshly dealt rounds of match after match. Each must be over before the next is taken."""
    seats = max(SEATS, game.seats[0])
    options = game.full_options({}, seats)
    match = 0
    while True:
        match += 1
        round_ = None
        for number in range(DEALS):
            round_ = game.deal(seats, options, str(match), number, round_)
            yield round_


def _playouts(game: Game[Any], random: Chance) -> Iterator[int]:
    """As a search plays: without checks and without events."""
    for round_ in _rounds(game):
        plies = 0
        while not round_.over:
            moves = round_.legal_moves()
            round_.apply(moves[int(random() * len(moves))])
            plies += 1
        yield plies


def _checked_playouts(game: Game[Any], random: Chance) -> Iterator[int]:
    """As people's moves are played: with checks and events."""
    for round_ in _rounds(game):
        plies = 0
        while not round_.over:
            moves = round_.legal_moves()
            round_.play(round_.turn, moves[int(random() * len(moves))])
            plies += 1
        yield plies


def _listings(game: Game[Any], random: Chance) -> list[int]:
    """Times the list of legal moves at every decision of a match."""
    took: list[int] = []
    rounds = _rounds(game)
    for _ in range(DEALS):
        round_ = next(rounds)
        while not round_.over:
            start = perf_counter_ns()
            moves = round_.legal_moves()
            took.append(perf_counter_ns() - start)
            round_.apply(moves[int(random() * len(moves))])
    return took


# --- peers ----------------------------------------------------------------------------------------------------------


def _rlcard(peers: dict[str, Games], _listings: dict[str, Listings]) -> None:
    from numpy.random import RandomState
    from rlcard.games.doudizhu.game import DoudizhuGame
    from rlcard.games.uno.dealer import UnoDealer
    from rlcard.games.uno.player import UnoPlayer
    from rlcard.games.uno.round import UnoRound

    def uno(random: Chance) -> Iterator[int]:
        """UNO for two, on its bare round object. Its dealer would make 108 card objects for every game; here they are made once."""
        generator = RandomState(1)
        dealer = UnoDealer(generator)
        pack = dealer.deck[:]
        while True:
            dealer.deck = pack[:]
            dealer.shuffle()
            players = [UnoPlayer(seat, generator) for seat in range(2)]
            for player in players:
                dealer.deal_cards(player, 7)
            round_ = UnoRound(dealer, 2, generator)
            round_.perform_top_card(players, round_.flip_top_card())
            plies = 0
            while not round_.is_over:
                actions = round_.get_legal_actions(players, round_.current_player)
                round_.proceed_round(players, actions[int(random() * len(actions))])
                plies += 1
            yield plies

    def doudizhu(random: Chance) -> Iterator[int]:
        """Dou dizhu for three through `Game.step`, whose states hold the legal actions."""
        game = DoudizhuGame()
        game.np_random = RandomState(1)
        while True:
            state, _ = game.init_game()
            plies = 0
            while not game.is_over():
                actions = state['actions']
                state, _ = game.step(actions[int(random() * len(actions))])
                plies += 1
            yield plies

    peers['rlcard_uno'] = uno
    peers['rlcard_doudizhu_step'] = doudizhu


def _openspiel(peers: dict[str, Games], _listings: dict[str, Listings]) -> None:
    import pyspiel

    def plays(game: Any, random: Chance) -> Iterator[int]:
        """Chance events (deals, draws) take time, but are not counted as plies."""
        while True:
            state = game.new_initial_state()
            plies = 0
            while not state.is_terminal():
                plies += not state.is_chance_node()
                actions = state.legal_actions()
                state.apply_action(actions[int(random() * len(actions))])
            yield plies

    peers['openspiel_crazy_eights'] = partial(plays, pyspiel.load_game('crazy_eights(players=4)'))
    peers['openspiel_dou_dizhu'] = partial(plays, pyspiel.load_game('dou_dizhu'))


def _chess(peers: dict[str, Games], listings: dict[str, Listings]) -> None:
    import chess

    def plays(random: Chance) -> Iterator[int]:
        """One move generation a ply; a game ends by mate, stalemate or the 75-move rule."""
        while True:
            board = chess.Board()
            plies = 0
            while board.halfmove_clock < 150 and (moves := list(board.legal_moves)):
                board.push(moves[int(random() * len(moves))])
                plies += 1
            yield plies

    def lists(_random: Chance) -> list[int]:
        """The starting position, again and again."""
        board = chess.Board()
        took = []
        for _ in range(500):
            start = perf_counter_ns()
            list(board.legal_moves)
            took.append(perf_counter_ns() - start)
        return took

    peers['chess'] = plays
    listings['chess_start'] = lists
