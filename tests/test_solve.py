"""Exact values: against other programs' values, the reference engine's whole graph, and each other."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import replace
from typing import Any

import pytest
from cases import read_jsonl
from engines import REFERENCE
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from play import play_all
from shell import PROMPTLY, interrupt, needs_ctrl_c, needs_tight_memory, run
from strategies import rules, setups
from test_symmetry import Turned, exchanged, turned
from test_theory import solve as solve_by_reference

import yote_fast as yf
from yote_fast import DRAW, LOSS, WIN, reference
from yote_fast.core import Graph, Prover
from yote_fast.graph_size import most_classes
from yote_fast.notation import Setup, format_yfen
from yote_fast.rules import Rules
from yote_fast.solve import Counts, Progress, Result, Value

VALUES = {"win": WIN, "draw": DRAW, "loss": LOSS}
TINY = [(2, 2), (2, 3), (3, 2), (3, 3), (2, 4)]
WON_IN_7 = "c5/2C3/6/6/6 w 1/0"


def tiny_rules(most_pieces: int = 4) -> st.SearchStrategy[Rules]:
    """Any mix of the options on a tiny board."""
    return rules(TINY, pieces=(1, most_pieces), repetition=(0, 2, 3))


def board_of(setup: Setup, mix: Rules) -> yf.Board:
    return yf.Board(format_yfen(setup, mix), mix)


# Against other programs -----------------------------------------------------------------------------------------------------------

SOLVED = read_jsonl("solve.jsonl")


def solved_cases(least: int, most: int) -> pytest.MarkDecorator:
    cases = [case for case in SOLVED if least <= case["positions"] <= most]
    return pytest.mark.parametrize("case", cases, ids=lambda case: f"{json.dumps(case['rules'])} {case['yfen']}")


def assert_solution(case: dict[str, Any]) -> None:
    board = yf.Board(case["yfen"], Rules(**case["rules"]))
    solution = yf.solve(board)
    keys = ("positions", "win", "draw", "loss", "longest_win", "longest_loss")
    assert solution.counts == Counts(*(case[key] for key in keys))
    assert (solution.value, solution.distance) == (VALUES[case["start"]], case["start_distance"])
    assert (solution.method, solution.reason) == ("graph", None)
    assert_line(board, solution)


@solved_cases(0, 20_000)
def test_expected_values(case: dict[str, Any]) -> None:
    assert_solution(case)


@pytest.mark.slow
@solved_cases(20_001, 1_000_000)
def test_more_expected_values(case: dict[str, Any]) -> None:
    assert_solution(case)


def test_a_loss_in_44_plies_by_search() -> None:
    (case,) = [case for case in SOLVED if case["start_distance"] == 44]
    solution = yf.solve(yf.Board(case["yfen"], Rules(**case["rules"])), method="search")
    assert (solution.value, solution.distance, solution.method, len(solution.pv)) == (LOSS, 44, "search", 44)


# Against the reference engine -----------------------------------------------------------------------------------------------------


def assert_same_as_reference(board: yf.Board) -> None:
    """Every position of the graph has the value and distance that the reference engine's graph gives it."""
    values = solve_by_reference(REFERENCE.position(board.yfen(), board.rules))
    graph = Graph(board, 16, 0, 0)
    while (ended := graph.run(1.0)) is None:
        pass
    assert ended == "solved"
    where = f"{board.rules}: {board.yfen()}"
    for yfen, (value, distance) in values.items():
        assert graph.probe(yf.Board(yfen, board.rules)) == (VALUES[value], distance), f"{where}, {yfen}"
    names = [value for value, _ in values.values()]
    longest = [max((plies for value, plies in values.values() if value == name), default=-1) for name in ("win", "loss")]
    assert graph.tally() == (len(values), names.count("win"), names.count("draw"), names.count("loss"), *longest), where


@given(data=st.data(), mix=tiny_rules())
@settings(max_examples=70)
def test_reference(data: st.DataObject, mix: Rules) -> None:
    board = board_of(data.draw(setups(mix)), mix)
    assume(most_classes(board) <= 150)
    assert_same_as_reference(board)


@pytest.mark.slow
@given(data=st.data(), mix=tiny_rules())
@settings(max_examples=25)
def test_reference_at_length(data: st.DataObject, mix: Rules) -> None:
    board = board_of(data.draw(setups(mix)), mix)
    assume(most_classes(board) <= 400)
    assert_same_as_reference(board)


@pytest.mark.parametrize(
    ("yfen", "text"),
    [
        ("2/2 w 2/2", "yote+rows=2+cols=2+pieces=2"),
        ("2/2 w 1R/1R", "heroes+rows=2+cols=2+pieces=2+bonus_turn+no_moves=pass"),
        ("2/2 w 2/2 - 1/1", "challenges+rows=2+cols=2+pieces=2+trade_routes=1"),
        ("2/2 w 2/2 - 1/1", "challenges+rows=2+cols=2+pieces=2+trade_routes=1+bonus_turn+no_moves=pass"),
        ("3/3 w 2/2", "choko+rows=2+cols=3+pieces=2+mandatory_capture"),
        ("3/3 w 1R/1R", "heroes+rows=2+cols=3+pieces=2+drop_initiative"),
        ("C1c/3/c1C w 0/0 - 0/0:a1b2,b2c3", "challenges+rows=3+cols=3+pieces=2+trade_routes=2+chain_capture"),
        ("cC1/3/1rR b 0/0 - 0/0:c1b2", "challenges+rows=3+cols=3+pieces=2+royal_caravan+bonus_turn+mandatory_capture"),
        ("C1c/3/c1C w 0/0", "yote+rows=3+cols=3+pieces=3+chain_capture+chain_removal=each+friendly_leap+optional_removal"),
        ("C1c/3/2c b 1/0", "yote+rows=3+cols=3+pieces=3+second_removal=board_or_hand+no_moves=loses+draw_at_three=false"),
    ],
)
def test_reference_on_chosen_games(yfen: str, text: str) -> None:
    assert_same_as_reference(yf.Board(yfen, Rules.parse(text)))


def wins_within(position: reference.Position, attacker: bool, plies: int) -> bool:
    """Whether a side can win within so many plies, by the definition."""
    result = position.result()
    if result != "*":
        return result == ("1-0" if attacker else "0-1")
    if plies == 0:
        return False
    answers = (wins_within(after, attacker, plies - 1) for _, after in position.legal_moves())
    return any(answers) if position.turn == attacker else all(answers)


@given(data=st.data(), mix=rules([(2, 4), (3, 4), (5, 5), (5, 6), (6, 6), (2, 18)], pieces=(1, 5), repetition=(0,)))
@settings(max_examples=120)
def test_search_by_its_definition(data: st.DataObject, mix: Rules) -> None:
    board = board_of(data.draw(setups(mix)), mix)
    plies = 2 if yf.perft(board, 2) <= 1_000 else 1
    assume(yf.perft(board, plies) <= 1_000)
    position = reference.Position(board.yfen(), mix)
    for attacker in (True, False):
        expected = [wins_within(position, attacker, n) for n in range(plies + 1)]
        assert [Prover(board, 1, 0, 0).ask(None, attacker == board.turn, n) for n in range(plies + 1)] == expected


# The two ways ---------------------------------------------------------------------------------------------------------------------


@given(data=st.data(), mix=rules([*TINY, (3, 4)], pieces=(1, 5)))
@settings(max_examples=150)
def test_search_and_graph(data: st.DataObject, mix: Rules) -> None:
    """What the graph says is won or lost within 9 plies the search proves too, and nothing else."""
    board = board_of(data.draw(setups(mix)), mix)
    assume(most_classes(board) <= 20_000)
    graph = yf.solve(board, method="graph", memory_mb=64)
    search = yf.solve(board, method="search", memory_mb=1, limit=yf.Limit(depth=9))
    assert graph.value is not None
    assert graph.distance is not None
    where = f"{mix}: {board.yfen()}"
    if graph.value == DRAW or graph.distance > 9:
        assert search.value in ([DRAW, None] if board.is_game_over() else [None]), where
    else:
        assert (search.value, search.distance) == (graph.value, graph.distance), where
        assert_line(board, search)
    assert_line(board, graph)


def assert_line(board: yf.Board, solution: yf.Solution) -> None:
    """The line leads to the end that was claimed, in as many plies; of a draw it is one move, that leads to a draw."""
    where = f"{board.rules}: {board.yfen()}: {solution}"
    # Repetition is the history's, and best play repeats nothing.
    end = yf.Board(board.yfen(), dataclasses.replace(board.rules, repetition=0))
    for move in solution.pv:
        end.push_text(str(move))
    if solution.value == DRAW:
        assert len(solution.pv) == bool(board.legal_moves), where
        assert (end.outcome() is None) or end.result() == "1/2-1/2", where
        return
    assert len(solution.pv) == solution.distance, where
    assert end.result() == ("1-0" if (solution.value == WIN) == board.turn else "0-1"), where


@given(data=st.data(), mix=tiny_rules(5))
@settings(max_examples=80)
def test_every_position_follows_from_its_children(data: st.DataObject, mix: Rules) -> None:
    board = board_of(data.draw(setups(mix)), mix)
    assume(most_classes(board) <= 20_000)
    board = play_all(board, data.draw(st.integers(0, 2**32)), 6)
    solution = yf.solve(board, method="graph", memory_mb=64)
    assert set(solution.moves) == set(board.legal_moves)
    results = list(solution.moves.values())
    if results:
        assert results[0] == Result(solution.value, solution.distance)  # type: ignore[arg-type]
        merits = [(result.value, -result.value * (result.distance or 0)) for result in results]
        assert merits == sorted(merits, reverse=True)
    for move, result in solution.moves.items():
        child = board.copy(stack=False)
        child.push(move)
        below = yf.solve(child, method="graph", memory_mb=64)
        assert below.value is not None
        assert below.distance is not None
        assert result.value == (below.value if child.turn == board.turn else -below.value)
        assert result.distance == below.distance + (result.value != DRAW)


@given(data=st.data(), mix=tiny_rules(5))
@settings(max_examples=80)
def test_symmetric_positions(data: st.DataObject, mix: Rules) -> None:
    setup = data.draw(setups(mix))
    assume(most_classes(board_of(setup, mix)) <= 20_000)
    turns: list[Turned] = [lambda row, col: (row, mix.cols - 1 - col), lambda row, col: (mix.rows - 1 - row, col)]
    if mix.rows == mix.cols:
        turns.append(lambda row, col: (col, row))
    solution = yf.solve(board_of(setup, mix), method="graph", memory_mb=64)
    for other in [exchanged(setup), *(turned(setup, mix, turn) for turn in turns)]:
        found = yf.solve(board_of(other, mix), method="graph", memory_mb=64)
        assert (found.value, found.distance, found.counts) == (solution.value, solution.distance, solution.counts)
        assert sorted(map(str, found.moves.values())) == sorted(map(str, solution.moves.values()))


def test_history_does_not_count() -> None:
    board = yf.Board(WON_IN_7, Rules(repetition=2))
    fresh = yf.solve(board)
    for text in ("c4-d4", "a5-b5", "d4-c4", "b5-a5"):
        board.push_text(text)
    assert board.is_game_over()
    solution = yf.solve(board)
    assert (solution.value, solution.distance, solution.counts) == (fresh.value, fresh.distance, fresh.counts)


# Ends -----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("yfen", "mix", "value"),
    [
        ("3/3/C2 b 0/0", Rules(rows=3, cols=3), LOSS),
        ("3/3/C2 w 0/0", Rules(rows=3, cols=3), WIN),
        ("3/3/3 w 0/0", Rules(rows=3, cols=3), DRAW),
        ("3/3/C1c w 1/1", Rules(rows=3, cols=3, draw_at_three=True), DRAW),
        ("cc/Cc b 0/0", Rules(rows=2, cols=2), WIN),
        ("CC/cc b 0/0", Rules(rows=2, cols=2), DRAW),
        ("CC/cc b 0/0", Rules(rows=2, cols=2, no_moves="loses"), LOSS),
        ("cc/Cc b 0/0", Rules(rows=2, cols=2, no_moves="pass"), DRAW),
    ],
)
@pytest.mark.parametrize("method", ["auto", "graph", "search"])
def test_finished_games(yfen: str, mix: Rules, value: Value, method: Any) -> None:
    board = yf.Board(yfen, mix)
    solution = yf.solve(board, method=method)
    assert (solution.value, solution.distance, solution.pv, solution.method) == (value, 0, [], "rules")
    assert (solution.moves, solution.counts, solution.nodes) == ({}, None, 0)
    graph = Graph(board, 1, 0, 0)
    assert graph.run(1.0) == "solved"
    assert graph.probe(board) == (value, 0)
    assert graph.tally()[0] == 1


def test_the_board_is_left_alone() -> None:
    board = play_all(yf.Board(rules=Rules(rows=3, cols=3, pieces=4)), 3, 4)
    before = board.yfen(), board.move_stack
    solution = yf.solve(board)
    assert solution.value is not None
    assert (board.yfen(), board.move_stack) == before


def test_text() -> None:
    assert str(yf.solve(yf.Board(WON_IN_7))) == "win in 7: c4-c5 a5-a4 @a2 a4-b4 a2-a3 b4-c4 c5xc3"
    assert str(yf.solve(yf.Board("3/3/C2 b 0/0", Rules(rows=3, cols=3)))) == "loss in 0"
    assert str(yf.solve(yf.Board(rules=Rules(rows=3, cols=3, pieces=2)))) == "draw: @a1"
    assert str(yf.solve(yf.Board(), limit=yf.Limit(depth=2))).startswith("not proved: there can be 3.9e+14 positions")


# Limits ---------------------------------------------------------------------------------------------------------------------------

NINE = Rules(rows=3, cols=3, pieces=9)


def assert_not_proved(solution: yf.Solution, why: str) -> None:
    assert (solution.value, solution.distance, solution.pv, solution.method) == (None, None, [], "none")
    assert (solution.moves, solution.counts) == ({}, None)
    assert solution.reason is not None
    assert why in solution.reason


def test_memory_limit() -> None:
    full = yf.solve(yf.Board(rules=NINE), method="graph", memory_mb=8)
    assert full.value == DRAW
    solution = yf.solve(yf.Board(rules=Rules(rows=3, cols=4, pieces=6)), method="graph", memory_mb=1)
    assert_not_proved(solution, "the graph did not fit in 1 MB, at ")
    positions = int(solution.reason.split("at ")[1].split()[0].replace(",", ""))  # type: ignore[union-attr]
    assert 20_000 < positions <= 2**20 / 12


def test_memory_of_a_level() -> None:
    """The graph fits, but not with the edges of its largest level."""
    board = yf.Board("2c3/6/1C2c1/4C1/6 w 0/0")
    assert yf.solve(board, method="graph", memory_mb=16).value is not None
    assert_not_proved(yf.solve(board, method="graph", memory_mb=1), "the graph did not fit in 1 MB, at 41,481 positions")


def test_search_after_a_graph_that_did_not_fit() -> None:
    board = yf.Board("4/1c2/2C1/4 w 3/3", Rules(rows=4, cols=4, pieces=5))
    solution = yf.solve(board, memory_mb=1, limit=yf.Limit(depth=3, nodes=2_000_000))
    assert_not_proved(solution, "no win or loss within 3 plies")


@pytest.mark.parametrize("nodes", [1, 2, 1000, 12_345])
def test_node_limits(nodes: int) -> None:
    board = yf.Board(rules=NINE)
    for method in ("auto", "graph", "search"):
        solution = yf.solve(board, method=method, limit=yf.Limit(nodes=nodes))
        assert_not_proved(solution, "the limit was reached")
        assert solution.nodes <= nodes + 1


@pytest.mark.parametrize("method", ["auto", "graph", "search"])
def test_time_limits(method: Any) -> None:
    solution = yf.solve(yf.Board(rules=Rules(rows=4, cols=4, pieces=8)), method=method, limit=yf.Limit(time=0.3))
    assert_not_proved(solution, "the limit was reached")
    assert solution.time < 0.3 + PROMPTLY


def test_depth_limits() -> None:
    board = yf.Board(WON_IN_7)
    assert_not_proved(yf.solve(board, method="search", limit=yf.Limit(depth=6)), "no win or loss within 6 plies")
    assert yf.solve(board, method="search", limit=yf.Limit(depth=7)).distance == 7


def test_a_small_table_changes_nothing() -> None:
    board = yf.Board("2c3/6/1C2c1/4C1/6 w 2/2")
    searches = [yf.solve(board, method="search", memory_mb=mb, limit=yf.Limit(depth=8)) for mb in (1, 256)]
    assert searches[0].value == searches[1].value
    assert searches[0].reason == searches[1].reason


@pytest.mark.parametrize("method", ["graph", "search"])
def test_progress(method: Any) -> None:
    seen: list[Progress] = []
    limit = yf.Limit(time=1.2)
    yf.solve(yf.Board(rules=Rules(rows=4, cols=4, pieces=8)), method=method, limit=limit, progress=seen.append)
    assert len(seen) >= 2
    assert {progress.phase for progress in seen} <= ({"searching"} if method == "search" else {"exploring", "solving"})
    assert [progress.nodes for progress in seen] == sorted(progress.nodes for progress in seen)
    assert [progress.seconds for progress in seen] == sorted(progress.seconds for progress in seen)


@pytest.mark.parametrize("method", ["graph", "search"])
def test_errors_in_progress_pass_through(method: Any) -> None:
    def fail(_: Progress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        yf.solve(yf.Board(rules=Rules(rows=4, cols=4, pieces=8)), method=method, progress=fail)


@needs_ctrl_c
@pytest.mark.parametrize("method", ["graph", "search"])
@pytest.mark.parametrize("progress", ["None", "lambda _: None"])
def test_ctrl_c(method: str, progress: str) -> None:
    code = f"""
import yote_fast as yf
board = yf.Board(rules=yf.Rules(rows=4, cols=4, pieces=12))
print("ready", flush=True)
try:
    yf.solve(board, method={method!r}, limit=yf.Limit(time=60), progress={progress})
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    ended = interrupt("-c", code, ready="ready", delay=0.7)
    assert (ended.status, ended.stderr) == (0, "")
    assert ended.stdout.endswith("interrupted\n")
    assert ended.seconds < PROMPTLY


@needs_tight_memory
def test_no_memory() -> None:
    code = """
import resource
import yote_fast as yf
resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20))
board = yf.Board(rules=yf.Rules(rows=4, cols=4, pieces=12))
try:
    yf.solve(board, method="graph", memory_mb=4096)
except MemoryError as error:
    print(error)
# The table of a search stays as large as it can be.
print(yf.solve(board, method="search", memory_mb=4096, limit=yf.Limit(nodes=3_000_000)).reason)
"""
    ended = run("-c", code)
    assert (ended.status, ended.stderr) == (0, "")
    first, second = ended.stdout.splitlines()
    assert first == "not enough memory for a graph of 4096 MB"
    assert second.startswith("no win or loss within ")


# Tablebases -----------------------------------------------------------------------------------------------------------------------


class Oracle:
    """A tablebase of what a graph holds."""

    def __init__(self, root: yf.Board, distances: bool) -> None:
        self.graph = Graph(root, 16, 0, 0)
        assert self.graph.run(60.0) == "solved"
        self.distances = distances

    def get_wdl(self, board: yf.Board, default: int | None = None) -> int | None:
        found = self.graph.probe(board)
        return default if found is None else found[0]

    def get_dtw(self, board: yf.Board, default: int | None = None) -> int | None:
        found = self.graph.probe(board)
        return found[1] if found and self.distances else default


def test_tablebase() -> None:
    board = yf.Board(WON_IN_7)
    solution = yf.solve(board, tablebase=Oracle(board, distances=True))
    assert (solution.value, solution.distance, solution.method, solution.nodes) == (WIN, 7, "tablebase", 0)
    assert_line(board, solution)
    assert solution.moves == yf.solve(board).moves
    solution = yf.solve(board, tablebase=Oracle(board, distances=False))
    assert (solution.value, solution.distance, solution.method, str(solution)[:4]) == (WIN, None, "tablebase", "win:")
    assert next(iter(solution.moves.values())).value == WIN
    elsewhere = yf.Board("6/6/6/6/c1C3 w 1/0")
    assert yf.solve(elsewhere, tablebase=Oracle(yf.Board("6/6/6/6/c1C3 w 0/0"), distances=True)).method == "graph"


# Bad input ------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"board": "3/3/3 w 2/2"}, TypeError, "board must be a Board, not str"),
        ({"board": None}, TypeError, "board must be a Board, not NoneType"),
        ({"limit": 5}, TypeError, "limit must be a Limit, not int"),
        ({"method": "magic"}, ValueError, "method must be one of auto, graph, search, tables, not 'magic'"),
        ({"method": None}, ValueError, "method must be one of"),
        ({"memory_mb": 0}, ValueError, "memory_mb must be 1 to 1048576, not 0"),
        ({"memory_mb": 2**21}, ValueError, "memory_mb must be 1 to 1048576"),
        ({"memory_mb": 1.5}, TypeError, "memory_mb must be an int, not float"),
    ],
)
def test_bad_arguments(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        yf.solve(**{"board": yf.Board(), **options})


def test_misuse_of_the_core() -> None:
    board, other = yf.Board(WON_IN_7), yf.Board(WON_IN_7, Rules(bonus_turn=True))
    graph, prover = Graph(board, 1, 0, 0), Prover(board, 1, 0, 0)
    with pytest.raises(ValueError, match="the graph is not solved yet"):
        graph.probe(board)
    with pytest.raises(ValueError, match="other rules than the graph"):
        graph.probe(other)
    with pytest.raises(ValueError, match="other rules than the prover"):
        prover.ask(other, True, 3)
    with pytest.raises(ValueError, match="plies must be 0 to 127, not 128"):
        prover.ask(None, True, 128)
    with pytest.raises(ValueError, match="play cannot lead"):
        prover.ask(yf.Board("6/6/6/6/c1C3 w 9/0"), True, 3)
    for again in (graph, prover):
        with pytest.raises(RuntimeError, match="initialised once"):
            again.__init__(board, 1, 0, 0)  # type: ignore[misc]
    for raw in (Graph, Prover):
        with pytest.raises(RuntimeError, match="was not initialised"):
            raw.__new__(raw).stop()
    assert graph.run(60.0) == "solved"
    assert graph.probe(yf.Board("6/6/6/6/c1C3 w 9/0")) is None
    assert graph.probe(yf.Board("6/6/6/6/6 w 0/1")) is None


# Sizes ----------------------------------------------------------------------------------------------------------------------------


ROOTS = [yf.Board(case["yfen"], Rules(**case["rules"])) for case in SOLVED]


@pytest.mark.parametrize("board", ROOTS, ids=lambda board: f"{board.rules} {board.yfen()}")
def test_upper_bound(board: yf.Board) -> None:
    graph = Graph(board, 64, 0, 0)
    while graph.phase == "exploring":
        graph.run(0.1)
    # The bound takes symmetrical positions for whole classes; there are few.
    assert graph.classes <= 1.2 * most_classes(board) + 20
    assert graph.bytes <= 40 * graph.classes + 2**17


# Tables of the whole game ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["yote", "choko", "yote+mandatory_capture+friendly_leap", "yote+no_moves=loses"])
def test_tables_solve_what_the_graph_solves(text: str) -> None:
    board = yf.Board(rules=replace(Rules.parse(text), rows=3, cols=3, pieces=3))
    tables, graph = (yf.solve(board, method=method) for method in ("tables", "graph"))
    assert (tables.method, graph.method) == ("tables", "graph")
    assert (tables.value, tables.distance) == (graph.value, graph.distance)
    assert values_of(tables) == values_of(graph)
    assert tables.counts is not None
    assert tables.counts.positions == tables.counts.wins + tables.counts.draws + tables.counts.losses


def test_large_games_are_solved_by_tables() -> None:
    board = yf.Board(rules=Rules(rows=3, cols=4, pieces=6))
    solution = yf.solve(board)
    assert (solution.method, solution.value, solution.distance) == ("tables", yf.DRAW, 0)
    assert values_of(solution) == values_of(yf.solve(board, method="graph"))
    assert solution.counts is not None
    assert solution.counts.longest_win is None


def test_tables_of_a_won_game_have_distances() -> None:
    board = yf.Board(rules=replace(yf.CHOKO, rows=3, cols=3, pieces=4))
    tables, graph = (yf.solve(board, method=method) for method in ("tables", "graph"))
    assert (tables.value, tables.distance, tables.moves) == (yf.WIN, 17, graph.moves)
    assert len(tables.pv) == 17
    assert tables.counts is not None
    assert tables.counts.longest_win == 17


def values_of(solution: yf.Solution) -> dict[yf.Move, yf.Value]:
    return {move: result.value for move, result in solution.moves.items()}


@pytest.mark.parametrize(
    ("yfen", "text", "memory_mb"),
    [(None, "yote+chain_capture", 2048), ("3/3/C2 b 2/3", "yote", 2048), (None, "yote+rows=5+cols=6+pieces=12", 1024)],
)
def test_what_tables_do_not_solve(yfen: str | None, text: str, memory_mb: int) -> None:
    mix = Rules.parse(text)
    board = yf.Board(yfen, mix if mix.pieces == 12 and yfen is None else replace(mix, rows=3, cols=3, pieces=3))
    solution = yf.solve(board, method="tables", memory_mb=memory_mb)
    assert solution.value is None
    assert solution.reason == f"tables solve games from the start, of simple rules, that fit in {memory_mb:,} MB"


def test_tables_give_up_at_a_limit() -> None:
    board = yf.Board(rules=Rules(rows=4, cols=4, pieces=12))
    solution = yf.solve(board, method="tables", memory_mb=8000, limit=yf.Limit(time=0.5))
    assert solution.value is None
    assert "the limit was reached while the tables were built" in str(solution.reason)
