"""Both engines against positions and games of another program, and against small examples worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from cases import RESULTS, PerftCase, perft_cases, read_jsonl, read_rules
from engines import REFERENCE, Engine

from yote_fast.rules import Rules

PERFT = perft_cases()
GAMES = read_jsonl("perft/games.jsonl")

# The largest counts that an engine is asked for.
MOST = {"reference": 5_000, "compiled": 10**12}
MOST_SLOW = 20_000

perft_case = pytest.mark.parametrize("case", PERFT, ids=lambda case: case.id)


def assert_counts(engine: Engine, case: PerftCase, least: int, most: int) -> None:
    position = engine.position(case.yfen, case.rules)
    for depth, count in case.counts.items():
        if least <= count <= most and position.perft(depth) != count:
            parts = "\n".join(f"  {text}: {part}" for text, part in sorted(position.divide(depth).items()))
            pytest.fail(f"{case.rules}: {case.yfen}: perft {depth} is {position.perft(depth)}, expected {count}\n{parts}")


def test_the_cases_are_there() -> None:
    assert len(PERFT) == 405
    assert sum(len(case.counts) for case in PERFT) == 1188
    assert len(GAMES) == 54
    assert all(case.result and case.yfen for case in PERFT)


@perft_case
def test_perft(engine: Engine, case: PerftCase) -> None:
    assert_counts(engine, case, least=0, most=MOST[engine.name])


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [case for case in PERFT if MOST["reference"] < max(case.counts.values()) <= MOST_SLOW], ids=lambda case: case.id
)
def test_large_perft_of_the_reference(case: PerftCase) -> None:
    assert_counts(REFERENCE, case, least=MOST["reference"] + 1, most=MOST_SLOW)


@perft_case
def test_results(engine: Engine, case: PerftCase) -> None:
    position = engine.position(case.yfen, case.rules)
    assert position.yfen() == case.yfen
    assert position.result() == case.result
    assert (position.actions() == []) == (case.result != "*")


@pytest.mark.parametrize("case", GAMES, ids=lambda case: case["name"])
def test_games(engine: Engine, case: dict[str, Any]) -> None:
    rules = read_rules(case["rules"])
    position = engine.position(None, rules)
    assert position.yfen() == case["start"]
    for text, yfen in zip(case["moves"], case["yfen"], strict=True):
        before = position.yfen()
        assert position.result() == "*", before
        position = position.play(text)
        assert position.yfen() == yfen, f"{rules}: {before} {text}"
    assert position.result() == RESULTS[case["result"]]


@pytest.mark.parametrize("case", [case for case in GAMES if "actions" in case], ids=lambda case: case["name"])
def test_action_lists(engine: Engine, case: dict[str, Any]) -> None:
    rules = read_rules(case["rules"])
    assert sorted(engine.position(case["actions_at"], rules).actions()) == sorted(case["actions"])


# Examples worked out by hand ------------------------------------------------------------------------------------------------------

SMALL = "yote+rows=3+cols=3+pieces=8"
TINY = "yote+rows=2+cols=2+pieces=4"
CHAIN = "1c1/2c/Cc1 w 0/1"
CHAINS = f"{SMALL}+chain_capture"
ROUTES = f"{SMALL}+trade_routes=1"
FLAT = "yote+rows=2+cols=3+pieces=8+trade_routes=1"

# What it shows, rules, position, every action.
LISTS = [
    ("second removal of choice", SMALL, "3/1c1/cC1 w 0/0", "b1-c1 b1xb3/a1"),
    ("second removal from the hand", SMALL, "3/1c1/1C1 w 0/2", "b1-a1 b1-c1 b1xb3/*"),
    ("nothing to remove", SMALL, "3/1c1/1C1 w 0/0", "b1-a1 b1-c1 b1xb3"),
    ("never from the hand", f"{SMALL}+second_removal=board", "3/1c1/1C1 w 0/2", "b1-a1 b1-c1 b1xb3"),
    ("board or hand", f"{SMALL}+second_removal=board_or_hand", "3/1c1/cC1 w 0/2", "b1-c1 b1xb3/* b1xb3/a1"),
    ("optional removal", f"{SMALL}+optional_removal", "3/1c1/cC1 w 0/2", "b1-c1 b1xb3 b1xb3/a1"),
    ("mandatory capture", f"{SMALL}+mandatory_capture", "3/1c1/cC1 w 1/0", "b1xb3/a1"),
    ("chain", CHAINS, CHAIN, "a1-a2 a1xc1/b3 a1xc1/c2 a1xc1xc3/b3,* a1xc1xc3xa3/*"),
    ("mandatory chain", f"{CHAINS}+mandatory_capture", CHAIN, "a1xc1xc3xa3/*"),
    ("chain, each", f"{CHAINS}+chain_removal=each", CHAIN, "a1-a2 a1xc1/b3 a1xc1/b3xc3/* a1xc1/c2"),
    ("mandatory chain, each", f"{CHAINS}+chain_removal=each+mandatory_capture", CHAIN, "a1xc1/b3xc3/* a1xc1/c2"),
    ("friendly leap", f"{SMALL}+friendly_leap", "3/1C1/1C1 w 0/1", "b1-a1 b1-b3 b1-c1 b2-a2 b2-b3 b2-c2"),
    ("no leap before a capture", f"{SMALL}+friendly_leap+mandatory_capture", "3/Cc1/CC1 w 0/1", "a2xc2/* b1xb3/*"),
    ("royal jumped", f"{SMALL}+royal_caravan", "3/1r1/cC1 w 0/0", "b1-c1 b1xb3"),
    ("royal not removed", f"{SMALL}+royal_caravan", "3/1c1/rC1 w 0/1", "b1-c1 b1xb3/*"),
    ("royal in hand not removed", f"{SMALL}+royal_caravan", "3/1c1/1C1 w 0/0R", "b1-a1 b1-c1 b1xb3"),
    ("royal dropped", f"{TINY}+royal_caravan", "C1/c1 w 1R/0", "@b1 @b2 R@b1 R@b2 a2-b2"),
    ("obliged to drop", f"{TINY}+drop_initiative", "C1/c1 w 1/0 !", "@b1 @b2"),
    ("obliged to drop a royal", f"{TINY}+drop_initiative+royal_caravan", "C1/c1 w 0R/0 !", "R@b1 R@b2"),
    ("obliged with an empty hand", f"{TINY}+drop_initiative", "C1/c1 w 0/0 !", "a2-b2"),
    ("drop before capture", f"{SMALL}+drop_initiative+mandatory_capture", "CCC/1c1/cC1 w 1/0 !", "@a2 @c1 @c2"),
    ("pass", f"{TINY}+no_moves=pass", "Cc/c1 w 0/0", "--"),
    ("nobody can move", f"{TINY}+no_moves=pass", "Cc/cC w 0/0", ""),
    ("free move", ROUTES, "3/3/C1c w 0/0 - 0/0:a1b2", "a1-a2 a1-b1 a1~b2"),
    ("free move far", ROUTES, "3/3/C1c w 0/0 - 0/0:a1b2,b2c3", "a1-a2 a1-b1 a1~b2 a1~c3"),
    ("jump along routes", ROUTES, "3/1c1/C1c w 0/0 - 0/0:a1b2,b2c3", "a1-a2 a1-b1 a1xc3/c1"),
    ("no jump round a corner", f"{SMALL}+trade_routes=2", "3/1c1/C1c w 0/0 - 0/0:a1b2,b2a3", "a1-a2 a1-b1"),
    ("leap along routes", f"{ROUTES}+friendly_leap", "2c/cC1/Cc1 w 0/0 - 0/0:a1b2,b2c3", "a1xa3/b1 a1xa3/c3 a1xc1/a2 a1xc1/c3 "
     "b2-b3 b2-c2"),
    ("two routes do not cross", f"{TINY}+trade_routes=2", "C1/c1 w 0/0 - 1/1:a1b2", "a2-b2"),
    ("placing", f"{TINY}+trade_routes=1", "C1/c1 w 0/0 - 1/1", "=a1b2 =b1a2 a2-b2"),
    ("no second placing", ROUTES, "3/3/C1c w 0/0 - 1/0 p", "a1-a2 a1-b1"),
    ("no placing after a free move", ROUTES, "3/3/C1c w 0/0 - 1/1 f", "a1-a2 a1-b1"),
    ("free move without main action", FLAT, "c2/Ccc w 0/0 - 0/0 f", "--"),
    ("nothing optional left", ROUTES, "3/3/C1c w 0/0 - 0/0 ma1", "--"),
    ("free move after the main action", ROUTES, "3/3/CCc w 0/0 - 0/0:a1b2 mb1", "-- a1~b2"),
    ("bonus move", ROUTES, "3/1c1/C1c w 0/0 - 0/0:a1b2,b2c3 pba1", "-- a1xc3/c1"),
    ("bonus move after a free move", ROUTES, "3/3/C1c w 0/0 - 0/0:a1b2 pfba1", "-- a1~b2"),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "yfen", "actions"), [row[1:] for row in LISTS], ids=[row[0] for row in LISTS])
def test_worked_lists(engine: Engine, rules: str, yfen: str, actions: str) -> None:
    assert sorted(engine.position(yfen, Rules.parse(rules)).actions()) == actions.split()


# What it shows, rules, position, action, position after it, result.
PLAYS = [
    ("capture", SMALL, "3/1c1/cC1 w 1/3", "b1xb3/a1", "1C1/3/3 b 1/3", "*"),
    ("last piece", SMALL, "3/1c1/cC1 w 0/0", "b1xb3/a1", "1C1/3/3 b 0/0", "1-0"),
    ("last piece, bonus turn", f"{SMALL}+bonus_turn", "3/1c1/cC1 w 0/0", "b1xb3/a1", "1C1/3/3 b 0/0", "1-0"),
    ("draw at three", f"{SMALL}+draw_at_three", "3/1c1/cC1 w 1/3", "b1xb3/a1", "1C1/3/3 b 1/3", "1/2-1/2"),
    ("draw at three, bonus turn", f"{SMALL}+draw_at_three+bonus_turn", "3/1c1/cC1 w 1/3", "b1xb3/a1", "1C1/3/3 w 1/3", "1/2-1/2"),
    ("chain back to its start", f"{CHAINS}+second_removal=board", "1c1/c1c/Cc1 w 0/1", "a1xc1xc3xa3xa1", "3/3/C2 b 0/1", "*"),
    ("royal lands on the square of a removal", f"{CHAINS}+chain_removal=each+royal_caravan", "2c/2c/Rc1 w 0/1", "a1xc1/c3xc3/*",
     "2R/3/3 b 0/0", "1-0"),
    ("bonus turn", f"{ROUTES}+bonus_turn", "3/1c1/cCc w 0/0 - 1/0 p", "b1xb3/a1", "1C1/3/2c w 0/0 - 1/0", "*"),
    ("drop by choice", f"{SMALL}+drop_initiative", "3/3/3 w 2/2", "@a1", "3/3/C2 b 1/2 !", "*"),
    ("drop by choice against an empty hand", f"{SMALL}+drop_initiative", "3/3/c2 w 1/0", "@b1", "3/3/cC1 b 0/0 !", "*"),
    ("obliged drop", f"{SMALL}+drop_initiative", "3/3/C2 b 1/2 !", "@b1", "3/3/Cc1 w 1/1", "*"),
    ("pass", f"{TINY}+no_moves=pass+drop_initiative", "Cc/c1 w 0/0 !", "--", "Cc/c1 b 0/0", "*"),
    ("blocked, fewer pieces", TINY, "C1/cc w 0/0", "a2-b2", "1C/cc b 0/0", "*"),
    ("no piece left to do more", ROUTES, "3/3/C1c w 0/0 - 0/0:a1b2", "a1-a2", "3/C2/2c b 0/0 - 0/0:a1b2", "*"),
    ("free move first", ROUTES, "3/3/C1c w 0/0 - 0/0:a1b2", "a1~b2", "3/1C1/2c w 0/0 - 0/0:a1b2 f", "*"),
    ("free move, then placing open", ROUTES, "3/3/C1c w 0/0 - 1/1 f", "a1-a2", "3/C2/2c w 0/0 - 1/1 fma2", "*"),
    ("actor followed", ROUTES, "3/3/C1c w 0/0 - 1/0:a1b2 ma1", "a1~b2", "3/1C1/2c w 0/0 - 1/0:a1b2 fmb2", "*"),
    ("placing for a bonus move", ROUTES, "3/1c1/C1c w 0/0 - 1/0:a1b2 ma1", "=b2c3", "3/1c1/C1c w 0/0 - 0/0:a1b2,b2c3 pba1", "*"),
    ("placing without a bonus move", ROUTES, "3/3/C1c w 0/0 - 1/0 ma1", "=b2c3", "3/3/C1c b 0/0 - 0/0:b2c3", "*"),
    ("bonus capture", ROUTES, "3/1c1/C1c w 0/1 - 0/0:a1b2,b2c3 pba1", "a1xc3/c1", "2C/3/3 b 0/1 - 0/0:a1b2,b2c3", "*"),
    ("obligation kept", f"{ROUTES}+drop_initiative", "3/1c1/C1c w 0/1 ! 0/0:a1b2,b2c3 pba1", "a1xc3/c1",
     "2C/3/3 b 0/1 ! 0/0:a1b2,b2c3", "*"),
    ("obligation cleared", f"{ROUTES}+drop_initiative+bonus_turn", "3/1c1/C1c w 0/1 ! 0/0:a1b2,b2c3 pba1", "a1xc3/c1",
     "2C/3/3 w 0/1 - 0/0:a1b2,b2c3", "*"),
    ("obligation kept at the end of a turn", f"{ROUTES}+drop_initiative", "3/3/C1c w 0/1 ! 0/0:a1b2 ma1", "--",
     "3/3/C1c b 0/1 ! 0/0:a1b2", "*"),
    ("obligation cleared without main action", f"{FLAT}+drop_initiative", "c2/Ccc w 0/0 ! 0/0 f", "--",
     "c2/Ccc b 0/0 - 0/0", "*"),
]  # fmt: skip


@pytest.mark.parametrize(("rules", "yfen", "action", "after", "result"), [row[1:] for row in PLAYS], ids=[row[0] for row in PLAYS])
def test_worked_plays(engine: Engine, rules: str, yfen: str, action: str, after: str, result: str) -> None:
    position = engine.position(yfen, Rules.parse(rules)).play(action)
    assert position.yfen() == after
    assert position.result() == result
    assert engine.position(after, Rules.parse(rules)).actions() == position.actions()


# What it shows, rules, position, result.
ENDS = [
    ("no pieces", SMALL, "3/3/C2 b 0/0", "1-0"),
    ("pieces in hand", SMALL, "3/3/C2 b 0/1", "*"),
    ("nobody has pieces", SMALL, "3/3/3 w 0/0", "1/2-1/2"),
    ("three each", f"{SMALL}+draw_at_three", "3/3/C1c b 2/2", "1/2-1/2"),
    ("three against four", f"{SMALL}+draw_at_three", "3/3/C1c b 2/3", "*"),
    ("no pieces goes before three each", f"{SMALL}+draw_at_three", "3/3/C2 b 0/0", "1-0"),
    ("blocked with fewer pieces", TINY, "Cc/c1 w 0/0", "0-1"),
    ("blocked with more pieces", TINY, "CC/cc b 2/1", "1-0"),
    ("blocked with as many", TINY, "CC/cc b 1/1", "1/2-1/2"),
    ("blocked loses", f"{TINY}+no_moves=loses", "CC/cc w 2/0", "0-1"),
    ("blocked passes", f"{TINY}+no_moves=pass", "Cc/c1 w 0/0", "*"),
    ("both blocked", f"{TINY}+no_moves=pass", "CC/cc w 1/0", "1/2-1/2"),
    ("obliged on a full board", f"{TINY}+drop_initiative", "CC/cc w 1/0 !", "1-0"),
    ("a placing is an action", f"{TINY}+trade_routes=1", "CC/cc w 1/0 - 1/0", "*"),
    ("the other side may place", f"{TINY}+trade_routes=1+no_moves=pass", "CC/cc w 1/0 - 0/1", "*"),
    ("three each within a turn", f"{ROUTES}+draw_at_three", "3/3/C1c w 0/0 - 1/0:a1b2 ma1", "1/2-1/2"),
]


@pytest.mark.parametrize(("rules", "yfen", "result"), [row[1:] for row in ENDS], ids=[row[0] for row in ENDS])
def test_worked_ends(engine: Engine, rules: str, yfen: str, result: str) -> None:
    position = engine.position(yfen, Rules.parse(rules))
    assert position.result() == result
    assert (position.actions() == []) == (result != "*")
