"""The compiled part of the build; everything else is in pyproject.toml.

Set YOTE_FAST_DEBUG=1 for a build with bounds checks, assertions and the address and undefined-behaviour sanitizers. It runs with
the sanitizer's library loaded first: LD_PRELOAD="$(gcc -print-file-name=libasan.so)" ASAN_OPTIONS=detect_leaks=0.
"""

import os
import platform
from glob import glob

from Cython.Build import cythonize
from setuptools import Extension, setup

DEBUG = os.environ.get("YOTE_FAST_DEBUG") == "1"
# Each kind of build has a folder of its own: what one has compiled would pass for up to date in the other.
BUILD = "build/debug" if DEBUG else "build/release"
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
FLAGS = ["-O1", "-g", "-UNDEBUG", *SANITIZERS] if DEBUG else ["-O3", "-g0"]

# The instructions beyond the processor family's first that a build of the core needs. The best one that runs is picked at import.
LEVELS: dict[str, list[str]] = {"_baseline": []}
# A debug build makes do with the first: the others differ in a few instructions, and it takes long enough.
if not DEBUG and os.name == "posix" and platform.machine().lower() in ("x86_64", "amd64"):
    LEVELS["_x86_64_v3"] = ["-mavx2", "-mbmi", "-mbmi2", "-mpopcnt"]

extensions = [
    Extension(
        f"yote_fast.core.{name}",
        [f"yote_fast/core/{name}.pyx"],
        depends=glob("yote_fast/core/*.h"),
        extra_compile_args=[*FLAGS, *instructions] if os.name == "posix" else [],
        extra_link_args=SANITIZERS if DEBUG else [],
    )
    for name, instructions in LEVELS.items()
]

setup(
    ext_modules=cythonize(
        extensions,
        include_path=["."],
        build_dir=BUILD,
        compiler_directives={"boundscheck": True} if DEBUG else {},
    ),
    options={"build": {"build_base": BUILD}, "build_ext": {"parallel": os.cpu_count()}},
)
