"""House rules that a table may choose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

Options = Mapping[str, Any]
"""The values of options by name."""

SEATS: Final = 'seats'
"""As the default of an option: the number of seats at the table."""


class OptionError(ValueError):
    """A game has no such option, or the option cannot have this value. `code` and `params` as in `MoveError`."""

    def __init__(self, code: str, **params: Any) -> None:
        super().__init__(f'{code}: {params}')
        self.code = code
        self.params = params


@dataclass(frozen=True, slots=True)
class Option:
    """A house rule that a table may choose: a number from `low` to `high`, or one of `choices`."""

    name: str
    default: int | str | None
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    nullable: bool = False
    """None may be chosen too (the rule is off)."""

    def check(self, value: Any) -> None:
        """Raises OptionError (`option-number`, `option-choice`) for a value that this option cannot have."""
        if value is None and self.nullable:
            return
        if self.choices:
            if value not in self.choices:
                raise OptionError('option-choice', option=self.name, choices=', '.join(self.choices))
        elif isinstance(value, bool) or not isinstance(value, int) or not self.low <= value <= self.high:
            raise OptionError('option-number', option=self.name, low=self.low, high=self.high)


def filled_in(options: Sequence[Option], chosen: Options, seats: int | None) -> dict[str, Any]:
    """The chosen values and the defaults of all other options, in the order of the options; `Game.full_options` has the details."""
    known = {option.name: option for option in options}
    for name, value in chosen.items():
        if name not in known:
            raise OptionError('option-unknown', option=name, choices=', '.join(known))
        known[name].check(value)
    values: dict[str, Any] = {}
    for option in options:
        if option.name in chosen:
            values[option.name] = chosen[option.name]
        elif option.default != SEATS:
            values[option.name] = option.default
        elif seats is not None:
            values[option.name] = seats
    return values
