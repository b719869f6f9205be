"""Finished slices in memory: their values, counts, probes and checks."""


cdef int read_side(pieces, hand, royal, SliceSide* side) except -1:
    if not (0 < pieces <= MAX_PIECES and 0 <= hand <= pieces and NO_ROYAL <= royal <= ROYAL_ON_BOARD):
        raise ValueError(f"a side of a slice cannot have {pieces} pieces, {hand} camels in hand and its royal at {royal}")
    side.pieces, side.hand, side.royal = pieces, hand, royal
    if squares_of(side) < (royal == ROYAL_ON_BOARD):
        raise ValueError(f"a side with {pieces} pieces and a royal cannot have {hand} camels in hand")
    return 0


cdef int read_slice(CompiledRules compiled, numbers, Slice* s) except -1:
    """Read (pieces, camels in hand) of both sides, places of both royals, duty to drop, the side to move first."""
    a, ha, b, hb, ra, rb, must_drop = numbers
    read_side(a, ha, ra, &s.mover)
    read_side(b, hb, rb, &s.opponent)
    s.must_drop = must_drop
    if squares_of(&s.mover) + squares_of(&s.opponent) > compiled.c.geometry.squares:
        raise ValueError(f"the pieces of slice {tuple(numbers)} do not fit the board")
    if (ra or rb) and not compiled.c.royal_caravan or must_drop and not compiled.c.drop_initiative:
        raise ValueError(f"the rules {compiled.rules} do not know slice {tuple(numbers)}")
    return 0


cdef inline tuple plain_slice(const Slice* s):
    return (
        s.mover.pieces, s.mover.hand, s.opponent.pieces, s.opponent.hand, s.mover.royal, s.opponent.royal, bool(s.must_drop)
    )


cdef object shape_of(SetTables sets, const Slice* s, SliceValues* values):
    """Make the sets' tables that the slice needs, and write its numbers of rows and columns."""
    cdef int mover = squares_of(&s.mover), opponent = squares_of(&s.opponent)
    sets.need_classes(mover)
    sets.need_ranks(opponent)
    values.rows = sets.c.classes[mover].count * royal_places(&s.mover)
    values.cols = binomial(sets.c.squares - mover, opponent) * royal_places(&s.opponent)
    values.pitch = values.cols if values.distances else (values.cols + 3) & ~<uint64_t>3


@cython.final
@cython.no_gc_clear
cdef class SliceTable:
    """The values of a slice.

    Args:
        rules: the rules.
        numbers: the slice: pieces and camels in hand of both sides, where their royals are (0 none, 1 in hand, 2 on the board), and
            whether the side to move must drop.
        distances: whether it has distances, in 16 bits a cell, or only wins, draws and losses, in 2.
        constant: the one value of all cells; None for a table with a value each, all draws at first.
        scratch: where the values are to be: None in memory, else a function of a number of bytes that gives a mapped file of
            zeros. They leave no pages in memory, but for those that were last used.

    Raises:
        ValueError: there is no such slice, or it is too large.
        MemoryError: it does not fit in memory.
    """

    cdef CompiledRules compiled
    cdef SetTables sets
    cdef Slice slice
    cdef SliceValues c
    cdef readonly size_t size
    cdef Array file                 # None in memory

    def __init__(self, rules, numbers, bint distances, constant=None, scratch=None):
        if self.compiled is not None:
            raise RuntimeError("a table is initialised once")
        self.compiled = compile_rules(rules)
        self.sets = set_tables(rules.rows, rules.cols)
        read_slice(self.compiled, numbers, &self.slice)
        self.c.distances = distances
        shape_of(self.sets, &self.slice, &self.c)
        self.size = self.c.rows * row_bytes(&self.c)
        if constant is not None:
            self.c.constant = constant
            return
        if scratch is not None:
            self.file = Array()
            self.file.open(scratch(self.size), self.size, True)
            self.c.data, self.c.mapped = <uint8_t*>self.file.view.buf, True
            return
        self.c.data = <uint8_t*>calloc(max(self.size, 1), 1)
        if self.c.data == NULL:
            raise MemoryError(f"not enough memory for {self.size >> 20} MB of values of slice {tuple(numbers)}")

    def __dealloc__(self):
        if not self.c.mapped:
            free(self.c.data)

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        if self.c.data == NULL:
            raise BufferError("a table of one value has no bytes")
        PyBuffer_FillInfo(buffer, self, self.c.data, self.size, 0, flags)

    @property
    def distances(self):
        """Whether the values are distances."""
        return bool(self.c.distances)

    @property
    def constant(self):
        """The one value of all cells, or None."""
        return None if self.c.data != NULL else self.c.constant

    @property
    def shape(self):
        """Rows, columns, and the cells that a row has with its padding."""
        return self.c.rows, self.c.cols, self.c.pitch

    @property
    def mapped(self):
        """Whether the values are in a mapped file."""
        return bool(self.c.mapped)

    def forget(self):
        """Let go of the pages of a mapped file."""
        forget(&self.c)

    def shrink(self):
        """Let go of the bytes where all cells have one value."""
        cdef bint uniform
        cdef int value
        if self.c.data == NULL:
            return
        value = value_in_row(&self.c, self.c.data, 0)
        with nogil:
            uniform = is_uniform(&self.c, value)
        if uniform:
            self.c.constant = value
            if self.c.mapped:
                self.file, self.c.mapped = None, False
            else:
                free(self.c.data)
            self.c.data = NULL

    def counts(self):
        """Positions (not up to symmetry), wins, draws, losses, the longest win and the longest loss.

        The longest are in plies; None where there is none, or where the table has no distances.
        """
        cdef Tally tally
        with nogil:
            take_tally(&self.sets.c, &self.slice, &self.c, &tally)
        longest_win = tally.longest_win if self.c.distances and tally.wins else None
        longest_loss = tally.longest_loss if self.c.distances and tally.losses else None
        return (
            tally.positions, tally.wins, tally.positions - tally.wins - tally.losses, tally.losses, longest_win, longest_loss
        )


cdef struct Tally:
    uint64_t positions
    uint64_t wins
    uint64_t losses
    int longest_win
    int longest_loss


cdef enum:
    SWEEP_BYTES = 1 << 24       # of a mapped file, between two times of letting go of its pages


cdef inline void sweep(const SliceValues* values, uint64_t row) noexcept nogil:
    """To be called for each row of a pass over all of a table."""
    if values.mapped and row % (SWEEP_BYTES // row_bytes(values) + 1) == 0:
        forget(values)


cdef bint is_uniform(const SliceValues* values, int value) noexcept nogil:
    cdef uint64_t row, col
    cdef const uint8_t* cells
    for row in range(values.rows):
        sweep(values, row)
        cells = row_of(values, row)
        for col in range(values.cols):
            if value_in_row(values, cells, col) != value:
                return False
    return True


cdef void take_tally(const Sets* sets, const Slice* s, const SliceValues* values, Tally* tally) noexcept nogil:
    cdef int mover = squares_of(&s.mover), places = royal_places(&s.mover), value
    cdef uint64_t row, col, weight, wins, losses
    cdef const uint8_t* cells
    memset(tally, 0, sizeof(Tally))
    for row in range(values.rows):
        sweep(values, row)
        # The positions of a cell: those that symmetries make of its mover's set.
        weight = orbit_size(&sets.symmetries, sets.classes[mover].representatives[row // places])
        tally.positions += weight * values.cols
        wins = losses = 0
        cells = row_of(values, row)
        if cells == NULL:
            wins = values.cols if values.constant > 0 else 0
            losses = values.cols if values.constant < 0 else 0
            tally.longest_win = tally.longest_loss = abs(values.constant) - 1
        elif not values.distances:
            for col in range(values.pitch >> 2):
                wins += popcount(cells[col] & 0x55)
                losses += popcount(cells[col] & 0xaa)
        else:
            for col in range(values.cols):
                value = value_in_row(values, cells, col)
                wins += value > 0
                losses += value < 0
                tally.longest_win = max(tally.longest_win, value - 1)
                tally.longest_loss = max(tally.longest_loss, -value - 1)
        tally.wins += weight * wins
        tally.losses += weight * losses


cdef inline Bitboard set_of_rank(int size, uint64_t rank) noexcept nogil:
    cdef Bitboard x = 0
    cdef int square
    while size:
        square = size - 1
        while binomial(square + 1, size) <= rank:
            square += 1
        x |= bit(square)
        rank -= binomial(square, size)
        size -= 1
    return x


cdef inline Bitboard nth_square(Bitboard x, int n) noexcept nogil:
    return deposit_bits(bit(n), x)


cdef void position_of_cell(const Sets* sets, const Slice* s, Cell cell, Position* p) noexcept nogil:
    """The position of a cell, White to move; without its key."""
    cdef int mover_places = royal_places(&s.mover), opponent_places = royal_places(&s.opponent)
    memset(p, 0, sizeof(Position))
    p.pieces[1] = sets.classes[squares_of(&s.mover)].representatives[cell.row // mover_places]
    p.pieces[0] = deposit_bits(set_of_rank(squares_of(&s.opponent), cell.col // opponent_places), sets.all & ~p.pieces[1])
    fill_position(s, p)
    if s.mover.royal == ROYAL_ON_BOARD:
        p.royals |= nth_square(p.pieces[1], cell.row % mover_places)
    if s.opponent.royal == ROYAL_ON_BOARD:
        p.royals |= nth_square(p.pieces[0], cell.col % opponent_places)


cdef inline void fill_position(const Slice* s, Position* p) noexcept nogil:
    """Write what all positions of a slice share."""
    p.hand[1], p.hand[0] = s.mover.hand, s.opponent.hand
    p.royal_in_hand[1], p.royal_in_hand[0] = s.mover.royal == ROYAL_IN_HAND, s.opponent.royal == ROYAL_IN_HAND
    p.turn = 1
    p.must_drop = s.must_drop


cdef int value_by_successors(const Probe* probe, const Position* p, Sink* sink) noexcept nogil:
    """The value of a position that is not decided, from those of all its successors; UNKNOWN where one of them is."""
    cdef Position child
    cdef int best = -UNKNOWN, value
    cdef uint64_t i
    sink.count = 0
    generate(probe.rules, p, sink)
    if sink.state != SINK_OK:
        return UNKNOWN
    for i in range(sink.count):
        play_keyless(probe.rules, p, sink.effects[i], &child)
        value = probe_position(probe, &child)
        if value == UNKNOWN:
            return UNKNOWN
        value = after_ply(value, child.turn == p.turn)
        if best == -UNKNOWN or preference(value) > preference(best):
            best = value
    if sink.count == 0:
        return value_without_actions(probe.rules, piece_count(p, p.turn), piece_count(p, 1 - p.turn))
    return best


@cython.final
@cython.no_gc_clear
cdef class LoadedTables:
    """Tables in memory, found by slice: what probes inside the search, checks and the making of other tables read.

    Adding is not safe while another thread probes.
    """

    cdef CompiledRules compiled
    cdef SetTables sets
    cdef dict tables
    cdef Probe probe_

    def __init__(self, rules):
        if self.compiled is not None:
            raise RuntimeError("tables are initialised once")
        self.compiled = compile_rules(rules)
        self.sets = set_tables(rules.rows, rules.cols)
        self.tables = {}
        self.probe_.rules = &self.compiled.c
        self.probe_.sets = &self.sets.c
        # Most of these pages stay untouched, and take no memory.
        self.probe_.directory = <const SliceValues**>calloc(SLICE_CODES, sizeof(SliceValues*))
        if self.probe_.directory == NULL:
            raise MemoryError("not enough memory for the directory of tables")

    def __dealloc__(self):
        free(self.probe_.directory)

    def add(self, SliceTable table not None):
        """Make a table's slice known.

        Raises:
            ValueError: the table is of a board of another shape.
        """
        if table.sets is not self.sets:
            raise ValueError(f"the table of {table.compiled.rules} does not fit the rules {self.compiled.rules}")
        self.tables[plain_slice(&table.slice)] = table
        self.probe_.directory[slice_code(&table.slice)] = &table.c
        self.probe_.pieces = max(self.probe_.pieces, table.slice.mover.pieces + table.slice.opponent.pieces)

    def probe(self, Board board not None):
        """The value of a board's position: 0, or plies + 1 to a win, or minus plies - 1 to a loss; None where it is not known."""
        cdef int value
        if board.compiled.c.trade_routes or (board.compiled.c.geometry.cols, board.compiled.c.geometry.rows) != (
            self.compiled.c.geometry.cols, self.compiled.c.geometry.rows
        ):
            raise ValueError(f"the board's rules {board.compiled.rules} are not those of the tables, {self.compiled.rules}")
        value = probe_position(&self.probe_, &board.position)
        return None if value == UNKNOWN else value

    def has_distances(self, Board board not None):
        """Whether the values of a board's slice are distances. The board is one of those that :meth:`probe` takes."""
        cdef Slice s = slice_of(&board.position)
        cdef const SliceValues* values = self.probe_.directory[slice_code(&s)]
        return values == NULL or bool(values.distances)

    def fits(self, rules):
        """Whether positions of some rules have the values of these tables."""
        return rules.trade_routes == 0 and replace(
            rules, pieces=self.compiled.rules.pieces, repetition=self.compiled.rules.repetition
        ) == self.compiled.rules

    @property
    def rules(self):
        """The rules that the tables were made for."""
        return self.compiled.rules

    @property
    def most_pieces(self):
        """The most pieces of both sides together that a table knows; 0 without tables."""
        return max([numbers[0] + numbers[2] for numbers in self.tables], default=0)

    def counts(self, numbers):
        """:meth:`SliceTable.counts` of one of the tables."""
        return self.tables[tuple(numbers)].counts()

    def check(self, numbers, uint64_t first, uint64_t step, uint64_t cells):
        """Compare cells of a table with what the values of all their successors tell.

        Args:
            numbers: the slice.
            first: the number of the first cell: ``row * columns + column``.
            step: to the number of the next.
            cells: how many.

        Returns:
            None if all are right, else the YFEN of the first wrong one, its value, and the value it should have, None if a
            successor's is not known.
        """
        cdef SliceTable table = self.tables[tuple(numbers)]
        cdef Control control
        cdef Sink sink
        cdef Position p
        cdef Cell cell
        cdef uint64_t i, number
        cdef int found = 0, expected = 0
        control_init(&control)
        sink_init(&sink, EFFECTS, &control)
        with nogil:
            for i in range(cells):
                number = first + i * step
                if number >= table.c.rows * table.c.cols:
                    break
                cell.row, cell.col = number // table.c.cols, number % table.c.cols
                position_of_cell(&self.sets.c, &table.slice, cell, &p)
                found = value_of_cell(&table.c, cell)
                expected = value_by_successors(&self.probe_, &p, &sink)
                if not table.c.distances and expected != UNKNOWN:
                    expected = (expected > 0) - (expected < 0)
                if found != expected:
                    break
                if poll(&control):
                    break
        sink_free(&sink)
        reraise(&control)
        if sink.state != SINK_OK:
            check_sink(&sink)
        if found == expected:
            return None
        yfen = format_yfen(describe_position(self.compiled, &p), self.compiled.rules)
        return yfen, found, None if expected == UNKNOWN else expected


def position_at(rules, numbers, uint64_t row, uint64_t col):
    """The YFEN of a cell's position, White to move: what :func:`locate` finds there.

    Raises:
        ValueError: there is no such slice, or no such cell in it.
    """
    cdef CompiledRules compiled = compile_rules(rules)
    cdef SetTables sets = set_tables(rules.rows, rules.cols)
    cdef SliceValues values
    cdef Slice s
    cdef Cell cell
    cdef Position p
    read_slice(compiled, numbers, &s)
    values.distances = False
    shape_of(sets, &s, &values)
    if row >= values.rows or col >= values.cols:
        raise ValueError(f"slice {tuple(numbers)} has {values.rows} x {values.cols} cells, none at {row}, {col}")
    cell.row, cell.col = row, col
    position_of_cell(&sets.c, &s, cell, &p)
    return format_yfen(describe_position(compiled, &p), rules)


def slice_numbers(Board board not None):
    """A position's slice as plain numbers; None where the number of pieces has ended the game."""
    cdef Slice s = slice_of(&board.position)
    return None if is_decided(&board.compiled.c, &board.position) else plain_slice(&s)


def locate(Board board not None):
    """The row and column of a position's cell in its slice.

    Raises:
        ValueError: the slice is too large for a table.
    """
    cdef SetTables sets = set_tables(board.compiled.c.geometry.rows, board.compiled.c.geometry.cols)
    cdef Slice s = slice_of(&board.position)
    cdef Cell cell
    sets.need_classes(squares_of(&s.mover))
    sets.need_ranks(squares_of(&s.opponent))
    cell = cell_of(&sets.c, &board.position)
    return cell.row, cell.col
