#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes the manual page of a command: the line @OPTIONS@ becomes the section
# that the program prints from its option table, so that the two cannot differ.
#
# Usage: man.sh CTPROF ctprof-COMMAND.1.in > ctprof-COMMAND.1
set -eu
ctprof=$1
page=$2
command=$(basename "$page" .1.in)
command=${command#ctprof-}

while IFS= read -r line; do
	if [ "$line" = @OPTIONS@ ]; then
		"$ctprof" help --roff "$command"
	else
		printf '%s\n' "$line"
	fi
done < "$page"
