"""Many games at once in one array, without an object for any of them."""

cdef inline uint32_t draw_lots(uint64_t* state, uint32_t n) noexcept nogil:
    """A number below ``n``, each as likely as the next but for 1 in 2**32."""
    return ((splitmix(state) >> 32) * n) >> 32


cdef inline void find_game_choices(const Ruleset* rules, const Numbering* n, const Game* game, Choices* choices) noexcept nogil:
    """The choices of a game; none if it is over."""
    if game.state == ONGOING:
        find_choices(rules, n, game, choices)
    else:
        clear_choices(n, choices)


cdef inline int random_action(const Ruleset* rules, const Numbering* n, Game* game) noexcept nogil:
    """The number of a random action of a game that is not over."""
    cdef Choices choices
    find_choices(rules, n, game, &choices)
    return nth_choice(n, &choices, draw_lots(&game.random, count_choices(n, &choices)))


@cython.final
@cython.no_gc_clear
cdef class Actions:
    """The numbering of the actions of some rules: every action that they know has a number from 0 to ``len(actions) - 1``.

    Args:
        rules: rules without chains and trade routes, whose actions are too many to be numbered.

    Raises:
        ValueError: the rules have chains or routes.

    >>> import yote_fast as yf
    >>> actions = yf.batch.Actions(yf.YOTE)
    >>> len(actions), actions.move_of(0), actions.move_of(2331)
    (2332, <Move @a1>, <Move f5xf3>)
    >>> board = yf.Board()
    >>> actions.action_number(board.parse("@c3"))
    14
    """

    cdef CompiledRules compiled
    cdef Numbering numbering

    def __init__(self, rules=YOTE):
        cdef CompiledRules compiled = compile_rules(rules)
        if rules.chain_capture or rules.trade_routes:
            raise ValueError(
                f"the actions of {rules} have no numbers: with {'chain_capture' if rules.chain_capture else 'trade_routes'} "
                "they are too many"
            )
        self.compiled = compiled
        number_actions(&self.numbering, &compiled.c)

    @property
    def rules(self):
        """The rules whose actions these are."""
        return self.compiled.rules

    def __len__(self):
        return self.numbering.count

    def __repr__(self):
        return f"Actions(Rules.parse({str(self.rules)!r}))"

    def __reduce__(self):
        from yote_fast.core import restore_actions

        return restore_actions, (self.rules,)

    def action_number(self, move):
        """The number of a move, whether it is legal anywhere or not.

        Raises:
            ValueError: these rules do not know the move.
        """
        cdef int number = NO_NUMBER
        if not isinstance(move, Move):
            raise TypeError(f"action_number takes a Move, not {type(move).__name__}")
        if self.compiled.c.geometry.cols == (<Move>move).compiled.c.geometry.cols:
            number = number_of(&self.numbering, &self.compiled.c.geometry, &(<Move>move).code)
        if number == NO_NUMBER:
            raise ValueError(f"{move} is not an action of the rules {self.rules}")
        return number

    def move_of(self, number):
        """The move with a number.

        Raises:
            IndexError: no action has the number.
        """
        cdef Path path = no_path()
        return move_of(self.compiled, effect_of(&self.numbering, self._checked(number)), &path)

    def play(self, board, number):
        """Play the action with a number on a board of these rules.

        Raises:
            IllegalMoveError: the action is not legal on the board, which is unchanged.
            IndexError: no action has the number.
            ValueError: the board has other rules.
        """
        cdef Choices choices
        cdef int checked = self._checked(number)
        self._look(board, &choices)
        if not has_choice(&self.numbering, &choices, checked):
            raise IllegalMoveError(
                f"action {number}, {self.move_of(number)}, is not legal in {board.yfen()}" + (<Board>board)._why_illegal()
            )
        (<Board>board)._push(self.move_of(checked))

    def legal(self, board):
        """The numbers of the legal actions of a board of these rules, ascending. They are those of ``board.legal_moves``.

        Raises:
            ValueError: the board has other rules.
        """
        cdef Choices choices
        cdef int k
        self._look(board, &choices)
        return [nth_choice(&self.numbering, &choices, k) for k in range(count_choices(&self.numbering, &choices))]

    def mask(self, board):
        """A numpy array of ``len(actions)`` bools, true at the numbers of the legal actions of a board of these rules.

        Raises:
            ValueError: the board has other rules.
        """
        import numpy

        cdef Choices choices
        cdef Array array = Array.__new__(Array)
        self._look(board, &choices)
        out = numpy.empty(self.numbering.count, dtype=bool)
        array.open(out, self.numbering.count, True)
        write_mask_bytes(&self.numbering, &choices, <uint8_t*>array.view.buf)
        return out

    cdef int _checked(self, number) except -1:
        if not hasattr(type(number), "__index__") or isinstance(number, bool):
            raise TypeError(f"an action number must be an int, not {type(number).__name__}")
        if not 0 <= number < self.numbering.count:
            raise IndexError(f"action number {number} is out of range: the rules have {self.numbering.count} actions")
        return number

    cdef int _look(self, board, Choices* choices) except -1:
        if not isinstance(board, Board):
            raise TypeError(f"board must be a Board, not {type(board).__name__}")
        if (<Board>board).compiled is not self.compiled:
            raise ValueError("the board has other rules than the actions")
        if is_decided(&self.compiled.c, &(<Board>board).position):
            clear_choices(&self.numbering, choices)
        else:
            find_choices(&self.compiled.c, &self.numbering, &(<Board>board).position, choices)
        return 0


@cython.final
cdef class Games:
    """The games of a :class:`yote_fast.batch.Boards`, which checks the arrays before they come here.

    Args:
        actions: the numbering of the actions.
        start: the position that games start from.
        count: how many games.
        seed: of the random choices.
    """

    cdef CompiledRules compiled
    cdef readonly Actions actions
    cdef const Ruleset* rules
    cdef const Numbering* numbering
    cdef Position start
    cdef Game* games
    cdef readonly Py_ssize_t count
    cdef uint32_t repetition
    cdef Control control
    cdef bint busy

    def __init__(self, Actions actions not None, Board start not None, Py_ssize_t count, uint64_t seed):
        cdef Py_ssize_t i
        if self.games != NULL:
            raise RuntimeError("games are initialised once")
        if start.compiled is not actions.compiled:
            raise ValueError("the board has other rules than the actions")
        self.actions = actions
        self.compiled = actions.compiled
        self.rules = &actions.compiled.c
        self.numbering = &actions.numbering
        self.start = start.position
        self.repetition = self.compiled.rules.repetition
        self.games = <Game*>calloc(count, sizeof(Game))
        if self.games == NULL:
            raise MemoryError(f"not enough memory for {count} games")
        self.count = count
        for i in range(count):
            self.games[i].random = splitmix(&seed)
            self._start(&self.games[i])

    def __dealloc__(self):
        cdef Py_ssize_t i
        if self.games != NULL:
            for i in range(self.count):
                free(self.games[i].history)
        free(self.games)

    cdef void _start(self, Game* game) noexcept nogil:
        set_position(game, &self.start)
        game.run = game.plies = 0
        update_state(self.rules, self.numbering, game, self.repetition)

    cdef int _enter(self) except -1:
        """Keep other threads and signal handlers out."""
        if self.games == NULL:
            raise ValueError("the games were not initialised")
        if self.busy:
            raise RuntimeError("the games are in use by another thread; give each thread games of its own")
        self.busy = True
        control_init(&self.control)
        return 0

    # One game -------------------------------------------------------------------------------------------------------------------

    cdef Game* _game(self, Py_ssize_t i) except NULL:
        if not 0 <= i < self.count:
            raise IndexError(f"game {i} is out of range: there are {self.count} games")
        return &self.games[i]

    def get(self, Py_ssize_t i):
        """A board with the position of a game and what of its history can come again."""
        cdef Board board = Board.__new__(Board)
        cdef Game* game = self._game(i)
        cdef uint32_t ply
        board.compiled = self.compiled
        board.moves = []
        self._enter()
        try:
            get_position(game, &board.position)
            for ply in range(game.run):
                take_back(&board.position, self._quiet_effect(game, game.run - 1 - ply))
            if game.run:
                # A quiet action clears the flag; the hash of the first position tells whether it was set there.
                board.position.must_drop = (board_hash(&board.position) ^ game.history[0]) >= 256
            board.position.key = fresh_key(self.rules, &board.position)
            for ply in range(game.run):
                board._push(self._quiet_move(game, ply))
        finally:
            self.busy = False
        return board

    cdef Effect _quiet_effect(self, const Game* game, uint32_t ply) noexcept:
        return quiet_effect(self.numbering, game.history[ply] & 255)

    cdef Move _quiet_move(self, const Game* game, uint32_t ply):
        cdef Path path = no_path()
        return move_of(self.compiled, self._quiet_effect(game, ply), &path)

    def put(self, Py_ssize_t i, Board board not None):
        """Give a game the position of a board and what of its history can come again."""
        cdef Game* game = self._game(i)
        cdef uint32_t plies = len(board.moves), first = plies, ply
        cdef Move move
        if board.compiled is not self.compiled:
            raise ValueError("the board has other rules than the games")
        while self.repetition and first and kind_of((<Move>board.moves[first - 1]).code.effect) in (STEP, PASS):
            first -= 1
        self._enter()
        try:
            if not has_room(game, plies - first):
                raise MemoryError("not enough memory for the history of a game")
            game.run = plies - first
            for ply in range(first, plies):
                move = board.moves[ply]
                game.history[ply - first] = board_hash(&board.positions[ply]) | quiet_index(
                    self.numbering, number_of(self.numbering, &self.compiled.c.geometry, &move.code)
                )
            set_position(game, &board.position)
            game.plies = plies
            update_state(self.rules, self.numbering, game, self.repetition)
        finally:
            self.busy = False

    def take(self, indices, Py_ssize_t count):
        """Copies of ``count`` games, each with a generator of its own."""
        cdef Games other = Games.__new__(Games)
        cdef Array array = Array.__new__(Array)
        cdef const Game* source
        cdef Game* game
        cdef Position position
        cdef uint64_t mixed
        cdef Py_ssize_t i
        array.open(indices, count * sizeof(int64_t), False)
        other.actions = self.actions
        other.compiled = self.compiled
        other.rules = self.rules
        other.numbering = self.numbering
        other.start = self.start
        other.repetition = self.repetition
        # Never nothing at all, which looks like a failure.
        other.games = <Game*>calloc(count + 1, sizeof(Game))
        if other.games == NULL:
            raise MemoryError(f"not enough memory for {count} games")
        other.count = count
        self._enter()
        try:
            for i in range(count):
                source = self._game((<int64_t*>array.view.buf)[i])
                game = &other.games[i]
                if not has_room(game, source.run):
                    raise MemoryError(f"not enough memory for the histories of {count} games")
                if source.run:
                    memcpy(game.history, source.history, source.run * sizeof(uint16_t))
                get_position(source, &position)
                set_position(game, &position)
                mixed = source.random ^ (<uint64_t>i + 1) * 0xD1342543DE82EF95ULL
                game.random = splitmix(&mixed)
                game.run, game.plies, game.state = source.run, source.plies, source.state
        finally:
            self.busy = False
        return other

    # All games ------------------------------------------------------------------------------------------------------------------

    def reset(self, which):
        """Start those games anew whose byte is not 0."""
        cdef Array array = Array.__new__(Array)
        cdef Py_ssize_t i
        array.open(which, self.count, False)
        self._enter()
        for i in range(self.count):
            if (<uint8_t*>array.view.buf)[i]:
                self._start(&self.games[i])
        self.busy = False

    def step(self, numbers, ended, results, bint auto_reset):
        """Play an action in each game, none where the number is NO_NUMBER. Returns the first game whose action is not legal, or
        -1: then all were played."""
        cdef Array actions = Array.__new__(Array), over = Array.__new__(Array), points = Array.__new__(Array)
        cdef Py_ssize_t wrong
        actions.open(numbers, self.count * sizeof(int64_t), False)
        over.open(ended, self.count, True)
        points.open(results, self.count, True)
        self._enter()
        with nogil:
            wrong = self._find_illegal(<int64_t*>actions.view.buf)
            if wrong == -1:
                self._play(<int64_t*>actions.view.buf, <uint8_t*>over.view.buf, <int8_t*>points.view.buf, auto_reset)
        self.busy = False
        if wrong == -2:
            raise MemoryError("not enough memory for the history of a game")
        return wrong

    cdef Py_ssize_t _find_illegal(self, const int64_t* numbers) noexcept nogil:
        cdef const Ruleset* rules = self.rules
        cdef const Numbering* numbering = self.numbering
        cdef Game* game
        cdef Py_ssize_t i
        for i in range(self.count):
            game = &self.games[i]
            if numbers[i] == NO_NUMBER:
                continue
            if not 0 <= numbers[i] < numbering.count or game.state != ONGOING:
                return i
            if not is_legal(rules, numbering, game, numbers[i]):
                return i
            if not has_room(game, game.run + 1):
                return -2
        return -1

    cdef void _play(self, const int64_t* numbers, uint8_t* ended, int8_t* results, bint auto_reset) noexcept nogil:
        cdef const Ruleset* rules = self.rules
        cdef const Numbering* numbering = self.numbering
        cdef uint32_t repetition = self.repetition
        cdef Game* game = self.games
        cdef Py_ssize_t i
        for i in range(self.count):
            ended[i] = False
            if i + 2 < self.count:
                # The games lie in order, which the processor foresees; their histories lie anywhere.
                prefetch(game[2].history)
            if numbers[i] != NO_NUMBER:
                act(rules, numbering, game, numbers[i], repetition)
                ended[i] = game.state != ONGOING
            results[i] = points_of(game.state)
            if ended[i] and auto_reset:
                self._start(game)
            game += 1

    def random_actions(self, numbers):
        """Write a random legal action for each game, NO_NUMBER where it is over."""
        cdef Array array = Array.__new__(Array)
        array.open(numbers, self.count * sizeof(int64_t), True)
        self._enter()
        with nogil:
            self._choose(<int64_t*>array.view.buf)
        self.busy = False

    cdef void _choose(self, int64_t* numbers) noexcept nogil:
        cdef const Ruleset* rules = self.rules
        cdef const Numbering* numbering = self.numbering
        cdef Game* game = self.games
        cdef Py_ssize_t i
        for i in range(self.count):
            numbers[i] = random_action(rules, numbering, game) if game.state == ONGOING else NO_NUMBER
            game += 1

    def play_out(self, uint32_t plies):
        """Play random actions in each game to its end, or so many. Returns how many in all."""
        cdef uint64_t played
        cdef bint full = False
        self._enter()
        with nogil:
            played = self._play_out(plies, &full)
        self.busy = False
        if full:
            raise MemoryError("not enough memory for the history of a game")
        reraise(&self.control)
        return played

    cdef uint64_t _play_out(self, uint32_t plies, bint* full) noexcept nogil:
        cdef Game* game
        cdef uint64_t played = 0
        cdef uint32_t ply
        cdef Py_ssize_t i
        for i in range(self.count):
            game = &self.games[i]
            for ply in range(plies):
                if game.state != ONGOING:
                    break
                if poll(&self.control):
                    return played
                if not has_room(game, game.run + 1):
                    full[0] = True
                    return played
                act(self.rules, self.numbering, game, random_action(self.rules, self.numbering, game), self.repetition)
                played += 1
        return played

    # What the games look like -----------------------------------------------------------------------------------------------------

    def mask(self, out):
        """Write a row of bytes for each game, one for each action: whether it is legal."""
        cdef Array array = Array.__new__(Array)
        cdef Py_ssize_t i
        array.open(out, <size_t>self.count * self.actions.numbering.count, True)
        self._enter()
        with nogil:
            for i in range(self.count):
                self._write_row(i, <uint8_t*>array.view.buf + i * self.numbering.count)
        self.busy = False

    cdef void _write_row(self, Py_ssize_t i, uint8_t* row) noexcept nogil:
        cdef Choices choices
        find_game_choices(self.rules, self.numbering, &self.games[i], &choices)
        write_mask_bytes(self.numbering, &choices, row)

    def packed_mask(self, out):
        """Write a row of bits for each game, the lowest first, filled up to a whole byte."""
        cdef Array array = Array.__new__(Array)
        cdef int width = (self.actions.numbering.count + 7) // 8
        array.open(out, self.count * width, True)
        self._enter()
        with nogil:
            self._write_packed_rows(<uint8_t*>array.view.buf, width)
        self.busy = False

    cdef void _write_packed_rows(self, uint8_t* row, int width) noexcept nogil:
        cdef const Ruleset* rules = self.rules
        cdef const Numbering* numbering = self.numbering
        cdef Choices choices
        cdef uint8_t word[WORD]
        cdef Py_ssize_t i
        for i in range(self.count):
            find_game_choices(rules, numbering, &self.games[i], &choices)
            if width >= WORD:
                write_mask(numbering, &choices, row, width)
            else:
                write_mask(numbering, &choices, word, WORD)
                memcpy(row, word, width)
            row += width

    def planes(self, out):
        """Write the planes of each game."""
        cdef Array array = Array.__new__(Array)
        cdef size_t size = count_planes(self.rules) * self.compiled.c.geometry.squares
        cdef Py_ssize_t i
        array.open(out, self.count * size * sizeof(float), True)
        self._enter()
        with nogil:
            for i in range(self.count):
                self._write_planes(&self.games[i], <float*>array.view.buf + i * size)
        self.busy = False

    cdef void _write_planes(self, const Game* game, float* planes) noexcept nogil:
        cdef Position p
        get_position(game, &p)
        write_planes(self.rules, &p, p.turn, planes)

    def facts(self, over, results, turns, plies):
        """Write for each game whether it is over, its result, the side to move, and how many actions were played."""
        cdef Array first = Array.__new__(Array), second = Array.__new__(Array), third = Array.__new__(Array)
        cdef Array fourth = Array.__new__(Array)
        cdef Game* game
        cdef Py_ssize_t i
        first.open(over, self.count, True)
        second.open(results, self.count, True)
        third.open(turns, self.count, True)
        fourth.open(plies, self.count * sizeof(uint32_t), True)
        # No other thread can crash this; what it writes is only a mix of before and after.
        for i in range(self.count):
            game = &self.games[i]
            (<uint8_t*>first.view.buf)[i] = game.state != ONGOING
            (<int8_t*>second.view.buf)[i] = points_of(game.state)
            (<uint8_t*>third.view.buf)[i] = game.turn
            (<uint32_t*>fourth.view.buf)[i] = game.plies

    def nbytes(self):
        """The memory of the games, in bytes."""
        cdef size_t bytes = self.count * sizeof(Game)
        cdef Py_ssize_t i
        for i in range(self.count):
            bytes += self.games[i].capacity * sizeof(uint16_t)
        return bytes


cdef inline int8_t points_of(int state) noexcept nogil:
    """White's: 1, 0 or -1."""
    return (state == WHITE_WON) - (state == BLACK_WON)
