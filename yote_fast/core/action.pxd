"""Actions as two numbers: what they do, and, for chains, the way.

The *effect* of an action is one word. It is all that :func:`play` needs::

      63   55   52     46     40        35                                   0
       | 0 |kind| from |  to  | in hand | squares cleared of enemy pieces    |
            3b    6b     6b      5b       36b

A drop has ``from == to``; a route joins ``from`` and ``to``; ``--`` has zeros. "In hand" counts removals from the enemy's hand. The
squares cleared include the jumped ones. Of the actions without a chain no two have the same effect.

The *path* of a chain of two or more jumps lists them in 9 bits each, seven to a word, the first lowest; 0 ends it::

      8     6 5              0
      | dir  | removal + 1   |      removal: a square, REMOVED_FROM_HAND or REMOVED_NOTHING
        3b     6b

(``removal`` is used where removals are made after each jump, and REMOVED_NOTHING otherwise.) A jump takes a piece off the board and
there are at most 20, so three words hold every chain.
"""

from libc.stdint cimport uint64_t

from yote_fast.core.bitboard cimport Bitboard

ctypedef uint64_t Effect

# Kinds of actions.
cdef enum:
    NO_ACTION, DROP, DROP_ROYAL, STEP, CAPTURE, PLACE_ROUTE, FREE_MOVE, PASS

cdef enum:
    REMOVED_FROM_HAND = 36
    REMOVED_NOTHING = 37
    PATH_WORDS = 3
    JUMPS_PER_WORD = 7

cdef struct Path:
    uint64_t words[PATH_WORDS]

cdef struct Action:
    Effect effect
    Path path


cdef inline Effect make_effect(int kind, int origin, int target) noexcept nogil:
    return (<Effect>kind << 53) | (<Effect>origin << 47) | (<Effect>target << 41)


cdef inline Effect clears(Bitboard squares) noexcept nogil:
    return squares


cdef inline Effect takes_from_hand(int pieces) noexcept nogil:
    return <Effect>pieces << 36


cdef inline int kind_of(Effect effect) noexcept nogil:
    return effect >> 53


cdef inline int origin_of(Effect effect) noexcept nogil:
    return (effect >> 47) & 63


cdef inline int target_of(Effect effect) noexcept nogil:
    return (effect >> 41) & 63


cdef inline int way_of(Effect effect) noexcept nogil:
    """From where to where, in one number: 64 times the one plus the other."""
    return (effect >> 41) & 0xFFF


cdef inline int hand_of(Effect effect) noexcept nogil:
    return (effect >> 36) & 31


cdef inline Bitboard cleared_by(Effect effect) noexcept nogil:
    return effect & ((<Bitboard>1 << 36) - 1)


cdef inline bint same_path(const Path* a, const Path* b) noexcept nogil:
    return a.words[0] == b.words[0] and a.words[1] == b.words[1] and a.words[2] == b.words[2]


cdef inline Path no_path() noexcept nogil:
    cdef Path path
    path.words[0] = path.words[1] = path.words[2] = 0
    return path


cdef inline int path_get(const Path* path, int jump) noexcept nogil:
    """The entry of a jump, counted from 0; 0 beyond the last."""
    if jump >= PATH_WORDS * JUMPS_PER_WORD:
        return 0
    return (path.words[jump // JUMPS_PER_WORD] >> (9 * (jump % JUMPS_PER_WORD))) & 511


cdef inline void path_set(Path* path, int jump, int direction, int removal) noexcept nogil:
    """Write a jump over whatever the path held from there on in that word."""
    cdef int word = jump // JUMPS_PER_WORD, place = 9 * (jump % JUMPS_PER_WORD)
    path.words[word] = (path.words[word] & ((<uint64_t>1 << place) - 1)) | (<uint64_t>((direction << 6) | (removal + 1)) << place)
