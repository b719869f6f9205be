"""Tables that stay on disk: blocks are unpacked when a position first asks for them, and those last used stay in memory."""

# Where a position's value is, in order of files and blocks::
#
#      63        44  43           2  1     0
#      | file + 1 | byte of its cells | place |      the place among a byte's values
cdef enum:
    FILE_SHIFT = 44
    MAX_FILES = 1 << 19

cdef uint64_t OFFSET_MASK = (<uint64_t>1 << 42) - 1

# A block in memory; its bytes follow.
cdef struct Block:
    StoredTable* table
    uint64_t number
    uint64_t size
    bint recent             # used since the hand of the clock last came by

cdef struct StoredTable:
    SliceValues values      # without data
    bint uniform
    uint64_t block_bytes
    uint64_t block_count
    Block** blocks          # by number; NULL where it is not in memory
    int file                # its place in TableReader.files


cdef inline uint8_t* bytes_of(Block* block) noexcept nogil:
    return <uint8_t*>(block + 1)


cdef inline uint64_t offset_of(const SliceValues* values, Cell cell) noexcept nogil:
    """The byte of a cell among all bytes of its table."""
    if values.distances:
        return 2 * (cell.row * values.pitch + cell.col)
    return cell.row * (values.pitch >> 2) + (cell.col >> 2)


cdef inline int value_in_block(const SliceValues* values, Block* block, uint64_t byte, int place) noexcept nogil:
    """The value at a byte of a block; without distances also a place from 0 to 3 in it."""
    return value_in_row(values, bytes_of(block) + byte, 0 if values.distances else place)


cdef inline uint64_t place_in(const StoredTable* table, Cell cell) noexcept nogil:
    cdef uint64_t place = 0 if table.values.distances else cell.col & 3
    return <uint64_t>(table.file + 1) << FILE_SHIFT | offset_of(&table.values, cell) << 2 | place


cdef class TableReader:
    """Probes of tables on disk; the base of :class:`yote_fast.tablebase.Tablebase`, which finds and opens the files.

    It must have ``_open(numbers, exact)``, which gives the open file of a slice, one with distances if ``exact``, and
    ``_check_rules(board)``, which raises an error for a board of other rules. All is done under Python's lock, which is only let go
    of while a block is unpacked, so threads may share a reader.

    Args:
        rules: the rules of the tables.
        most_bytes: of blocks in memory. One block is always kept.
    """

    cdef SetTables sets
    cdef CompiledRules accepted         # of the board before, so that most probes need not compare rules
    cdef readonly list files
    cdef StoredTable** tables           # by slice_code, and again for those with distances; NULL until one is asked for
    cdef StoredTable** every            # one for each file
    cdef size_t file_count
    cdef Block** blocks
    cdef size_t block_count
    cdef size_t block_room
    cdef size_t hand
    cdef readonly size_t cached_bytes
    cdef readonly size_t most_bytes
    cdef bint closed

    def __init__(self, rules, size_t most_bytes):
        if self.sets is not None:
            raise RuntimeError("a reader is initialised once")
        self.sets = set_tables(rules.rows, rules.cols)
        self.files = []
        self.most_bytes = most_bytes
        # Most of these pages stay untouched, and take no memory.
        self.tables = <StoredTable**>calloc(2 * SLICE_CODES, sizeof(StoredTable*))
        if self.tables == NULL:
            raise MemoryError("not enough memory for the directory of tables")

    def __dealloc__(self):
        cdef size_t i
        self._drop_blocks()
        for i in range(self.file_count):
            free(self.every[i].blocks)
            free(self.every[i])
        free(self.every)
        free(self.tables)

    cdef void _drop_blocks(self) noexcept:
        cdef size_t i
        for i in range(self.block_count):
            self.blocks[i].table.blocks[self.blocks[i].number] = NULL
            free(self.blocks[i])
        free(self.blocks)
        self.blocks = NULL
        self.block_count = self.block_room = self.cached_bytes = 0

    def close(self):
        """Let go of all blocks. Probing then raises ValueError."""
        self.closed = True
        self._drop_blocks()

    def probe_wdl(self, Board board not None):
        """1 if the side to move wins, 0 for a draw, -1 if it loses.

        Raises:
            MissingTableError: there is no table of the position's slice.
            WrongRulesError: the board has other rules.
            TableFormatError: the file is damaged.
        """
        cdef int value = 0
        self._value(board, False, &value)
        return (value > 0) - (value < 0)

    def probe_dtw(self, Board board not None):
        """The plies to the end of the game with best play: positive if the side to move wins, negative if it loses.

        The winner plays for a short game, the loser for a long one. 0 for draws, and for games that are over.

        Raises:
            MissingTableError: there is no table with distances of the position's slice.
            WrongRulesError: the board has other rules.
            TableFormatError: the file is damaged.
        """
        cdef int value = 0
        self._value(board, True, &value)
        return value - (value > 0) + (value < 0)

    def _probe(self, Board board not None, bint exact):
        """0 for a draw, n + 1 for a win in n plies, -n - 1 for a loss; without distances 1 and -1."""
        cdef int value = 0
        self._value(board, exact, &value)
        return value

    cdef int _value(self, Board board, bint exact, int* value) except -1:
        cdef const Position* p = &board.position
        cdef StoredTable* table
        cdef Block* block
        cdef Slice s
        cdef Cell cell
        cdef uint64_t offset
        if self.closed:
            raise ValueError("the tablebase is closed")
        if board.compiled is not self.accepted:
            self._check_rules(board)
            self.accepted = board.compiled
        if is_decided(&board.compiled.c, p):
            value[0] = value_of_decided(p)
            return 0
        s = slice_of(p)
        table = self._table(&s, exact)
        if table.uniform:
            value[0] = table.values.constant
            return 0
        cell = cell_of(&self.sets.c, p)
        offset = offset_of(&table.values, cell)
        block = self._block(table, offset // table.block_bytes)
        value[0] = value_in_block(&table.values, block, offset % table.block_bytes, cell.col & 3)
        return 0

    cdef StoredTable* _table(self, const Slice* s, bint exact) except NULL:
        """The table of a slice, opened if need be."""
        cdef int code = slice_code(s)
        cdef StoredTable* table = self.tables[code + (SLICE_CODES if exact else 0)]
        cdef StoredTable** grown
        if table != NULL:
            return table
        file = self._open(plain_slice(s), exact)
        if file in self.files:
            table = self.every[self.files.index(file)]
        else:
            grown = <StoredTable**>realloc(self.every, (self.file_count + 1) * sizeof(StoredTable*))
            if grown == NULL:
                raise MemoryError("not enough memory for tables")
            self.every = grown
            table = self._describe(s, file)
            self.every[self.file_count] = table
            self.file_count += 1
            self.files.append(file)
        self.tables[code + (SLICE_CODES if exact else 0)] = table
        return table

    cdef StoredTable* _describe(self, const Slice* s, file) except NULL:
        cdef StoredTable* table
        cdef SliceValues values
        header = file.header
        memset(&values, 0, sizeof(values))
        values.distances = header.metric == "dtw"
        shape_of(self.sets, s, &values)
        file.check_shape(values.rows, values.cols)
        table = <StoredTable*>calloc(1, sizeof(StoredTable))
        if table == NULL:
            raise MemoryError("not enough memory for tables")
        table.values = values
        table.file = <int>self.file_count
        table.block_bytes = header.block_bytes
        table.block_count = len(header.checksums)
        table.uniform = header.constant is not None
        if table.uniform:
            table.values.constant = header.constant
        table.blocks = <Block**>calloc(max(table.block_count, <uint64_t>1), sizeof(Block*))
        if table.blocks == NULL:
            free(table)
            raise MemoryError("not enough memory for tables")
        return table

    cdef inline Block* _block(self, StoredTable* table, uint64_t number) except NULL:
        cdef Block* block = table.blocks[number]
        if block == NULL:
            block = self._load(table, number)
        block.recent = True
        return block

    cdef Block* _load(self, StoredTable* table, uint64_t number) except NULL:
        cdef const uint8_t[::1] data = self.files[table.file].block(number)
        cdef size_t size = len(data)
        cdef Block* block
        cdef Block** grown
        # Other threads may have come in between.
        if self.closed:
            raise ValueError("the tablebase is closed")
        if table.blocks[number] != NULL:
            return table.blocks[number]
        while self.block_count and self.cached_bytes + size > self.most_bytes:
            self._evict()
        if self.block_count == self.block_room:
            grown = <Block**>realloc(self.blocks, (2 * self.block_room + 64) * sizeof(Block*))
            if grown == NULL:
                raise MemoryError("not enough memory for blocks of tables")
            self.blocks = grown
            self.block_room = 2 * self.block_room + 64
        block = <Block*>malloc(sizeof(Block) + size)
        if block == NULL:
            raise MemoryError("not enough memory for blocks of tables")
        memcpy(bytes_of(block), &data[0], size)
        block.table, block.number, block.size = table, number, size
        self.blocks[self.block_count] = table.blocks[number] = block
        self.block_count += 1
        self.cached_bytes += size
        return block

    cdef void _evict(self) noexcept:
        """Let go of a block that was not used of late (the clock of Corbató, 1968)."""
        cdef Block* block
        while True:
            self.hand = self.hand + 1 if self.hand + 1 < self.block_count else 0
            block = self.blocks[self.hand]
            if not block.recent:
                break
            block.recent = False
        self.block_count -= 1
        self.blocks[self.hand] = self.blocks[self.block_count]
        self.cached_bytes -= block.size
        block.table.blocks[block.number] = NULL
        free(block)

    # Many positions ---------------------------------------------------------------------------------------------------------------

    def _locate_many(
        self, rules, const uint64_t[::1] movers, const uint64_t[::1] opponents, const uint64_t[::1] mover_hands,
        const uint64_t[::1] opponent_hands, const uint8_t[::1] must_drop, missing, uint64_t[::1] where, int8_t[::1] results,
    ):
        """Find the bytes of positions without royals: write ``where``, or what is known without looking to ``results``.

        Args:
            rules: those of the tables.
            movers: bitboards, and so on; all of one length.
            missing: what to write for positions without a table, or None.
            where: for :meth:`_look_up_many`; 0 where nothing is left to look up.

        Raises:
            ValueError: a position is impossible.
            MissingTableError: there is no table, and ``missing`` is None.
        """
        cdef CompiledRules compiled = compile_rules(rules)
        cdef Py_ssize_t i = 0, count = len(movers)
        cdef Slice s
        cdef Position p
        cdef int fault = 0
        cdef StoredTable* table
        if self.closed:
            raise ValueError("the tablebase is closed")
        memset(&p, 0, sizeof(Position))
        p.turn = 1
        while i < count:
            with nogil:
                while i < count:
                    p.pieces[1], p.pieces[0] = movers[i], opponents[i]
                    if (p.pieces[0] | p.pieces[1]) & ~self.sets.c.all:
                        fault = 1
                        break
                    if p.pieces[0] & p.pieces[1]:
                        fault = 2
                        break
                    if (
                        mover_hands[i] > MAX_PIECES or popcount(movers[i]) + mover_hands[i] > MAX_PIECES
                        or opponent_hands[i] > MAX_PIECES or popcount(opponents[i]) + opponent_hands[i] > MAX_PIECES
                    ):
                        fault = 3
                        break
                    p.hand[1], p.hand[0] = <uint8_t>mover_hands[i], <uint8_t>opponent_hands[i]
                    p.must_drop = must_drop[i] and compiled.c.drop_initiative
                    where[i] = 0
                    if is_decided(&compiled.c, &p):
                        results[i] = <int8_t>value_of_decided(&p)
                    else:
                        s = slice_of(&p)
                        table = self.tables[slice_code(&s)]
                        if table == NULL:
                            break
                        if table.uniform:
                            results[i] = (table.values.constant > 0) - (table.values.constant < 0)
                        else:
                            where[i] = place_in(table, cell_of(&self.sets.c, &p))
                    i += 1
            if fault:
                raise ValueError(
                    "a square has pieces of both sides" if fault == 2 else f"a side has more than {MAX_PIECES} pieces" if fault == 3
                    else f"a bitboard has squares outside the board of {self.sets.c.squares}"
                )
            if i < count:
                if missing is not None and not self._has(plain_slice(&s)):
                    results[i] = missing
                    i += 1
                else:
                    self._table(&s, False)

    def _look_up_many(self, uint64_t[::1] where, const int64_t[::1] chosen, int8_t[::1] results, bint load):
        """Write the values of chosen positions, as :meth:`_locate_many` found them.

        Args:
            where: their places; 0 where the value is known by now.
            chosen: which ones.
            results: what to write to.
            load: whether to read blocks that are not in memory, or to leave those positions out.
        """
        cdef StoredTable* table
        cdef Block* block
        cdef uint64_t place, offset
        cdef Py_ssize_t i
        cdef int value
        if self.closed:
            raise ValueError("the tablebase is closed")
        for i in range(len(chosen)):
            place = where[chosen[i]]
            table = self.every[(place >> FILE_SHIFT) - 1]
            offset = (place >> 2) & OFFSET_MASK
            block = table.blocks[offset // table.block_bytes]
            if block == NULL:
                if not load:
                    continue
                block = self._load(table, offset // table.block_bytes)
            block.recent = True
            value = value_in_block(&table.values, block, offset % table.block_bytes, place & 3)
            results[chosen[i]] = (value > 0) - (value < 0)
            where[chosen[i]] = 0
