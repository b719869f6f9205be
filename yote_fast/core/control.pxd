"""How long calls are stopped: by another thread, or by Ctrl-C."""

cdef extern from "Python.h":
    # Declared without its error value: nogil code notes the failure, and `reraise` reports it once it holds the lock again.
    int PyErr_CheckSignals()

cdef enum:
    POLL_INTERVAL = 512

cdef struct Control:
    volatile bint stop      # give up: set from outside, or after an exception
    bint raised             # this thread has a Python exception to report
    int countdown


cdef inline void control_init(Control* control) noexcept nogil:
    control.stop = False
    control.raised = False
    control.countdown = POLL_INTERVAL


cdef inline bint poll(Control* control) noexcept nogil:
    """Whether to give up. To be called every few microseconds; looks at signals once in POLL_INTERVAL calls."""
    control.countdown -= 1
    if control.countdown <= 0:
        control.countdown = POLL_INTERVAL
        with gil:
            if PyErr_CheckSignals() != 0:
                control.raised = True
                control.stop = True
    return control.stop


cdef inline int reraise(Control* control) except -1:
    """Let the exception that `poll` met go on."""
    return -1 if control.raised else 0
