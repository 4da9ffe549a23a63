#!/bin/sh
# SPDX-License-Identifier: MIT
# For random programs with kernels, copies and recursion, profiles are exactly
# those of the naive rules in oracle_device.py, in integer nanoseconds.
set -u
exec "${PYTHON3:-python3}" -B "${srcdir:-.}/tests/lib/profile/oracle_device.py" \
	./tests/lib/profile/oracle_device "${ORACLE_PROGRAMS:-150}"
