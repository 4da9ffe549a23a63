#!/bin/sh
# SPDX-License-Identifier: MIT
# What fuzzing begins with, and what it found once (tests/bad), runs through the
# fuzz target: no crash, no hang, nothing that refers to what is not there.
set -u
srcdir=${srcdir:-.}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
./tests/fuzz_seeds "$work" || exit 1
set -- "$work"/*
[ -f "$1" ] || exit 1
for file in "$srcdir"/tests/bad/*; do
	[ -f "$file" ] && set -- "$@" "$file"
done
./tests/fuzz_log "$@" || exit 1
echo "$# inputs"
