"""The environment in which ranks use OpenBLAS."""
import functools
import os
import pathlib
import subprocess
import sys

# What OpenBLAS says of the processor that it takes this one for.
CORE_NAME = "import ctypes; name = ctypes.CDLL('libopenblas.so.0').openblas_get_corename; " \
            "name.restype = ctypes.c_char_p; print(name().decode())"
FALLBACK_CORE = "Prescott"


@functools.cache
def openblas_variables():
    """One thread in each rank, where OpenBLAS would have as many as there are CPUs; and the kernels of the instructions
    that this processor has, where OpenBLAS is older than the processor and falls back to those of SSE3."""
    variables = {"OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run([sys.executable, "-c", CORE_NAME], capture_output=True, text=True, check=False,
                          env={**os.environ, **variables})
    if done.stdout.strip() == FALLBACK_CORE and "OPENBLAS_CORETYPE" not in os.environ:
        flags = set(pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").partition("\nflags")[2].partition("\n")[0]
                    .split())
        if {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= flags:
            variables["OPENBLAS_CORETYPE"] = "SkylakeX"
        elif {"avx2", "fma"} <= flags:
            variables["OPENBLAS_CORETYPE"] = "Haswell"
    return variables
