#!/bin/sh
# SPDX-License-Identifier: MIT
# Comments, messages and documents avoid the constructions that STYLE in
# CONTRIBUTING.md rules out, within the budget at the top of prose.py.
# `tests/project/prose.py --list` prints each use.
cd "${srcdir:-.}" && exec "${PYTHON3:-python3}" tests/project/prose.py
