"""The compiled part of the build; everything else is in pyproject.toml."""

import os
import platform

from Cython.Build import cythonize
from setuptools import Extension, setup

DEBUG = os.environ.get("YOTE_FAST_DEBUG") == "1"
X86_64 = platform.machine().lower() in ("x86_64", "amd64") and os.name == "posix"

FLAGS = ["-O1", "-g", "-UNDEBUG", "-fsanitize=undefined", "-fno-sanitize-recover=undefined"] if DEBUG else ["-O3"]
# Instruction sets beyond the processor family's first, by module. The package picks the best that runs when it is imported.
LEVELS = {"_baseline": []} | ({"_x86_64_v3": ["-mavx2", "-mbmi", "-mbmi2", "-mpopcnt"]} if X86_64 else {})

extensions = [
    Extension(
        f"yote_fast.core.{name}",
        [f"yote_fast/core/{name}.pyx"],
        extra_compile_args=[*FLAGS, *flags, "-Wno-unreachable-code", "-Wno-unused-function"],
        extra_link_args=["-fsanitize=undefined"] if DEBUG else [],
    )
    for name, flags in LEVELS.items()
]

setup(
    ext_modules=cythonize(
        extensions,
        include_path=["."],
        nthreads=0,
        compiler_directives={"boundscheck": DEBUG, "wraparound": False},
    )
)
