# SPDX-License-Identifier: MIT
"""The commands ctprof, ctp2pstats and so on of a wheel: each becomes the program
in the package. Outside the package, so that it does not load the recorder."""
import importlib.machinery
import os
import sys


def main():
    spec = importlib.machinery.PathFinder.find_spec("ctprof")
    for package in spec.submodule_search_locations if spec else ():
        program = os.path.join(package, "_native", "bin", "ctprof")
        if os.path.isfile(program):
            os.execv(program, [os.path.basename(sys.argv[0]), *sys.argv[1:]])
    sys.exit("ctprof: this installation of the package has no program: "
             "install the wheel, or ctprof itself")
