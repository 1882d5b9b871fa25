"""The seats of a table: who holds them, who has left, and who may take over whose seat.

Seats are numbered from 0. They never change in place: every function here returns the new seats, which count once they are stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Person:
    """A Discord user, under the name that the others at the table know."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat at a table and the person who holds it."""

    person: Person
    departed: bool = False
    """The person has left for good. The simple computer player plays this seat until somebody takes it over."""
    away: bool = False
    """The person missed too many deadlines; the simple computer player plays this seat until they are back."""
    idle: int = 0
    """How many deadlines in a row the person has missed."""
    hand_channel: int | None = None
    hand_message: int | None = None
    """Where their hand is in their direct messages, once it was sent."""
    before: tuple[Person, ...] = ()
    """Who held the seat earlier in the match and was replaced, in that order."""

    @property
    def auto(self) -> bool:
        """Whether the simple computer player plays this seat."""
        return self.departed or self.away


Seats = tuple[Seat, ...]


def seated(people: Iterable[Person], most: int) -> Seats:
    """Seats for these people, each person once, and no more than `most` of them."""
    by_id = {person.id: person for person in people}
    return tuple(Seat(person) for person in by_id.values())[:most]


def with_seat(seats: Seats, seat_no: int, **changes: Any) -> Seats:
    """The seats with some attributes of one of them changed."""
    return (*seats[:seat_no], replace(seats[seat_no], **changes), *seats[seat_no + 1 :])


def free_seat(seats: Seats, person: Person) -> int | None:
    """The number of the seat that this person can take over in a match, or None: one that they held before, else one whose holder has
    left, else one whose holder is away."""
    free = [
        (all(person.id != holder.id for holder in (seat.person, *seat.before)), not seat.departed, seat_no)
        for seat_no, seat in enumerate(seats)
        if seat.auto
    ]
    return min(free)[2] if free else None


def taken_over(seats: Seats, seat_no: int, person: Person) -> Seats:
    """The seats after this person took one over in a match, from somebody else or back from the computer player. Those who come back have
    missed as many deadlines as before."""
    seat = seats[seat_no]
    if seat.person.id == person.id:
        return with_seat(seats, seat_no, person=person, departed=False, away=False)
    before = tuple(holder for holder in (*seat.before, seat.person) if holder.id != person.id)
    return (*seats[:seat_no], Seat(person, before=before), *seats[seat_no + 1 :])


def next_host(seats: Seats, host_id: int) -> int:
    """The user who hosts a table with these seats: the present host as long as they are there, else the first person who is. When nobody
    is left the host stays."""
    people = [seat.person.id for seat in seats if not seat.departed]
    return host_id if host_id in people or not people else people[0]
