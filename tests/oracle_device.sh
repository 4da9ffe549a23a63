#!/bin/sh
# SPDX-License-Identifier: MIT
# Random programs with kernels, copies and recursion give exactly the profiles
# that the naive rules in oracle_device.py give, in integer nanoseconds.
set -u
exec "${PYTHON3:-python3}" -B "${srcdir:-.}/tests/oracle_device.py" \
	./tests/oracle_device "${ORACLE_PROGRAMS:-150}"
