#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints C that holds text files: each as an array of its lines, that ends with
# NULL and is named after the file, so that report.js becomes report_js.
#
#	embed.sh HEADER FILE...
#
# HEADER declares the arrays. Lines, as compilers need not take longer strings
# than 4095 bytes.
set -eu
LC_ALL=C
export LC_ALL

printf '#include "%s"\n\n#include <stddef.h>\n' "$1"
shift
for file in "$@"; do
	name=$(basename "$file" | tr -c 'A-Za-z0-9\n' _)
	printf '\nconst char *const %s[] = {\n' "$name"
	# A question mark could begin a trigraph.
	sed -e 's/[\\"?]/\\&/g' -e 's/.*/	"&\\n",/' "$file"
	printf '\tNULL,\n};\n'
done
