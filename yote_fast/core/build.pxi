"""Facts of this build, and what the package needs to choose between builds."""

cdef extern from "cpu.h":
    bint cpu_runs_x86_64_v3()
    const char* COMPILER


def runs_x86_64_v3():
    """Whether this processor has the instructions that ``_x86_64_v3`` is compiled with."""
    return bool(cpu_runs_x86_64_v3())


def compiler():
    return COMPILER.decode()
