#!/bin/sh
# SPDX-License-Identifier: MIT
# The Dockerfile has known instructions, a base with a version, a user, and
# leaves no lists of packages; hadolint, if it is installed, agrees.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
file=$srcdir/packages/Dockerfile
awk -v file="$file" '
	function wrong(text) {
		print file ":" NR ": " text
		bad = 1
	}
	/^#/ || /^$/ { next }
	!continued && $1 !~ /^(FROM|COPY|RUN|USER|WORKDIR|ENTRYPOINT|CMD)$/ {
		wrong($1 " is not expected")
	}
	$1 == "FROM" && ($2 !~ /:/ || $2 ~ /:latest$/) { wrong("no version") }
	$1 == "USER" { user = $2 }
	/apt-get install/ && !/-y --no-install-recommends/ {
		wrong("installs recommended packages")
	}
	/apt-get update/ { lists = 1 }
	/rm -rf.*\/var\/lib\/apt\/lists/ { lists = 0 }
	($1 == "ENTRYPOINT" || $1 == "CMD") && $2 !~ /^\[/ { wrong("is a shell") }
	{ continued = /\\$/ }
	END {
		if (user == "" || user == "root" || user == 0)
			wrong("runs as root")
		if (lists)
			wrong("lists of packages are left")
		exit bad
	}' "$file"
report $? "Dockerfile"
if hadolint=$(command -v venv/bin/hadolint || command -v hadolint); then
	"$hadolint" --no-color "$file"
	report $? "hadolint"
fi
exit $failed
