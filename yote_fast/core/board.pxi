"""The board: a position with its rules and history."""


cdef int check_sink(Sink* sink) except -1:
    """Raise what an incomplete generation failed with."""
    if sink.state == SINK_OK:
        return 0
    if sink.state == COUNT_OVERFLOW:
        raise OverflowError("the number of actions does not fit 64 bits")
    if sink.state == TOO_MANY:
        raise MemoryError(f"the position has more than {MAX_ACTIONS} legal actions; count() can still count them")
    if sink.state == NO_MEMORY:
        raise MemoryError("not enough memory for the legal actions")
    return reraise(sink.control)


@cython.final
cdef class LegalMoves:
    """The legal moves of a board, generated when asked for.

    Iterate it, ask for its ``len``, whether a move is ``in`` it, or for its truth. The view follows the board; an iterator keeps
    the moves of the moment that it was made.
    """

    cdef Board board

    def __init__(self):
        raise TypeError("legal moves are the attribute legal_moves of a Board")

    def __iter__(self):
        cdef LegalMoveIterator iterator = LegalMoveIterator.__new__(LegalMoveIterator)
        iterator.compiled = self.board.compiled
        self.board._generate(&iterator.sink)
        return iterator

    def __len__(self):
        return self.count()

    def __bool__(self):
        return self.board._can_act()

    def __contains__(self, move):
        if not isinstance(move, Move):
            raise TypeError(f"a legal move is a Move, not {type(move).__name__}; board.parse reads moves from text")
        return self.board._is_legal(move)

    def count(self):
        """The number of legal moves, counted without making them. Raises OverflowError beyond 64 bits."""
        return self.board._count_actions()

    def __repr__(self):
        return f"<LegalMoves ({', '.join(map(str, self))})>"


@cython.final
@cython.freelist(8)
cdef class LegalMoveIterator:
    cdef CompiledRules compiled
    cdef Sink sink
    cdef uint64_t index

    def __dealloc__(self):
        sink_free(&self.sink)

    def __iter__(self):
        return self

    def __next__(self):
        if self.index == self.sink.count:
            raise StopIteration
        self.index += 1
        return move_of(self.compiled, self.sink.effects[self.index - 1], &self.sink.paths[self.index - 1])

    def __length_hint__(self):
        return self.sink.count - self.index


@cython.final
cdef class Board:
    """A position of a game with the moves that led to it.

    Args:
        yfen: the position; None for the start of a game.
        rules: the rules it is played by.

    Squares are indices, ``row * cols + col`` from 0 (a1); sets of squares are bitboards, integers with bit ``square`` set.
    Two boards are equal if their rules and positions are, whatever their histories; boards are not hashable, for they change.
    A board is not safe for use by several threads at once; copies are.

    Raises:
        InvalidPositionError: the YFEN is malformed or breaks a bound of the rules.
        TypeError: an argument has the wrong type.
    """

    cdef CompiledRules compiled
    cdef Position position
    # The history, oldest first: the moves, and the position before each.
    cdef list moves
    cdef Position* positions
    cdef Py_ssize_t capacity

    def __init__(self, yfen=None, rules=YOTE):
        cdef CompiledRules compiled = compile_rules(rules)
        setup = start_setup(rules) if yfen is None else parse_yfen(yfen, rules)
        self.compiled = compiled
        self.moves = []
        read_setup(compiled, setup, &self.position)

    def __dealloc__(self):
        free(self.positions)

    # The position ---------------------------------------------------------------------------------------------------------------

    @property
    def rules(self):
        """The rules that the board is played by, a :class:`~yote_fast.Rules`."""
        return self.compiled.rules

    @property
    def turn(self):
        """The side to move, ``WHITE`` or ``BLACK``."""
        return bool(self.position.turn)

    @property
    def white(self):
        """White's pieces on the board, as a bitboard."""
        return self.position.pieces[1]

    @property
    def black(self):
        """Black's pieces on the board, as a bitboard."""
        return self.position.pieces[0]

    @property
    def royals(self):
        """The royals on the board, of both sides, as a bitboard."""
        return self.position.royals

    @property
    def must_drop(self):
        """Whether the last main action was a drop by choice, which obliges the next side (``drop_initiative``)."""
        return bool(self.position.must_drop)

    @property
    def key(self):
        """A 64-bit hash of the position, kept up to date move by move. Different positions can share a key."""
        return self.position.key

    def fresh_key(self):
        """The key computed from nothing, to check ``key``."""
        return fresh_key(&self.compiled.c, &self.position)

    def hand(self, color):
        """The number of a side's pieces in hand, its royal included; ``color`` is ``WHITE`` or ``BLACK``."""
        cdef int side = self._side(color)
        return self.position.hand[side] + self.position.royal_in_hand[side]

    def royal_in_hand(self, color):
        """Whether a side's royal is in hand."""
        return bool(self.position.royal_in_hand[self._side(color)])

    def supply(self, color):
        """The number of a side's trade routes that are not on the board yet."""
        return self.position.supply[self._side(color)]

    def piece_at(self, square):
        """``"C"`` or ``"R"`` for a white camel or royal, ``"c"`` or ``"r"`` for a black one, None for an empty square.

        Raises:
            IndexError: the board has no such square.
        """
        cdef int squares = self.compiled.c.geometry.squares, index
        if not isinstance(square, int):
            raise TypeError(f"a square must be an int, not {type(square).__name__}")
        if not 0 <= square < squares:
            raise IndexError(f"square {square} is not on the board; squares are 0 to {squares - 1}")
        index = square
        for side in range(2):
            if self.position.pieces[side] & bit(index):
                return ("rR" if self.position.royals & bit(index) else "cC")[side]
        return None

    def yfen(self):
        """The position as a YFEN."""
        return format_yfen(self.setup(), self.compiled.rules)

    def setup(self):
        """The position in plain words, a :class:`yote_fast.notation.Setup`."""
        return describe_position(self.compiled, &self.position)

    def to_planes(self, color=None):
        """The position as a float32 array of shape (planes, rows, cols); :mod:`yote_fast.planes` tells what they hold.

        Args:
            color: the side with whose eyes they look, ``WHITE`` or ``BLACK``; None for the side to move.
        """
        import numpy

        cdef const Geometry* g = &self.compiled.c.geometry
        cdef int count = count_planes(&self.compiled.c), own = self.position.turn if color is None else self._side(color)
        cdef Array array = Array.__new__(Array)
        planes = numpy.empty((count, g.rows, g.cols), dtype=numpy.float32)
        array.open(planes, count * g.squares * sizeof(float), True)
        write_planes(&self.compiled.c, &self.position, own, <float*>array.view.buf)
        return planes

    cdef int _side(self, color) except -1:
        if color is not True and color is not False:
            raise TypeError(f"a color must be WHITE (True) or BLACK (False), not {color!r}")
        return color

    # Moves ----------------------------------------------------------------------------------------------------------------------

    @property
    def legal_moves(self):
        """A view of the legal moves of the position; empty where pieces or a lack of moves have ended the game."""
        cdef LegalMoves view = LegalMoves.__new__(LegalMoves)
        if self.compiled is None:
            raise ValueError("the board was not initialised")
        view.board = self
        return view

    def parse(self, text):
        """The legal move that a text such as ``"c3xc5/b1"`` writes.

        Raises:
            InvalidMoveError: the text is not in the notation.
            IllegalMoveError: the move is not legal here.
        """
        cdef Move move = Move.__new__(Move)
        plain = parse_action(text, self.compiled.rules)
        move.compiled = self.compiled
        if not encode(self.compiled, plain, &move.code) or not self._is_legal(move):
            raise IllegalMoveError(f"{text} is not legal in {self.yfen()}" + self._why_illegal())
        return move

    def push(self, move):
        """Play a legal move.

        Raises:
            IllegalMoveError: the move is not legal here; the board is unchanged.
        """
        if not isinstance(move, Move):
            raise TypeError(f"push takes a Move, not {type(move).__name__}; push_text plays a move from its text")
        if not self._is_legal(move):
            raise IllegalMoveError(f"{move} is not legal in {self.yfen()}" + self._why_illegal())
        self._push(<Move>move)

    def push_text(self, text):
        """Play the legal move that a text writes, and return it. Raises what :meth:`parse` raises; the board is then unchanged."""
        cdef Move move = self.parse(text)
        self._push(move)
        return move

    def pop(self):
        """Take back the last move and return it.

        Raises:
            IndexError: no move was played.
        """
        if not self.moves:
            raise IndexError("the board has no move to take back: its history is empty")
        self.position = self.positions[len(self.moves) - 1]
        return self.moves.pop()

    def peek(self):
        """The last move.

        Raises:
            IndexError: no move was played.
        """
        if not self.moves:
            raise IndexError("the board has no last move: its history is empty")
        return self.moves[len(self.moves) - 1]

    @property
    def move_stack(self):
        """The moves played, oldest first, as a new list."""
        return self.moves[:]

    def ply(self):
        """The number of moves played on this board."""
        return len(self.moves)

    # Signal handlers run in long generations and may use this board, so these work on a copy of the position.

    cdef int _generate(self, Sink* sink) except -1:
        cdef Control control
        cdef Position position = self.position
        control_init(&control)
        sink_init(sink, ACTIONS, &control)
        generate(&self.compiled.c, &position, sink)
        return check_sink(sink)

    cdef uint64_t _count_actions(self) except? 0:
        cdef Control control
        cdef Sink sink
        cdef Position position = self.position
        control_init(&control)
        sink_init(&sink, COUNT, &control)
        generate(&self.compiled.c, &position, &sink)
        check_sink(&sink)
        return sink.count

    cdef bint _can_act(self) noexcept:
        cdef const Ruleset* rules = &self.compiled.c
        if is_decided(rules, &self.position):
            return False
        return has_action(rules, &self.position) or must_pass(rules, &self.position)

    cdef bint _is_legal(self, Move move) except -1:
        cdef Control control
        cdef Sink sink
        cdef Position position = self.position
        if move.compiled is not self.compiled and move.compiled.c.geometry.cols != self.compiled.c.geometry.cols:
            return False
        control_init(&control)
        if is_legal_action(&self.compiled.c, &position, &move.code, &control, &sink):
            return True
        check_sink(&sink)
        return False

    cdef str _why_illegal(self):
        if not self._can_act():
            return ": the game is over"
        if self.position.stage == BEFORE_MAIN and is_obliged_to_drop(&self.compiled.c, &self.position):
            return ": the side to move must drop"
        return ""

    cdef int _push(self, Move move) except -1:
        cdef Py_ssize_t plies = len(self.moves)
        if plies == self.capacity:
            self._reserve(2 * self.capacity if self.capacity else 32)
        self.moves.append(move)
        self.positions[plies] = self.position
        play(&self.compiled.c, &self.positions[plies], move.code.effect, &self.position)
        return 0

    cdef int _reserve(self, Py_ssize_t capacity) except -1:
        cdef Position* positions = <Position*>realloc(self.positions, capacity * sizeof(Position))
        if positions == NULL:
            raise MemoryError("not enough memory for the history of the board")
        self.positions = positions
        self.capacity = capacity
        return 0

    # The end --------------------------------------------------------------------------------------------------------------------

    def outcome(self):
        """How the game ended, an :class:`~yote_fast.Outcome`; None if it goes on.

        A repetition is seen only in moves played on this board. ``legal_moves`` looks at the position alone and is not empty then.
        """
        cdef const Ruleset* rules = &self.compiled.c
        cdef int white = piece_count(&self.position, 1), black = piece_count(&self.position, 0)
        if white == 0 or black == 0:
            # Both sides without pieces can only be set up; neither has won.
            return Outcome(None if white == black else white > 0, Termination.NO_PIECES)
        if rules.draw_at_three and white <= 3 and black <= 3:
            return Outcome(None, Termination.THREE_PIECES)
        if not self._can_act():
            if rules.no_moves == PASSES or (rules.no_moves == MOST_PIECES and white == black):
                return Outcome(None, Termination.NO_MOVES)
            return Outcome(white > black if rules.no_moves == MOST_PIECES else not self.turn, Termination.NO_MOVES)
        if self.compiled.rules.repetition and self.occurrences() >= self.compiled.rules.repetition:
            return Outcome(None, Termination.REPETITION)
        return None

    def is_game_over(self):
        """Whether the game has ended, as :meth:`outcome` tells how."""
        return self.outcome() is not None

    def result(self):
        """``"1-0"``, ``"0-1"``, ``"1/2-1/2"``, or ``"*"`` for a game that goes on."""
        outcome = self.outcome()
        return "*" if outcome is None else outcome.result()

    def occurrences(self):
        """How often the position has stood on this board, now included."""
        cdef Py_ssize_t ply
        cdef int count = 1
        for ply in range(len(self.moves)):
            count += same_position(&self.positions[ply], &self.position)
        return count

    # Copies ---------------------------------------------------------------------------------------------------------------------

    def copy(self, *, stack=True):
        """A board with the same position and, unless ``stack`` is false, the same history."""
        cdef Board other = Board.__new__(Board)
        cdef Py_ssize_t plies = len(self.moves)
        other.compiled = self.compiled
        other.position = self.position
        other.moves = []
        if stack and plies:
            other._reserve(plies)
            memcpy(other.positions, self.positions, plies * sizeof(Position))
            other.moves = self.moves[:]
        return other

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    def __reduce__(self):
        from yote_fast.core import restore_board

        cdef Position* root = &self.positions[0] if self.moves else &self.position
        yfen = format_yfen(describe_position(self.compiled, root), self.compiled.rules)
        return restore_board, (yfen, self.compiled.rules, [str(move) for move in self.move_stack])

    def __eq__(self, other):
        if not isinstance(other, Board):
            return NotImplemented
        return self.compiled is (<Board>other).compiled and same_position(&self.position, &(<Board>other).position)

    __hash__ = None

    def __repr__(self):
        rules = "" if self.rules == YOTE else f", rules=Rules.parse({str(self.rules)!r})"
        return f"Board({self.yfen()!r}{rules})"

    def __str__(self):
        return picture(self.setup(), self.compiled.rules)

    def _repr_svg_(self):
        # What notebooks show. Only they need it, so it is imported when they ask.
        from yote_fast import svg

        return svg.board(self, lastmove=self.peek() if self.moves else None, size=svg.NOTEBOOK_SIZE)


cdef int read_setup(CompiledRules compiled, setup, Position* p) except -1:
    """Write a valid position in plain words to ``p``."""
    cdef int square, block
    memset(p, 0, sizeof(Position))
    for square, piece in enumerate(setup.board):
        if piece != ".":
            p.pieces[1 if piece.isupper() else 0] |= bit(square)
        if piece in "Rr":
            p.royals |= bit(square)
    for low, high in setup.routes:
        block = route_block((low, high), compiled.rules)
        if block == low:
            p.rising |= bit(block)
        else:
            p.falling |= bit(block)
    p.hand[1], p.hand[0] = setup.hands
    p.royal_in_hand[1], p.royal_in_hand[0] = setup.royals
    p.supply[1], p.supply[0] = setup.supplies
    p.turn = setup.turn
    p.must_drop = setup.must_drop
    p.placed = setup.phase.placed
    p.moved = setup.phase.moved
    if setup.phase.actor is not None:
        p.stage = BONUS_MOVE if setup.phase.bonus else AFTER_MAIN
        p.actor = setup.phase.actor
    p.key = fresh_key(&compiled.c, p)
    return 0


cdef object describe_position(CompiledRules compiled, const Position* p):
    cdef int square, cols = compiled.c.geometry.cols
    board, routes = [], []
    for square in range(compiled.c.geometry.squares):
        piece = "."
        if (p.pieces[0] | p.pieces[1]) & bit(square):
            piece = "R" if p.royals & bit(square) else "C"
            if p.pieces[0] & bit(square):
                piece = piece.lower()
        board.append(piece)
        if p.rising & bit(square):
            routes.append((square, square + cols + 1))
        if p.falling & bit(square):
            routes.append((square + 1, square + cols))
    phase = Phase(
        bool(p.placed), bool(p.moved), None if p.stage == BEFORE_MAIN else p.actor, p.stage == BONUS_MOVE
    )
    return Setup(
        "".join(board), bool(p.turn), (p.hand[1], p.hand[0]), (bool(p.royal_in_hand[1]), bool(p.royal_in_hand[0])),
        bool(p.must_drop), (p.supply[1], p.supply[0]), tuple(routes), phase,
    )
