# cython: language_level=3, nonecheck=True, cdivision=True, boundscheck=False, wraparound=False
include "engine.pxi"
