"""Actions as Python objects."""

# How the notation writes the kinds.
_KIND_NAMES = {
    DROP: "@", DROP_ROYAL: "R@", STEP: "-", CAPTURE: "x", PLACE_ROUTE: "=", FREE_MOVE: "~", PASS: "--",
}
_KINDS = {name: kind for kind, name in _KIND_NAMES.items()}


@cython.final
@cython.freelist(128)
@cython.no_gc
cdef class Move:
    """One action, as ``board.legal_moves`` and ``board.parse`` give them.

    ``str(move)`` is its notation. Moves are immutable and hashable, and equal if they are the same action on boards of the same
    width. They sort by kind (drops, steps, captures, routes, free moves, ``--``), then by squares.
    """

    cdef Action code
    cdef CompiledRules compiled

    def __init__(self):
        raise TypeError("moves are made by board.legal_moves and board.parse")

    @property
    def action(self):
        """The move in plain words, an :class:`yote_fast.notation.Action`."""
        return describe(self.compiled, &self.code)

    @property
    def from_square(self):
        """The square that the piece leaves; None for anything but a step, leap, capture or free move."""
        return origin_of(self.code.effect) if self._moves_a_piece() else None

    @property
    def to_square(self):
        """The square that a piece comes to stand on; None for a route and ``--``."""
        if self._moves_a_piece() or kind_of(self.code.effect) in (DROP, DROP_ROYAL):
            return target_of(self.code.effect)
        return None

    @property
    def is_capture(self):
        """Whether the move jumps over an enemy piece."""
        return kind_of(self.code.effect) == CAPTURE

    @property
    def cleared(self):
        """The squares that lose an enemy piece, jumped or removed, as a bitboard."""
        return cleared_by(self.code.effect)

    cdef bint _moves_a_piece(self) noexcept:
        return kind_of(self.code.effect) in (STEP, CAPTURE, FREE_MOVE)

    def __str__(self):
        return format_action(self.action, self.compiled.rules)

    def __repr__(self):
        return f"<Move {self}>"

    def __hash__(self):
        cdef Path* path = &self.code.path
        return hash((self.code.effect, path.words[0], path.words[1], path.words[2]))

    def __richcmp__(self, other, int op):
        if not isinstance(other, Move):
            return NotImplemented
        return PyObject_RichCompare(self._sort_key(), (<Move>other)._sort_key(), op)

    cdef tuple _sort_key(self):
        cdef Path* path = &self.code.path
        return self.code.effect, path.words[0], path.words[1], path.words[2], self.compiled.c.geometry.cols

    def __reduce__(self):
        from yote_fast.core import restore_move

        return restore_move, (str(self), self.compiled.rules)


cdef enum:
    RECENT_BITS = 12

# The moves made last, by a hash of their effect: most are asked for again in the next position. Moves with a path are not kept.
cdef list _recent = [None] * (1 << RECENT_BITS)


cdef inline Move move_of(CompiledRules compiled, Effect effect, const Path* path):
    """The action as an object, a new one or one made before."""
    cdef size_t slot = (effect * <uint64_t>0x9E3779B97F4A7C15ULL) >> (64 - RECENT_BITS)
    cdef Move move = <Move>_recent[slot]
    if path.words[0]:
        move = Move.__new__(Move)
    elif move is not None and move.code.effect == effect and move.compiled is compiled:
        return move
    else:
        _recent[slot] = move = Move.__new__(Move)
    move.code.effect = effect
    move.code.path = path[0]
    move.compiled = compiled
    return move


cdef object describe(CompiledRules compiled, const Action* action):
    """The action in plain words."""
    cdef Effect effect = action.effect
    cdef int origin = origin_of(effect), target = target_of(effect), kind = kind_of(effect)
    name = _KIND_NAMES[kind]
    if kind == PASS:
        return PlainAction(name)
    if kind == DROP or kind == DROP_ROYAL:
        return PlainAction(name, (target,))
    if kind != CAPTURE:
        return PlainAction(name, (origin, target))
    squares, removals = describe_jumps(compiled, action)
    return PlainAction(name, squares, removals)


cdef tuple describe_jumps(CompiledRules compiled, const Action* action):
    cdef Effect effect = action.effect
    cdef int square = origin_of(effect), jump = 0, entry, delta, removal
    cdef Bitboard removed = cleared_by(effect)
    if path_get(&action.path, 0) == 0:
        removed &= ~bit((square + target_of(effect)) // 2)
        return (square, target_of(effect)), (removed_squares(removed, hand_of(effect)),)
    squares, removals = [square], []
    while (entry := path_get(&action.path, jump)):
        delta = compiled.c.geometry.delta[entry >> 6]
        removed &= ~bit(square + delta)
        square += 2 * delta
        squares.append(square)
        removal = (entry & 63) - 1
        if removal == REMOVED_NOTHING:
            removals.append(())
        else:
            removals.append((WORD_FOR_HAND if removal == REMOVED_FROM_HAND else removal,))
        jump += 1
    if not compiled.c.removal_each:
        removals[jump - 1] = removed_squares(removed, hand_of(effect))
    return tuple(squares), tuple(removals)


cdef tuple removed_squares(Bitboard squares, int from_hand):
    """Removals in the order of the notation: squares ascending, then the hand."""
    result = []
    while squares:
        result.append(lowest(squares))
        squares &= squares - 1
    return (*result, *([WORD_FOR_HAND] * from_hand))


cdef bint encode(CompiledRules compiled, plain, Action* action) except? False:
    """Write a plain action as numbers; False if no action of these rules can look like it."""
    cdef int kind = _KINDS[plain.kind]
    squares = plain.squares
    action.path = no_path()
    if kind == CAPTURE:
        return encode_capture(compiled, squares, plain.removals, action)
    if kind == PASS:
        action.effect = make_effect(PASS, 0, 0)
    else:
        action.effect = make_effect(kind, squares[0], squares[len(squares) - 1])
    return True


cdef int encode_removal(removals) except -1:
    """The removal after one jump of a chain, as a path writes it."""
    if not removals:
        return REMOVED_NOTHING
    return REMOVED_FROM_HAND if removals[0] == WORD_FOR_HAND else removals[0]


cdef bint encode_capture(CompiledRules compiled, squares, removals, Action* action) except? False:
    cdef Geometry* g = &compiled.c.geometry
    cdef int jumps = len(removals), jump, direction, square, from_hand = 0, start = squares[0], end = start
    cdef bint each = compiled.c.removal_each
    cdef Bitboard cleared = 0
    if jumps > MAX_PIECES:
        return False
    for jump in range(jumps):
        end = squares[jump + 1]
        for direction in range(8):
            if end - start == 2 * g.delta[direction]:
                break
        else:
            return False
        if len(removals[jump]) > (1 if each else MAX_PIECES if jump == jumps - 1 else 0):
            return False
        for square in [(start + end) // 2, *removals[jump]]:
            if square == WORD_FOR_HAND:
                from_hand += 1
            elif cleared & bit(square):
                # No square loses two pieces in an action, and a set of squares would hide that.
                return False
            else:
                cleared |= bit(square)
        if jumps > 1:
            path_set(&action.path, jump, direction, encode_removal(removals[jump]) if each else REMOVED_NOTHING)
        start = end
    if from_hand > MAX_PIECES:
        return False
    action.effect = make_effect(CAPTURE, squares[0], end) | clears(cleared) | takes_from_hand(from_hand)
    return True


def restore_move(text, rules):
    """The move that a text writes under some rules, whatever the position: for pickles."""
    cdef Move move = Move.__new__(Move)
    move.compiled = compile_rules(rules)
    if not encode(move.compiled, parse_action(text, rules), &move.code):
        raise InvalidMoveError(f"{text} is not a move of these rules")
    return move
