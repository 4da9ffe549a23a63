#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes a C source of files of rules. They become numbers, not one string:
# compilers need not take strings of more than 4095 bytes.
#
# usage: phase_texts.sh FILE.rules...
set -eu

echo '#include "phase_rules.h"'
for file; do
	name=$(basename "$file" .rules)
	printf '\nstatic const char %s[] = {\n' "$name"
	od -An -v -tx1 "$file" | sed 's/ *\([0-9a-f][0-9a-f]\)/0x\1,/g'
	printf '0};\n'
done

printf '\nstatic const struct {\n\tconst char *name;\n\tconst char *text;\n'
printf '} shipped[] = {\n'
for file; do
	name=$(basename "$file" .rules)
	printf '\t{"%s", %s},\n' "$name" "$name"
done
printf '\t{NULL, NULL},\n};\n'

for member in name text; do
	cat <<EOF

const char *phase_rules_shipped_$member(size_t index)
{
	return shipped[index].$member;
}
EOF
done
