# SPDX-License-Identifier: MIT
# The files and commands of a page in Markdown, as a script for a shell. Commands
# follow <!-- test -->, or <!-- test: python --> with -v python=1; a file follows
# <!-- file: NAME -->.
/^<!-- test -->$/ { wanted = "test"; next }
/^<!-- test: python -->$/ {
	if (python)
		wanted = "test"
	next
}
/^<!-- file: .* -->$/ { wanted = $3; next }
/^```/ {
	if (inside) {
		if (wanted != "test")
			print "END_OF_FILE"
		inside = 0
		wanted = ""
	} else if (wanted != "") {
		inside = 1
		if (wanted != "test")
			print "cat > " wanted " <<\"END_OF_FILE\""
	}
	next
}
inside { print }
