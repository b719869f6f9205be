"""The compiled core: all that one extension module holds.

Each module beside this file is one build of it, for one level of the processor's instructions; ``__init__.py`` picks one at import.
"""

cimport cython
from cpython.buffer cimport PyBuffer_FillInfo
from cpython.object cimport PyObject_RichCompare
from libc.stdint cimport int8_t, int16_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.math cimport log
from libc.stdlib cimport abs, calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from yote_fast.core.action cimport *
from yote_fast.core.bitboard cimport *
from yote_fast.core.control cimport *
from yote_fast.core.evaluate cimport *
from yote_fast.core.lanes cimport *
from yote_fast.core.movegen cimport *
from yote_fast.core.network cimport *
from yote_fast.core.packing cimport *
from yote_fast.core.play cimport *
from yote_fast.core.position cimport *
from yote_fast.core.ranking cimport *
from yote_fast.core.slices cimport *
from yote_fast.core.symmetry cimport *
from yote_fast.core.table cimport *
from yote_fast.core.tactics cimport *
from yote_fast.core.twoply cimport *

from dataclasses import replace
from threading import Lock

from yote_fast.errors import IllegalMoveError, InvalidMoveError
from yote_fast.notation import HAND, Action as PlainAction, Phase, Setup
from yote_fast.notation import format_action, format_yfen, parse_action, parse_yfen, route_block, start_setup
from yote_fast.outcome import Outcome, Termination
from yote_fast.picture import picture
from yote_fast.rules import YOTE, Rules

cdef int WORD_FOR_HAND = HAND

include "build.pxi"
include "ruleset.pxi"
include "move.pxi"
include "array.pxi"
include "planes.pxi"
include "board.pxi"
include "numbering.pxi"
include "game.pxi"
include "choices.pxi"
include "games.pxi"
include "perft.pxi"
include "sets.pxi"
include "tables.pxi"
include "reader.pxi"
include "line.pxi"
include "ordering.pxi"
include "search.pxi"
include "proof.pxi"
include "searcher.pxi"
include "pair.pxi"
include "exits.pxi"
include "propagate.pxi"
include "solver.pxi"
include "graph.pxi"
include "levels.pxi"
include "game_graph.pxi"
include "prover.pxi"
