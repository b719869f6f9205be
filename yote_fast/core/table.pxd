"""The transposition table: what the search found out about a position, under its key.

An entry is two words; the first is the key exclusive-ored with the second, so that an entry torn by two threads matches no key::

      63        48 47    40 39  38 37          32 31                 0
      |   score   |  depth |bound| generation    |  action's digest   |
           16b        8b      2b        6b                32b

A digest only points out an action among the generated ones: a foreign one is never played. Four entries share a cache line.
"""

from libc.stdint cimport int8_t, int16_t, uint8_t, uint16_t, uint32_t, uint64_t

from yote_fast.core.action cimport Effect

cdef extern from "bits.h" nogil:
    void prefetch(const void* address)

cdef extern from "pages.h" nogil:
    ctypedef struct Pages:
        void* block
    Pages pages_allocate(size_t bytes)
    void pages_release(Pages pages)

cdef enum:
    BUCKET = 4
    GENERATIONS = 64

# Kinds of bounds.
cdef enum:
    NO_BOUND, LOWER, UPPER, EXACT

cdef struct TableEntry:
    uint64_t check
    uint64_t data

cdef struct Table:
    TableEntry* entries     # aligned to cache lines
    uint64_t buckets        # a power of two
    uint8_t generation

cdef struct Found:
    int score
    int depth
    int bound               # NO_BOUND: nothing was found
    uint32_t digest


cdef inline uint32_t digest_of(Effect effect) noexcept nogil:
    return (effect * <uint64_t>0x9E3779B97F4A7C15ULL) >> 32


cdef inline TableEntry* bucket_of(const Table* table, uint64_t key) noexcept nogil:
    return &table.entries[BUCKET * (key & (table.buckets - 1))]


cdef inline Found unpack(uint64_t data) noexcept nogil:
    cdef Found found
    found.score = <int16_t>(data >> 48)
    found.depth = <int8_t>(data >> 40)
    found.bound = (data >> 38) & 3
    found.digest = <uint32_t>data
    return found


cdef inline Found look_up(const Table* table, uint64_t key) noexcept nogil:
    cdef const TableEntry* bucket = bucket_of(table, key)
    cdef uint64_t data
    cdef int i
    for i in range(BUCKET):
        data = bucket[i].data
        if bucket[i].check ^ data == key and data:
            return unpack(data)
    return unpack(0)


cdef inline int worth(const Table* table, uint64_t data) noexcept nogil:
    """How much an entry deserves to stay: deep and young."""
    cdef int age = (table.generation - ((data >> 32) & 63)) & (GENERATIONS - 1)
    if data == 0:
        return -1000
    return <int8_t>(data >> 40) - 4 * age


cdef inline void store(const Table* table, uint64_t key, int score, int depth, int bound, uint32_t digest) noexcept nogil:
    """Write over the position's own entry, or over the least worthy of its bucket."""
    cdef TableEntry* bucket = bucket_of(table, key)
    cdef TableEntry* victim = bucket
    cdef int i
    for i in range(BUCKET):
        if bucket[i].check ^ bucket[i].data == key:
            victim = &bucket[i]
            break
        if worth(table, bucket[i].data) < worth(table, victim.data):
            victim = &bucket[i]
    victim.data = (
        (<uint64_t><uint16_t>score << 48) | (<uint64_t><uint8_t>depth << 40) | (<uint64_t>bound << 38)
        | (<uint64_t>table.generation << 32) | digest
    )
    victim.check = key ^ victim.data
