"""Arrays of the caller, read and written in place."""

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer


@cython.final
@cython.no_gc
cdef class Array:
    """A caller's array, held for as long as it is used."""

    cdef Py_buffer view

    cdef int open(self, array, size_t size, bint writable) except -1:
        PyObject_GetBuffer(array, &self.view, PyBUF_C_CONTIGUOUS | (PyBUF_WRITABLE if writable else 0))
        if <size_t>self.view.len != size:
            raise ValueError(f"the array must have {size} bytes, not {self.view.len}")
        return 0

    def __dealloc__(self):
        PyBuffer_Release(&self.view)
