"""Games as text: what is read and written, that nothing is lost between, and what is said about broken files."""

from __future__ import annotations

import copy
import io
import pickle
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import rules, setups

import yote_fast as yf
from yote_fast.game import Game, GameNode, InvalidGameError, read, write
from yote_fast.notation import format_yfen


def games_of(text: str | bytes) -> list[Game]:
    """All games of a text, read as from a file."""
    file = io.StringIO(text) if isinstance(text, str) else io.BytesIO(text)
    games = []
    while (game := read(file)) is not None:
        games.append(game)
    return games


def game_of(text: str) -> Game:
    """The one game of a text, which has no errors."""
    (game,) = games_of(text)
    assert game.errors == []
    return game


def errors_of(text: str | bytes) -> list[str]:
    return [str(error) for game in games_of(text) for error in game.errors]


def mainline(game: Game) -> list[str]:
    return [str(move) for move in game.mainline_moves()]


def tree(node: GameNode) -> object:
    """All that a game is made of, but for its tags."""
    nags = sorted(node.nags)
    return str(node.move), node.comment, node.starting_comment, nags, [tree(child) for child in node.variations]


ANNOTATED = """\
[Event "A \\"first\\" try"]
[White "Awa"]
[Black "Modou"]
[Result "0-1"]
[Rules "choko"]

{Played under a tree.} 1. @c3! $10 {the middle} 1... @b2 2. c3-c4?? ({better} 2.
@d4 @d2 (2... @d1 3. @e1) 3. @a5) (2. @e5) 2... b2-b3 0-1"""


# Reading --------------------------------------------------------------------------------------------------------------------------


def test_read() -> None:
    game = game_of(ANNOTATED)
    assert dict(game.headers) == {"Event": 'A "first" try', "White": "Awa", "Black": "Modou", "Result": "0-1", "Rules": "choko"}
    assert mainline(game) == ["@c3", "@b2", "c3-c4", "b2-b3"]
    assert game.comment == "Played under a tree."
    first, _, third, last = game.mainline()
    assert (first.nags, first.comment) == ({1, 10}, "the middle")
    assert third.nags == {4}
    node = third.parent
    assert node is not None
    assert [str(child.move) for child in node.variations] == ["c3-c4", "@d4", "@e5"]
    better = node.variations[1]
    assert better.starting_comment == "better"
    assert [str(move) for move in better.mainline_moves()] == ["@d2", "@a5"]
    assert [str(child.move) for child in better.variations] == ["@d2", "@d1"]
    assert [str(move) for move in better.variations[1].mainline_moves()] == ["@e1"]
    assert last is game.end()
    assert last.board().yfen() == "5/2C2/1c3/5/5 w 11/11"
    assert str(game) == ANNOTATED


def test_nodes() -> None:
    game = game_of(ANNOTATED)
    end = game.end()
    assert (game.ply(), end.ply()) == (0, 4)
    assert end.game() is game
    assert game.game() is game
    assert game.next() is next(game.mainline())
    assert end.next() is None
    assert game.board() == yf.Board(rules=yf.CHOKO)
    board = end.board()
    assert [str(move) for move in board.move_stack] == mainline(game)
    assert (repr(game), repr(end)) == ("<Game Awa - Modou 0-1>", "<GameNode after 4 moves: b2-b3>")


@pytest.mark.parametrize(
    "text",
    [
        "1. @c3 @b2 *",
        "1.@c3 1...@b2 *",
        "@c3 @b2 *",
        "1 @c3 1 ... @b2 *",
        "\ufeff1. @c3\r\n@b2\r\n*\r\n",
        "\n\n% not for us\n1. @c3\n% nor this {\n@b2 *\n\n\n",
        "1.\n@c3\n\n\n@b2\n*",
        '[Rules "yote"]\r[Result "*"]\r\r1. @c3 @b2 *\r',
    ],
)
def test_ways_to_write_moves(text: str) -> None:
    assert mainline(game_of(text)) == ["@c3", "@b2"]
    assert [mainline(game) for game in games_of(text.encode())] == [["@c3", "@b2"]]


def test_moves_of_every_kind() -> None:
    text = "1. =b2c3 @c3 -- 1... R@d4 -- *"
    game = game_of(f'[Rules "challenges+royal_caravan"]\n\n{text}')
    assert mainline(game) == ["=b2c3", "@c3", "--", "R@d4", "--"]
    assert str(game).splitlines()[-1] == text
    game = game_of('[YFEN "6/2c3/2C3/6/6 b 1/3"]\n[Rules "yote+second_removal=board_or_hand"]\n\n1... c4xc2/* *')
    assert game.end().board().hand(yf.WHITE) == 0


def test_a_side_that_moves_again() -> None:
    # White captures, and is on move again; then it is clear from the number that the next move is Black's.
    tags, moves = '[Rules "yote+bonus_turn"]\n[YFEN "2c3/6/c5/C5/2C2c w 5/5"]\n[Result "*"]', "1. a2xa4/f1 @b1 1... @e5 2. @f5 *"
    game = game_of(f"{tags}\n{moves}")
    assert mainline(game) == ["a2xa4/f1", "@b1", "@e5", "@f5"]
    assert (
        str(game) == '[Rules "yote+bonus_turn"]\n[YFEN "2c3/6/c5/C5/2C2c w 5/5"]\n[Result "*"]\n\n1. a2xa4/f1 @b1 1... @e5 2. @f5 *'
    )


@pytest.mark.parametrize("mark", ["!", "?", "!!", "??", "!?", "?!"])
def test_marks(mark: str) -> None:
    game = game_of(f"1. @c3{mark} @b2 {mark} *")
    first, second = game.mainline()
    assert first.nags == second.nags == {yf.game.reader.NAGS[mark]}
    assert str(game).splitlines()[-1] == f"1. @c3{mark} @b2{mark} *"


def test_comments() -> None:
    game = game_of(
        "; about the file\n{one} {two}\n1. @c3 ; to the end {of the line}\n@b2 {over\n\ntwo [lines] } {again} * {the end} ; no\n"
    )
    assert game.comment == "about the file one two"
    first, second = game.mainline()
    assert first.comment == "to the end {of the line}"
    assert second.comment == "over\n\ntwo [lines] again the end no"


@pytest.mark.parametrize("comment", ["a}", "a}\nb", "a\\", "a\\}\nb", "\\\n}", "{", "a\n[b", '\n[White "x"]', "\\[", "\\\\}"])
def test_escapes_in_comments(comment: str) -> None:
    game = Game({})
    game.comment = comment
    game.add_line([game.board().parse("@c3")], comment=comment)
    other = game_of(str(game))
    assert other.comment == other.end().comment == comment.strip()


def test_comment_of_a_variation_without_moves() -> None:
    game = game_of("1. @c3 {c} ({v}) @b2 *")
    assert [node.comment for node in game.mainline()] == ["c v", ""]


def test_the_result_is_found_at_the_end_too() -> None:
    assert game_of("1. @c3 1-0").headers["Result"] == "1-0"
    assert game_of('[Result "*"]\n1. @c3 1-0').headers["Result"] == "1-0"
    assert game_of("1. @c3 (1. @b2 0-1) @d4 *").headers["Result"] == "*"


def test_several_games() -> None:
    text = f'{ANNOTATED}\n\n{ANNOTATED}\n1. @a1 1-0\n[White "x"]\n*\n\n\n'
    games = games_of(text)
    assert [len(mainline(game)) for game in games] == [4, 4, 1, 0]
    assert all(game.errors == [] for game in games)
    assert games[3].headers["White"] == "x"


def test_files_are_left_alone_between_the_games(tmp_path: Path) -> None:
    path = tmp_path / "games.ygn"
    path.write_text("1. @a1 *\n\n1. @a2 *\n1. @z9 *\n", encoding="utf-8")
    for mode in ("r", "rb"):
        with path.open(mode) as file:
            starts = [file.tell()]
            while read(file) is not None:
                starts.append(file.tell())
            assert starts[:3] == [0, 9, 19]
            # Lines are counted anew where the caller has moved in the file.
            file.seek(19)
            (error,) = read(file).errors  # type: ignore[union-attr]
            assert error.line == 1
            file.seek(0)
            assert [str(error.line) for _ in range(3) for error in read(file).errors] == ["4"]  # type: ignore[union-attr]


class Lines:
    """The least that a file must do, and no more."""

    __slots__ = ("_lines",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, text: str) -> None:
        self._lines = iter(text.splitlines(keepends=True))

    def readline(self) -> str:
        return next(self._lines, "")


def test_any_object_with_lines() -> None:
    file = Lines("1. @a1 *\n\n1. @a2 *\n")
    assert mainline(read(file)) == ["@a1"]  # type: ignore[arg-type]
    assert mainline(read(file)) == ["@a2"]  # type: ignore[arg-type]
    assert read(file) is None  # type: ignore[arg-type]


# Writing --------------------------------------------------------------------------------------------------------------------------


def test_a_new_game() -> None:
    game = Game()
    board = game.board()
    node: GameNode = game
    for text in ("@c3", "@b2"):
        node = node.add_variation(board.push_text(text))
    node.comment = "}"
    file = io.StringIO()
    write(game, file)
    assert file.getvalue() == (
        '[Event "?"]\n[Date "????.??.??"]\n[Round "?"]\n[White "?"]\n[Black "?"]\n[Result "*"]\n[Rules "yote"]\n\n'
        "1. @c3 @b2 {\\}} *\n\n"
    )


def test_from_board() -> None:
    board = yf.Board("5/5/2c2/2C2/5 w 3/3", yf.CHOKO)
    board.push_text("@a1")
    board.push_text("@b1")
    game = Game.from_board(board)
    assert game.headers["Rules"] == "choko"
    assert game.headers["YFEN"] == "5/5/2c2/2C2/5 w 3/3"
    assert game.end().board() == board
    assert "YFEN" not in Game.from_board(yf.Board(rules=yf.HEROES)).headers
    game.setup(yf.Board())
    assert (game.headers["Rules"], "YFEN" in game.headers) == ("yote", False)
    won = yf.Board("6/2c3/2C3/6/6 w 1/1")
    won.push_text("c3xc5/*")
    assert Game.from_board(won).headers["Result"] == "1-0"


def test_lines_and_variations() -> None:
    board = yf.Board()
    one, two = board.parse("@a1"), board.parse("@b1")
    game = Game()
    last = game.add_line([one, two], comment="end", starting_comment="start")
    assert (last.ply(), last.comment) == (2, "end")
    other = game.add_variation(two, comment="c", starting_comment="s", nags=[4])
    assert str(game).splitlines()[-1] == "1. @a1 ({s} 1. @b1?? {c}) 1... @b1 {end} *"
    game.remove_variation(other)
    assert str(game).splitlines()[-1] == "1. @a1 @b1 {end} *"
    with pytest.raises(ValueError, match="not in list"):
        game.remove_variation(other)


def test_illegal_moves_are_not_written() -> None:
    game = Game()
    move = game.board().parse("@a1")
    game.add_line([move, move])
    file = io.StringIO()
    with pytest.raises(yf.IllegalMoveError, match="@a1 is not legal"):
        write(game, file)
    assert file.getvalue() == ""


def test_long_games_are_wrapped() -> None:
    board = random_board(yf.CHALLENGES, random.Random(2), 300)
    lines = str(Game.from_board(board)).splitlines()
    assert max(map(len, lines)) <= 80
    assert min(map(len, lines[9:-1])) > 60


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    [
        ("White Player", "x", ValueError, "the name of a tag is made of letters"),
        ("", "x", ValueError, "the name of a tag is made of letters"),
        ("Spieler\xe4", "x", ValueError, "the name of a tag is made of letters"),
        ("White", "a\nb", ValueError, "the value of the tag White must not have a line break"),
        ("White", 3, TypeError, "the value of the tag White must be a str, not int"),
        ("Result", "won", ValueError, "the tag Result must be one of 1-0, 0-1"),
    ],
)
def test_bad_tags(name: str, value: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Game().headers[name] = value


def test_headers_are_a_mapping() -> None:
    headers = Game({"White": "x"}).headers
    del headers["White"]
    assert len(headers) == 0
    assert "White" not in headers
    assert repr(headers) == "Headers({})"


def test_copies() -> None:
    # Long enough to overflow the stack of calls if copies went from node to node.
    moves = "1. @c3 @b2 " + 2000 * "c3-c4 b2-b1 c4-c3 b1-b2 "
    game = game_of(f'[Rules "yote+repetition=0"]\n\n{moves} *')
    for other in (pickle.loads(pickle.dumps(game)), copy.deepcopy(game)):
        assert str(other) == str(game)
    (broken,) = games_of("1. @z9 *")
    assert [str(error) for error in pickle.loads(pickle.dumps(broken)).errors] == [str(broken.errors[0])]


def test_deep_variations() -> None:
    depth = 3000
    game = game_of("1. @c3 @d4 " + depth * "(1... @b2 " + depth * ")" + "*")
    assert str(game).count("(") == depth


# Round trips ----------------------------------------------------------------------------------------------------------------------


def random_board(mix: yf.Rules, chance: random.Random, plies: int) -> yf.Board:
    board = yf.Board(rules=mix)
    while board.ply() < plies and not board.is_game_over():
        board.push(chance.choice(list(board.legal_moves)))
    return board


# Lone surrogates have no UTF-8; what is left is any text, line breaks and all.
comments = st.text(st.one_of(st.sampled_from('{}()[]\\"; \n\r%*a1'), st.characters(exclude_categories=["Cs"])), max_size=20)
tag_values = comments.map(lambda text: re.sub(r"[\r\n]", "", text))


@st.composite
def games(draw: st.DrawFn) -> Game:
    """A random game with comments, marks and variations, under any rules, from any position."""
    mix = draw(rules(pieces=(1, 8)))
    start = yf.Board(rules=mix) if draw(st.booleans()) else yf.Board(format_yfen(draw(setups(mix)), mix), mix)
    game = Game(draw(st.dictionaries(st.sampled_from(["White", "Event", "x", "_9"]), tag_values)))
    game.setup(start)
    game.headers["Result"] = draw(st.sampled_from(["1-0", "0-1", "1/2-1/2", "*"]))
    game.comment = draw(comments)
    chance = draw(st.randoms(use_true_random=False))
    nodes: list[GameNode] = [game]
    for _ in range(draw(st.integers(0, 25))):
        node = chance.choice([nodes[-1], nodes[-1], chance.choice(nodes)])
        board = node.board()
        moves = list(board.legal_moves)
        if not moves:
            break
        node = node.add_variation(chance.choice(moves))
        if chance.random() < 0.3:
            node.comment = draw(comments)
            node.nags = draw(st.sets(st.integers(0, 255), max_size=3))
            # Only where there is another variation before it can something stand at its beginning.
            assert node.parent is not None
            if len(node.parent.variations) > 1:
                node.starting_comment = draw(comments)
        nodes.append(node)
    return game


def normal(node: object) -> object:
    """A tree with comments as they are read: without white space around them, and with one kind of line breaks."""
    if isinstance(node, tuple):
        move, comment, starting_comment, nags, children = node
        return (
            move,
            *(re.sub("\r\n?", "\n", text.strip()) for text in (comment, starting_comment)),
            nags,
            list(map(normal, children)),
        )
    raise TypeError(node)


@given(text=st.text('{}[]\\"; \n%a', max_size=12))
@settings(max_examples=1000)
def test_any_comment_and_tag(text: str) -> None:
    game = Game({"White": text.replace("\n", ""), "Result": "*"})
    game.comment = text
    game.add_line([game.board().parse("@c3")], comment=text)
    other = game_of(str(game))
    assert other.comment == other.end().comment == text.strip()
    assert other.headers["White"] == game.headers["White"]


@given(game=games(), binary=st.booleans())
def test_what_is_written_is_read(game: Game, binary: bool) -> None:
    text = f"{game}\n"
    (other,) = games_of(text.encode() if binary else text)
    assert other.errors == []
    assert dict(other.headers) == dict(game.headers)
    assert tree(other) == normal(tree(game))
    # And once more the same text.
    assert str(other) == str(game)


@given(first=games(), second=games())
def test_games_do_not_run_into_each_other(first: Game, second: Game) -> None:
    file = io.StringIO()
    write(first, file)
    write(second, file)
    assert [str(game) for game in games_of(file.getvalue())] == [str(first), str(second)]


# Broken files ---------------------------------------------------------------------------------------------------------------------

WHOLE = '[White "w"]\n\n1. @a1 @b1 *\n\n'


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        ("1. @c3 @c3 @b2 *", ["line 1, column 8: @c3 is not legal in 6/6/2C3/6/6 b 11/12"]),
        ("1. @c3 @z9 *", ["line 1, column 8: invalid action '@z9': 'z9' is not a square of the 5 x 6 board (a1 to f5)"]),
        ("1. @c3\n  nonsense *", ["line 2, column 3: invalid action 'nonsense': expected a form such as"]),
        ("{c} 1. x!! *", ["line 1, column 8: invalid action 'x'"]),
        ("1. @c3!!! @b2 *", ["line 1, column 7: unknown mark '!!!': expected one of ! ? !! ?? !? ?!"]),
        ("1. @c3 $256 @b2 *", ["line 1, column 8: expected a number from $0 to $255, not '$256'"]),
        ("1. @c3 $ @b2 *", ["line 1, column 8: expected a number from $0 to $255, not '$'"]),
        ("1. ! @c3 @b2 *", ["line 1, column 4: there is no move to judge"]),
        ("1. @c3 ($3 @b2) @b2 *", ["line 1, column 9: there is no move to judge"]),
        ("1. @c3 } @b2 *", ["line 1, column 8: } without {"]),
        ("1. @c3 ) @b2 *", ["line 1, column 8: there is no variation to close"]),
        ("(1. @b3 (@c4)) 1. @c3 @b2 *", ["line 1, column 1: a variation needs a move before it"]),
        ("1. @c3 ((@c4) {x} @b2) @b2 *", ["line 1, column 9: a variation needs a move before it"]),
        (
            "1. @c3 (1. @c4 @b2 *",
            ["line 1, column 1: a variation is not closed", "line 1, column 1: the game"],
        ),
        (
            "1. @c3 (1. @z4 (@b2) *",
            ["line 1, column 12: inv", "line 1, column 1: a var", "line 1, column 1: the game"],
        ),
        ("1. @c3 @b2", ["line 1, column 1: the game ends without a result"]),
        ("1. @c3 @b2 {and\nso\n", ["line 1, column 12: the comment that begins here is not closed", "line 2, column 1: the game"]),
        ("1. @c3 @b2 * 1. @d4 *", ["line 1, column 17: text behind the result: '@d4'"]),
        ('[Result "1-0"]\n1. @c3 0-1', ["line 2, column 1: the game ends with 0-1, but its tag Result is 1-0"]),
        ('[Result "won"]\n1. @c3 0-1', ["line 1, column 2: the tag Result must be one of 1-0, 0-1, 1/2-1/2, *, not 'won'"]),
        ('[White "a"] [White "b"]\n1. @c3 *', ["line 1, column 14: the tag White is given twice"]),
        ('[White "a]\n[Black "b"]\n1. @c3 *', ['line 1, column 1: expected a tag, [Name "value"]']),
        ('[White "a"]\n[Rules "chess"]\n1. @c3 *', ["line 2, column 2: the tag Rules: unknown rules 'chess'"]),
        ('[YFEN "8/8 w 1/1"]\n1. @c3 *', ["line 1, column 2: the tag YFEN: invalid position, field BOARD: it has 2 rows"]),
        ('[YFEN "8/8 w 1/1"]\n*', ["line 1, column 2: the tag YFEN: invalid position"]),
    ],
)
def test_errors(text: str, errors: list[str]) -> None:
    found = errors_of(text)
    assert len(found) == len(errors), found
    for got, expected in zip(found, errors, strict=True):
        assert got.startswith(expected)
    # The games around are read as if nothing was.
    before, *_, after = games_of(f"{WHOLE}{text}\n\n{WHOLE}")
    for game in (before, after):
        assert (game.errors, mainline(game), game.headers["White"]) == ([], ["@a1", "@b1"], "w")
    assert len(games_of(f"{WHOLE}{text}\n\n{WHOLE}")) == 3


def test_what_is_right_is_kept() -> None:
    text = "1. @c3 @b2 (1... @c3 @d4) (1... @d4 2. @z9 {x} (2. @a1 (@b1)) @a2) {y} 2. @d3 @c3 {z} (2... @e1) 3. @a1 *"
    (game,) = games_of(text)
    assert [error.column for error in game.errors] == [18, 40, 79]
    assert mainline(game) == ["@c3", "@b2", "@d3"]
    node = game.next()
    assert node is not None
    assert [str(child.move) for child in node.variations] == ["@b2", "@d4"]
    assert node.variations[0].comment == "y"


def test_lines_are_those_of_the_file() -> None:
    games = games_of(f'{WHOLE}{WHOLE}\n1. @c3\n@c3 *\n[Black "b"]\n\n1. @c3 [White "w"] *\n')
    assert [(error.line, error.column) for game in games for error in game.errors] == [(11, 1), (14, 8)]
    assert [(error.line, error.column, error.message[:20]) for error in games[2].errors] == [(11, 1, "@c3 is not legal in ")]


def test_a_game_without_its_end_does_not_take_the_next_with_it() -> None:
    for cut in ("1. @c3 (1. @d4 {com", "1. @c3 @d4", "1. @c3 ((", "", "{com\n\n"):
        games = games_of(f'[White "cut"]\n\n{cut}\n[White "whole"]\n[Black "b"]\n\n1. @a1 *\n')
        assert [dict(game.headers) for game in games] == [
            {"White": "cut", "Result": "*"},
            {"White": "whole", "Black": "b", "Result": "*"},
        ]
        assert games[0].errors
        assert not games[1].errors
        assert mainline(games[1]) == ["@a1"]


def test_broken_games_can_be_written() -> None:
    (game,) = games_of('[Rules "chess"]\n[White "w"]\n\n1. e4 e5 1-0')
    assert str(game) == '[Rules "chess"]\n[White "w"]\n[Result "1-0"]\n\n1-0'
    with pytest.raises(yf.InvalidRulesError):
        game.board()


def test_bytes_that_are_no_utf8_are_kept() -> None:
    data = '[White "Sén"]\n\n1. @c3 {été} @b2 *\n'.encode("latin-1") + b'[White "w"]\n\n1. @a1 *\n'
    first, second = games_of(data)
    assert [str(error) for error in first.errors] == [
        "line 1, column 10: byte 0xe9 is not UTF-8",
        "line 3, column 9: byte 0xe9 is not UTF-8",
    ]
    assert second.errors == []
    assert mainline(first) == ["@c3", "@b2"]
    assert b'[White "S\xe9n"]' in str(first).encode("utf-8", "surrogateescape")
    assert b"{\xe9t\xe9}" in str(first).encode("utf-8", "surrogateescape")


def test_files_in_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "games.ygn"
    path.write_bytes('[White "Sén"]\n\n*\n'.encode("latin-1"))
    with (
        path.open(encoding="utf-8") as file,
        pytest.raises(InvalidGameError, match=r"line 1, column 1: the file is not utf-8: .* byte 0xe9; open it in binary mode"),
    ):
        read(file)
    path.write_text("1. @c3 *", encoding="utf-16")
    with path.open("rb") as file, pytest.raises(InvalidGameError, match="the file is UTF-16; it must be UTF-8"):
        read(file)
    path.write_bytes("é 1. @c3 *".encode("latin-1"))
    with path.open(encoding="latin-1") as file:
        game = read(file)
        assert game is not None
        assert "'é'" in str(game.errors[0])


WORDS = [
    "1.",
    "@c3",
    "@b2",
    "c3-c4",
    "c3xc5/b1",
    "(",
    ")",
    "{",
    "}",
    ";",
    "*",
    "1-0",
    "$4",
    "!",
    "??",
    "\\",
    "[",
    '[White "x"]',
    "%",
    "--",
]


def mixes() -> st.SearchStrategy[str]:
    """Texts of what games are made of, in any order."""
    return st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(["", " ", "\n", "\n\n"]))).map(
        lambda pairs: "".join(word + space for word, space in pairs)
    )


@given(text=st.one_of(st.text(), mixes()))
@example(text=")" * 3)
@example(text="1. @c3 (")
def test_any_text(text: str) -> None:
    for game in games_of(text):
        check(game)
    # What was read can be written, and is then without errors.
    for game in games_of(text):
        (again,) = games_of(str(game))
        assert again.errors == []
        assert str(again) == str(game)


@given(data=st.binary())
def test_any_bytes(data: bytes) -> None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        with pytest.raises(InvalidGameError, match="UTF-16"):
            games_of(data)
    else:
        for game in games_of(data):
            check(game)


@given(game=games(), data=st.data())
def test_any_damage(game: Game, data: st.DataObject) -> None:
    """Games that were cut, or that something was thrown into, do not harm the next one."""
    text = str(game)
    place = data.draw(st.integers(0, len(text)))
    hurt = text[:place] + data.draw(st.sampled_from(["", "{", "}", "(", ")", '"', "\\", "@z9 ", "\n"]))
    hurt += data.draw(st.sampled_from(["", text[place:]]))
    *_, last = games_of(f"{hurt}\n\n{WHOLE}")
    assert str(last) == '[White "w"]\n[Result "*"]\n\n1. @a1 @b1 *'


def check(game: Game) -> None:
    """A game is whole, whatever it was read from."""
    assert isinstance(game, Game)
    for error in game.errors:
        assert error.line >= 1
        assert error.column >= 1
        assert str(error).startswith(f"line {error.line}, column {error.column}: ")
    for node in nodes_of(game):
        node.board()


def nodes_of(node: GameNode) -> Iterator[GameNode]:
    for child in node.variations:
        assert child.parent is node
        yield child
        yield from nodes_of(child)
