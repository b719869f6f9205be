"""The options of the rules as the page asks for them."""

from __future__ import annotations

import dataclasses
from typing import Any

from ..rules import PRESETS, Rules

PRESET_TITLES = {"yote": "Yoté", "choko": "Choko", "heroes": "Heroes of Africa", "challenges": "Challenges of Africa"}

# The name of an option, what the page calls it, what it says about it.
TITLES: dict[str, tuple[str, str]] = {
    "rows": ("Rows", "2 to 18; at most 36 squares in all"),
    "cols": ("Columns", "2 to 18; at most 36 squares in all"),
    "pieces": ("Pieces of each side", "all in hand at the start"),
    "second_removal": ("Second removal", "where the piece removed besides the captured one comes from"),
    "optional_removal": ("Removals are optional", "the capturer may remove fewer pieces, or none"),
    "draw_at_three": ("Draw at three", "when both sides have three pieces or fewer"),
    "no_moves": ("No legal move", "what happens to the side to move"),
    "repetition": ("Repetition", "the occurrence of a position that draws the game; 0 for never"),
    "mandatory_capture": ("Captures are mandatory", "a side that can capture must"),
    "chain_capture": ("Chain captures", "a capturing piece may go on jumping"),
    "chain_removal": ("Second removals of a chain", "all after the chain, or one after each jump"),
    "bonus_turn": ("Bonus turn", "a capture gives the same side another turn"),
    "friendly_leap": ("Friendly leaps", "a piece may jump over one of its own side"),
    "drop_initiative": ("Drop initiative (Choko)", "a drop made by choice obliges the other side to drop"),
    "royal_caravan": ("Royals (Heroes)", "one piece of each side is safe from second removals"),
    "trade_routes": ("Trade routes (Challenges)", "routes in each side's supply, 0 to 4"),
}
CHOICES: dict[str, dict[str, str]] = {
    "second_removal": {
        "board_then_hand": "from the board; if it has none, from the hand",
        "board": "from the board only",
        "board_or_hand": "from the board or the hand, by choice",
    },
    "no_moves": {"most_pieces": "the side with more pieces wins", "loses": "it loses", "pass": "it must pass"},
    "chain_removal": {"after": "after the chain", "each": "after each jump"},
}
BOUNDS = {"rows": (2, 18), "cols": (2, 18), "pieces": (1, 20), "repetition": (0, 999), "trade_routes": (0, 4)}


def rules_form() -> dict[str, Any]:
    """The presets with all their values, and the options in order."""
    return {
        "presets": [
            {"name": name, "title": PRESET_TITLES[name], "values": dataclasses.asdict(rules)} for name, rules in PRESETS.items()
        ],
        "options": [_option(field) for field in dataclasses.fields(Rules)],
    }


def _option(field: dataclasses.Field[Any]) -> dict[str, Any]:
    title, hint = TITLES[field.name]
    option = {"name": field.name, "title": title, "hint": hint}
    if field.name in CHOICES:
        return {**option, "choices": [{"value": value, "title": text} for value, text in CHOICES[field.name].items()]}
    if field.name in BOUNDS:
        low, high = BOUNDS[field.name]
        return {**option, "min": low, "max": high}
    return {**option, "switch": True}
