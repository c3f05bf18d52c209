"""`make bench` and `make bench-quick`: run the package beside this file with the checkout as the place to import from."""

import runpy
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
    runpy.run_module("benchmarks", run_name="__main__", alter_sys=True)
