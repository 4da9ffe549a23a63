#!/bin/sh
# SPDX-License-Identifier: MIT
# Random programs with kernels, copies and recursion give exactly the profiles
# that the naive rules in oracle_device.py give, in integer nanoseconds.
set -u
exec "${PYTHON3:-python3}" -B "${srcdir:-.}/tests/lib/profile/oracle_device.py" \
	./tests/lib/profile/oracle_device "${ORACLE_PROGRAMS:-150}"
