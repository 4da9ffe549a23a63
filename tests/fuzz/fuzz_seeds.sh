#!/bin/sh
# SPDX-License-Identifier: MIT
# Writes the seeds of fuzzing: the logs of our recipes, most of them bad, as
# logs and as the unpacked blocks from which the targets make logs.
#
# Usage: fuzz_seeds.sh TARGET DIRECTORY, in the build directory
set -eu
srcdir=${srcdir:-.}
PYTHONPATH=$(realpath "$srcdir/tests/support")
export PYTHONPATH
target=$1
directory=$2
number=0

# fuzz_replay reads a format and options first. There are at least as many of
# these as formats, so that every format gets every recipe. fuzz_cut reads the
# size of parts and options.
seed() {
	if [ "$target" = fuzz_replay ] || [ "$target" = fuzz_cut ] ||
		[ "$target" = fuzz_digest ]; then
		for format in 0 1 2 3 4 5; do
			number=$((number + 1))
			# shellcheck disable=SC2059
			printf "\\00$format\\$((number % 256 / 64))$((
				number % 64 / 8))$((number % 8))" |
				cat - "$1" >"$directory/$2-$format"
		done
	else
		cp "$1" "$directory/$2"
	fi
}

# The sound spool, with and without a log; and with changes in several places.
if [ "$target" = fuzz_spool ]; then
	printf '\0' >"$directory/new"
	printf '\1' >"$directory/begun"
	# Empty, ending in the header, ending in a chunk, and longer than the
	# size in the header.
	for units in '\0\0' '\0\1' '\200\27' '\0\100' '\0\300'; do
		# shellcheck disable=SC2059
		printf "\\3$units" >"$directory/length$(
			printf %s "$units" | tr -d '\\')"
	done
	for byte in 0 10 20 30 40 50 60 70; do
		for area in 0 1 2 3; do
			for value in 000 001 200 377; do
				# shellcheck disable=SC2059
				printf "\\1\\$byte\\0\\$area\\3\\$value\\$value\\$value\\$value" \
					>"$directory/$area-$byte-$value"
			done
		done
	done
	exit
fi

# Files of other profilers, and beginnings of them.
if [ "$target" = fuzz_texts ]; then
	PYTHONDONTWRITEBYTECODE=1 "${PYTHON3:-python3}" \
		"$srcdir/tests/formats/profile_readers_seeds.py" "$srcdir/tests/formats/profile_readers" "$directory"
	exit
fi

# Summaries, their blocks, and damaged ones.
if [ "$target" = fuzz_summary ]; then
	"${PYTHON3:-python3}" -B "$srcdir/tests/lib/summary/summary_seeds.py" \
		"${CTPROF:-./ctprof}" "$srcdir/tests/traces" "$directory"
	exit
fi

# Sums of parts with two files and one input, beginnings of them, and changed
# ones.
if [ "$target" = fuzz_part ]; then
	zeros='\0\0\0\0\0\0\0'
	for status in 0 3; do
		{
			printf "\\$status$zeros\0$zeros\2$zeros\2$zeros"
			printf "\7$zeros\1$zeros\0$zeros"
			"${CTPROF:-./ctprof}" summarize -q \
				"$srcdir/tests/traces/flow.json.gz"
		} >"$directory/$status"
	done
	for size in 1 2 3 4 5 6 7; do
		head -c $((size * 8)) "$directory/3" >"$directory/head-$size"
		tr '\1\7' '\2\377' <"$directory/3" |
			tail -c +$size >"$directory/changed-$size"
	done
	exit
fi

# Files saved by Python, and beginnings of them.
if [ "$target" = fuzz_pstats ]; then
	cp "$srcdir/tests/formats/pstats/pstats/py2_sample.prof2" "$directory/old"
	"${PYTHON3:-python3}" "$srcdir/tests/formats/pstats/pstats_seeds.py" "$directory"
	exit
fi

# Streams of deflate with blocks of all kinds, and beginnings of them.
if [ "$target" = fuzz_deflate ]; then
	"${PYTHON3:-python3}" - "$srcdir/README.md" "$directory" <<-'EOF'
		import sys
		import zlib

		text = open(sys.argv[1], "rb").read()
		number = 0
		for size in 0, 1, 7, 300, len(text):
		    for level in 0, 1, 9:
		        for strategy in zlib.Z_DEFAULT_STRATEGY, zlib.Z_FIXED:
		            stream = zlib.compressobj(
		                level, zlib.DEFLATED, -15, 9, strategy)
		            packed = stream.compress(text[:size])
		            packed += stream.flush(zlib.Z_FULL_FLUSH)
		            packed += stream.compress(text[-size:])
		            packed += stream.flush()
		            for end in len(packed), len(packed) // 2:
		                number += 1
		                with open(f"{sys.argv[2]}/{number}", "wb") as out:
		                    out.write(packed[:end])
	EOF
	exit
fi

# Small programs as linkers write them for 32 and 64 bits and both byte orders,
# beginnings of them, and changed ones.
if [ "$target" = fuzz_elf ]; then
	"${PYTHON3:-python3}" -B "$srcdir/tests/lib/symbols/elf_seeds.py" \
		"$directory"
	exit
fi

# Requests with the token and the host's name, and with others.
if [ "$target" = fuzz_http ]; then
	token=0123456789abcdef0123456789abcdef
	number=0
	for path in / /page.html /version /x '' "/?x"; do
		for host in 127.0.0.1:8080 localhost:8080 evil.example:8080; do
			number=$((number + 1))
			printf 'GET /%s%s HTTP/1.1\r\nHost: %s\r\n\r\n' \
				$token "$path" $host >"$directory/$number"
		done
	done
	printf 'POST /%s/ HTTP/1.1\r\nHost: localhost:8080\r\n\r\n' $token \
		>"$directory/post"
	printf 'GET / HTTP/1.0\r\nA\r\n: b\r\n\r\n' >"$directory/headers"
	printf '\r\n\r\n' >"$directory/empty"
	exit
fi
# Rules of phases: the existing ones, and pieces of them.
if [ "$target" = fuzz_rules ]; then
	cp "$srcdir"/lib/phases/rules/*.rules "$directory"
	for size in 1 50 200 201 400 700 1000 1500; do
		head -c $size "$srcdir/lib/phases/rules/import.rules" \
			>"$directory/head-$size"
		tail -c $size "$srcdir/lib/phases/rules/clang.rules" |
			tr 'a' '*' >"$directory/tail-$size"
	done
	exit
fi

# Databases of NVIDIA's profilers.
if [ "$target" = fuzz_sqlite ]; then
	"${PYTHON3:-python3}" -B \
		"$srcdir/tests/formats/sqlite/sqlite_seeds.py" "$directory"
	exit
fi

# Chrome traces: small ones, beginnings of them, and damaged ones.
if [ "$target" = fuzz_trace ] || [ "$target" = fuzz_repair ]; then
	"${PYTHON3:-python3}" "$srcdir/tests/formats/chrome_read/chrome_cases.py" "$directory" \
		>/dev/null
	for file in "$srcdir"/tests/traces/*.json.gz; do
		name=$(basename "$file" .json.gz)
		gzip -dc "$file" | head -c 8000 >"$directory/$name"
		head -c 3001 "$directory/$name" >"$directory/$name-cut"
	done
	for file in "$srcdir"/tests/traces/torch_trace_*.log.gz; do
		name=$(basename "$file" .log.gz)
		gzip -dc "$file" | head -c 8000 >"$directory/$name"
	done
	[ "$target" = fuzz_trace ] || "${PYTHON3:-python3}" -B \
		"$srcdir/tests/formats/json_repair/repair_cases.py" "$directory"
	exit
fi

for recipe in "$srcdir"/tests/lib/log_read/bad/*.recipe "$srcdir/tests/support/device.recipe" \
	"$srcdir/tests/support/foreign.recipe"; do
	name=$(basename "$recipe" .recipe)
	./tests/support/make_log "$recipe" >"$directory/made"
	seed "$directory/made" "log-$name"
	./tests/support/make_log --blocks "$recipe" >"$directory/made"
	[ ! -s "$directory/made" ] || seed "$directory/made" "blocks-$name"
done
rm -f "$directory/made"
