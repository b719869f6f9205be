"""Sixteen numbers of 16 bits, worked on at once."""

from libc.stdint cimport int16_t, int32_t, uint16_t

cdef enum:
    LANES = 16

cdef extern from "lanes.h" nogil:
    ctypedef struct Lanes:
        pass
    void lanes_add(Lanes* sum, const int16_t* row)
    void lanes_add_where(Lanes* sum, uint16_t bits, int16_t weight)
    void lanes_clip(Lanes* sum, int16_t top)
    int32_t lanes_dot(const Lanes* sum, const int16_t* row)
