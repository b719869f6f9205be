"""Many games at once, as arrays: for learners, playouts and statistics.

Actions are numbers here. :class:`Actions` numbers those of all rules without chains and trade routes, in this order:

=================  ==============================================  ===============================
a camel's drop     on each square
a royal's drop     on each square                                  with ``royal_caravan``
a step             in each way from square to square
a friendly leap    in each way of jumping                          with ``friendly_leap``
a capture          in each way of jumping, with each removal
``--``             one number                                      with ``no_moves="pass"``
=================  ==============================================  ===============================

Ways go by direction (east, west, north, south), then by the square they start from. The second removals after a jump are: the
squares besides the three of the jump, in order; the hand, unless ``second_removal="board"``; nothing. On the 5 x 6 board there are
98 ways to step and 76 to jump, so plain Yoté has 30 + 98 + 76 * (27 + 2) = 2332 numbers.

>>> import yote_fast as yf
>>> boards = yf.batch.Boards(1000, yf.YOTE, seed=1)
>>> boards.actions.move_of(boards.random_actions()[0])
<Move @f2>
>>> boards.play_out()
88490
>>> int(boards.results.sum())
68
"""

from __future__ import annotations

import operator
from typing import Any, NoReturn, SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .checks import check_int
from .core import Actions, Board, Games
from .errors import IllegalMoveError
from .planes import plane_names
from .rules import YOTE, Rules

__all__ = ["MAX_GAMES", "NO_ACTION", "Actions", "Boards"]

NO_ACTION = -1
"""In an array of action numbers: leave this game alone."""
MAX_GAMES = 10**8
MAX_PLIES = 2**32 - 1

Bools: TypeAlias = NDArray[np.bool_]
Bytes: TypeAlias = NDArray[np.uint8]
Floats: TypeAlias = NDArray[np.float32]
Results: TypeAlias = NDArray[np.int8]
Numbers: TypeAlias = NDArray[np.int64]


class Boards:
    """Many games of the same rules.

    Args:
        count: how many games, 1 to ``MAX_GAMES``. One takes 64 bytes, and once it has begun 24 or more, 2 for each action
            since its last drop or capture.
        rules: rules without chains and trade routes.
        yfen: the position that the games start from, and come back to by :meth:`reset`; None for the start of a game.
        seed: decides what :meth:`random_actions` and :meth:`play_out` choose. Each game draws from a generator of its own, so
            what it does depends on the seed and its index alone.
        auto_reset: a game that ends in :meth:`step` starts anew at once.

    Games end as those of :class:`Board` do, repetitions included: of each game the actions since its last drop or capture are kept,
    for only the positions since then can come again. ``boards[i]`` is a new :class:`Board` with a game's position and that much
    of its history, and ``boards[i] = board`` takes over both.

    No method but ``boards[i]`` makes an object for a game, and the long ones release the interpreter's lock. One ``Boards`` serves
    one thread at a time; each thread can have its own.

    Raises:
        InvalidPositionError: the YFEN is malformed or breaks a bound of the rules.
        ValueError: the rules have chains or routes, or an argument is out of its bounds.
        MemoryError: there is no memory for so many games.
    """

    def __init__(
        self, count: int, rules: Rules = YOTE, *, yfen: str | None = None, seed: int = 0, auto_reset: bool = False
    ) -> None:
        check_int("count", count, 1, MAX_GAMES)
        check_int("seed", seed, 0, 2**64 - 1)
        self._games = Games(Actions(rules), Board(yfen, rules), count, seed)
        self.auto_reset = auto_reset

    @property
    def actions(self) -> Actions:
        """The numbering of the actions."""
        return self._games.actions

    @property
    def rules(self) -> Rules:
        """The rules that all games are played by."""
        return self.actions.rules

    def __len__(self) -> int:
        return self._games.count

    def __repr__(self) -> str:
        return f"<Boards: {len(self)} games of {self.rules}>"

    def __getitem__(self, index: SupportsIndex) -> Board:
        return self._games.get(self._index(index))

    def __setitem__(self, index: SupportsIndex, board: Board) -> None:
        if not isinstance(board, Board):
            raise TypeError(f"a game is set from a Board, not from a {type(board).__name__}")
        self._games.put(self._index(index), board)

    def _index(self, index: SupportsIndex) -> int:
        number = operator.index(index)
        if not -len(self) <= number < len(self):
            raise IndexError(f"game {number} is out of range: there are {len(self)} games")
        return number % len(self)

    def take(self, games: NDArray[np.integer[Any]]) -> Boards:
        """Copies of games, to look ahead: one for each index in ``games``, as often as it is there.

        What copies do at random depends on the game and on their place in the array. They do not start anew by themselves.

        >>> import yote_fast as yf
        >>> boards = yf.batch.Boards(2)
        >>> games, actions = boards.mask().nonzero()
        >>> children = boards.take(games)
        >>> _ = children.step(actions)
        >>> len(children), children[0].yfen()
        (60, '6/6/6/6/C5 b 11/12')

        Raises:
            IndexError: there is no such game.
            TypeError: the indices are not integers.
            ValueError: they have more than one dimension.
        """
        given = np.asarray(games)
        if given.dtype.kind not in "iu":
            raise TypeError(f"indices of games must be integers, not {given.dtype}")
        if given.ndim != 1:
            raise ValueError(f"indices of games must have one dimension, not {given.ndim}")
        boards = Boards.__new__(Boards)
        boards._games = self._games.take(np.ascontiguousarray(given, np.int64), len(given))
        boards.auto_reset = False
        return boards

    # The state of all games -----------------------------------------------------------------------------------------------------

    @property
    def over(self) -> Bools:
        """Which games are over."""
        return self._facts()[0]

    @property
    def results(self) -> Results:
        """Of each game 1 if White has won, -1 if Black has, 0 if it is drawn or goes on."""
        return self._facts()[1]

    @property
    def turns(self) -> Bools:
        """Where White is to move."""
        return self._facts()[2]

    @property
    def plies(self) -> NDArray[np.uint32]:
        """The number of actions played in each game."""
        return self._facts()[3]

    def _facts(self) -> tuple[Bools, Results, Bools, NDArray[np.uint32]]:
        shape = len(self)
        facts = np.empty(shape, bool), np.empty(shape, np.int8), np.empty(shape, bool), np.empty(shape, np.uint32)
        self._games.facts(*facts)
        return facts

    @property
    def nbytes(self) -> int:
        """The memory that the games take, in bytes."""
        return self._games.nbytes()

    def mask(self, out: Bools | None = None) -> Bools:
        """The legal actions: bools of shape (games, actions). A finished game has none.

        Args:
            out: an array to write to, of that shape and type; None for a new one.
        """
        out = _output(out, (len(self), len(self.actions)), np.bool_)
        self._games.mask(out)
        return out

    def packed_mask(self, out: Bytes | None = None) -> Bytes:
        """The legal actions as bits: bytes of shape (games, ceil(actions / 8)), the lowest bit first, much faster than the bools.

        ``np.unpackbits(packed, axis=1, count=len(boards.actions), bitorder="little")`` makes the mask of it.
        """
        out = _output(out, (len(self), (len(self.actions) + 7) // 8), np.uint8)
        self._games.packed_mask(out)
        return out

    def planes(self, out: Floats | None = None) -> Floats:
        """The positions as float32 of shape (games, planes, rows, cols); :mod:`yote_fast.planes` tells what they hold."""
        out = _output(out, (len(self), len(plane_names(self.rules)), self.rules.rows, self.rules.cols), np.float32)
        self._games.planes(out)
        return out

    # Play -----------------------------------------------------------------------------------------------------------------------

    def step(self, actions: NDArray[np.integer[Any]]) -> tuple[Bools, Results]:
        """Play an action in each game.

        Args:
            actions: integers of shape (games,): the number of a legal action, or ``NO_ACTION``. A finished game has no action.

        Returns:
            Which games have ended by this action, and the results of all games as they were before any started anew.

        Raises:
            IllegalMoveError: an action is not legal, or its game is over. All games are as before.
            IndexError: a number is not that of an action. All games are as before.
            TypeError: the actions are not integers.
            ValueError: they have another shape.
        """
        numbers = self._numbers(actions)
        ended, results = np.empty(len(self), bool), np.empty(len(self), np.int8)
        wrong = self._games.step(numbers, ended, results, self.auto_reset)
        if wrong >= 0:
            self._refuse(wrong, int(numbers[wrong]))
        return ended, results

    def _numbers(self, actions: NDArray[np.integer[Any]]) -> Numbers:
        given = np.asarray(actions)
        if given.dtype.kind not in "iu":
            raise TypeError(f"action numbers must be integers, not {given.dtype}")
        if given.shape != (len(self),):
            raise ValueError(f"there must be one action for each game, an array of shape ({len(self)},), not {given.shape}")
        # Unsigned numbers beyond 63 bits must not become NO_ACTION or the like. In any case a copy, so that nothing changes between
        # the check and the play.
        return np.minimum(given, 2**63 - 1).astype(np.int64) if given.dtype == np.uint64 else given.astype(np.int64)

    def _refuse(self, game: int, number: int) -> NoReturn:
        if not NO_ACTION <= number < len(self.actions):
            raise IndexError(
                f"game {game}: action number {number} is out of range; {NO_ACTION} to {len(self.actions) - 1} are allowed"
            )
        board = self[game]
        text = f"game {game}: action {number}, {self.actions.move_of(number)}, is not legal in {board.yfen()}"
        raise IllegalMoveError(f"{text}: the game is over" if board.is_game_over() else text)

    def random_actions(self) -> Numbers:
        """A random legal action of each game, each as likely as the next; ``NO_ACTION`` where the game is over."""
        numbers = np.empty(len(self), np.int64)
        self._games.random_actions(numbers)
        return numbers

    def play_out(self, plies: int | None = None) -> int:
        """Play random actions in every game, to its end or so many, and return how many were played in all.

        Games stay over then, whatever ``auto_reset`` says. Ctrl-C stops it, with some games played and some not.

        Raises:
            ValueError: ``plies`` is out of bounds, or None although the rules let games go on for ever (``repetition=0``).
        """
        if plies is None:
            if not self.rules.repetition:
                raise ValueError("without repetition (repetition=0) games may never end: play_out needs a number of plies")
            plies = MAX_PLIES
        check_int("plies", plies, 0, MAX_PLIES)
        return self._games.play_out(plies)

    def reset(self, which: Bools | None = None) -> None:
        """Start games anew.

        Args:
            which: bools of shape (games,); None for all. The random choices go on where they were.
        """
        if which is None:
            which = np.ones(len(self), bool)
        if which.dtype != np.bool_ or which.shape != (len(self),):
            raise ValueError(f"which must be an array of bools of shape ({len(self)},), not of {which.dtype} and {which.shape}")
        self._games.reset(np.ascontiguousarray(which))


def _output(out: NDArray[Any] | None, shape: tuple[int, ...], dtype: type[np.generic]) -> NDArray[Any]:
    """The caller's array if it is fit to be written to, or a new one."""
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray):
        raise TypeError(f"out must be a numpy array, not {type(out).__name__}")
    if out.shape != shape or out.dtype != dtype or not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError(
            f"out must be a writable contiguous array of {np.dtype(dtype)} and shape {shape}, not of {out.dtype} and {out.shape}"
        )
    return out
