#!/bin/sh
# SPDX-License-Identifier: MIT
# What fuzzing begins with: the logs of the recipes in tests/bad, as logs and as
# the unpacked blocks that the targets make logs of.
#
# Usage: fuzz_seeds.sh TARGET DIRECTORY, in the build directory
set -eu
srcdir=${srcdir:-.}
target=$1
directory=$2
number=0

# fuzz_replay wants a format and options first: as many as there are, and then
# some, so that every format gets every recipe.
seed() {
	if [ "$target" = fuzz_replay ]; then
		for format in 0 1 2 3 4 5; do
			number=$((number + 1))
			# shellcheck disable=SC2059
			printf "\\00$format\\0$((number % 64 / 8))$((number % 8))" |
				cat - "$1" >"$directory/$2-$format"
		done
	else
		cp "$1" "$directory/$2"
	fi
}

for recipe in "$srcdir"/tests/bad/*.recipe; do
	name=$(basename "$recipe" .recipe)
	./tests/make_log "$recipe" >"$directory/made"
	seed "$directory/made" "log-$name"
	./tests/make_log --blocks "$recipe" >"$directory/made"
	[ ! -s "$directory/made" ] || seed "$directory/made" "blocks-$name"
done
rm -f "$directory/made"
