"""How long calls are stopped: by another thread, by the clock, or by Ctrl-C."""

from libc.stdint cimport int64_t

cdef extern from "Python.h":
    # Declared without its error value: nogil code notes the failure, and `reraise` reports it once it holds the lock again.
    int PyErr_CheckSignals()

cdef extern from "clock.h" nogil:
    int64_t monotonic_ns()

cdef enum:
    POLL_INTERVAL = 512

cdef struct Control:
    volatile bint stop      # give up: set from outside, or after an exception
    bint raised             # this thread has a Python exception to report
    int countdown
    int64_t deadline        # on the clock of monotonic_ns; 0 for none


cdef inline void control_init(Control* control) noexcept nogil:
    control.stop = False
    control.raised = False
    control.countdown = POLL_INTERVAL
    control.deadline = 0


cdef inline bint look(Control* control) noexcept nogil:
    """Whether to give up, after a look at the clock and at the signals."""
    if control.stop:
        return True
    if control.deadline and monotonic_ns() >= control.deadline:
        control.stop = True
        return True
    with gil:
        if PyErr_CheckSignals() != 0:
            control.raised = True
            control.stop = True
    return control.stop


cdef inline bint poll(Control* control) noexcept nogil:
    """Whether to give up. To be called every few microseconds; looks at the signals once in POLL_INTERVAL calls."""
    control.countdown -= 1
    if control.countdown <= 0:
        control.countdown = POLL_INTERVAL
        look(control)
    return control.stop


cdef inline int reraise(Control* control) except -1:
    """Let the exception that a look at the signals met go on."""
    return -1 if control.raised else 0
