#!/bin/sh
# SPDX-License-Identifier: MIT
# Makes a manual page: each word between @ is replaced by the program's own
# tables, so that the two cannot differ.
#
#	@OPTIONS@	the section of the command's options
#	@COMMANDS@	all commands, by group
#	@PAGES@		their pages, each with a comma
#	@FORMAT NAME@	the head of a paragraph on that format
#	@FORMATS@	paragraphs on the formats that have no @FORMAT NAME@
#	@COLUMNS@	the members and columns of the command's reports
#	@SYNOPSES@	ctp2NAME [OPTION...] [FILE...] for all converters
#	@CONVERTERS@	their names, within a line
#
# Usage: man.sh CTPROF ctprof-COMMAND.1.in > ctprof-COMMAND.1
set -eu
ctprof=$1
page=$2
command=$(basename "$page" .1.in)
command=${command#ctprof-}

# The converters, in the order of the alphabet.
converters() {
	"$ctprof" completion zsh | sed -n '1s/^#compdef ctprof //p' |
		tr ' ' '\n' | LC_ALL=C sort
}

# shellcheck disable=SC2016
LC_ALL=C awk -v ctprof="'$ctprof'" -v command="$command" \
	-v converters="$(converters)" '
	function roff(text) {
		gsub(/\\/, "\\e", text)
		gsub(/-/, "\\-", text)
		return text
	}
	function sentence(text) {
		return roff(text) (text ~ /\.$/ ? "" : ".")
	}
	function put_options() {
		fflush()
		if (system(ctprof " help --roff " command) != 0)
			exit 1
	}
	# Both print a line in a group, or without, for each command.
	function put_commands(    call, line, word, group) {
		call = ctprof " --help"
		while ((call | getline line) > 0) {
			if (line ~ /^[A-Z].*:$/)
				group = substr(line, 1, length(line) - 1)
			if (line !~ /^  [a-z]+  /)
				continue
			split(line, word, " ")
			sub(/^ *[a-z]+ */, "", line)
			if (group != "")
				print ".SS " group
			group = ""
			print ".TP\n.BR ctprof\\-" word[1] " (1)"
			print sentence(line)
		}
		close(call)
	}
	function put_pages(    call, line, word) {
		call = ctprof " --help"
		while ((call | getline line) > 0)
			if (line ~ /^  [a-z]+  / && split(line, word, " "))
				print ".BR ctprof\\-" word[1] " (1),"
		close(call)
	}
	function read_formats(    call, line, word, name) {
		call = ctprof " formats"
		while ((call | getline line) > 0) {
			split(line, word, " ")
			name = order[++count] = word[1]
			sub(/^[^ ]+ +[^ ]+ +[^ ]+ +/, "", line)
			suffix[name] = ""
			if (sub(/^\.[^ ]* +/, "", line))
				suffix[name] = word[4]
			summary[name] = line
		}
		close(call)
	}
	function put_format(name) {
		if (!(name in summary)) {
			print FILENAME ": no such format: " name >"/dev/stderr"
			exit 1
		}
		print ".TP\n.B " roff(name)
		if (suffix[name] != "")
			print ".RI ( " suffix[name] " )"
		described[name] = 1
	}
	function put_formats(    i) {
		# The first line is the heading.
		for (i = 2; i <= count; i++)
			if (!(order[i] in described)) {
				put_format(order[i])
				print sentence(summary[order[i]])
			}
	}
	# The reports of the command, their tables, and the columns of these.
	function read_columns(    call, line, field) {
		call = ctprof " help --columns"
		while ((call | getline line) > 0) {
			split(line, field, "\t")
			if (field[1] == "report") {
				wanted = index(field[3] " ",
					"ctprof " command " ") == 1
				if (wanted) {
					schema[++reports] = field[2]
					title[reports] = field[3]
				}
			} else if (wanted && field[1] == "table") {
				kind[++tables] = field[2]
				name[tables] = field[3]
				text[tables] = field[5]
				in_report[tables] = reports
				first[tables] = columns + 1
				if (field[2] == "nested")
					nested[reports, field[3]] = tables
			} else if (wanted) {
				key[++columns] = field[2]
				words[columns] = field[3] == "map" ? "" : field[8]
				inner[columns] = field[9]
				help[columns] = field[10]
				last[tables] = columns
			}
		}
		close(call)
	}
	function put_member(name, text) {
		print ".TP\n.B " roff(name) "\n" roff(text)
	}
	# `path` has the keys that lead to the table.
	function put_members(table, path,    i, choice, part) {
		for (i = first[table]; i <= last[table]; i++) {
			choice = words[i]
			gsub(/\|/, ", ", choice)
			choice = choice == "" ? "" : " (" choice ")"
			part = nested[in_report[table], inner[i]]
			if (inner[i] != "" && part in shown)
				choice = " (as in " shown[part] ")"
			put_member(key[i], help[i] choice)
			if (kind[table] == "array")
				in_json[in_report[table], key[i]] = 1
			if (inner[i] != "" && !(part in shown)) {
				shown[part] = path key[i]
				print ".RS"
				put_members(part, path key[i] ".")
				print ".RE"
			}
		}
	}
	function put_csv(table,    i, end) {
		print ".PP\nCSV has the columns"
		for (i = first[table]; i <= last[table]; i++) {
			end = i == last[table] ? "." : ","
			if ((in_report[table], key[i]) in in_json)
				print ".BR " roff(key[i]) " " end
			else
				print ".B " roff(key[i]) "\n(" \
					roff(help[i]) ")" end
		}
	}
	function put_report(report,    table, file, has_csv) {
		print ".SS " roff(title[report])
		print "JSON has the schema\n.B " roff(schema[report])
		print "and, besides the fields of all reports, see"
		print ".BR ctprof (1):"
		for (table = 1; table <= tables; table++) {
			if (in_report[table] != report)
				continue
			if (kind[table] == "head")
				put_members(table, "")
			if (kind[table] == "csv") {
				put_csv(table)
				has_csv = 1
			}
			if (kind[table] != "array")
				continue
			put_member(name[table], text[table])
			print ".RS"
			put_members(table, name[table] ".")
			print ".RE"
		}
		file = schema[report]
		sub(/^ctprof/, "schemas", file)
		sub(/\/1$/, "-1", file)
		print ".PP\nThe schema is installed as"
		print ".BR " roff(file) (has_csv ? ".json ,\nand that of CSV as\n.BR " \
			roff(file) ".csv.json ." : ".json .")
	}
	function put_columns(    i) {
		read_columns()
		for (i = 1; i <= reports; i++)
			put_report(i)
	}
	function put_synopses(    i, n, name) {
		n = split(converters, name, "\n")
		for (i = 1; i <= n; i++) {
			print (i > 1 ? ".br\n" : "") ".B " name[i]
			print ".RI [ OPTION ...]\n.RI [ FILE ...]"
		}
	}
	/^@FORMATS?[ @]/ && count == 0 { read_formats() }
	/^@OPTIONS@$/ { put_options(); next }
	/^@COLUMNS@$/ { put_columns(); next }
	/^@COMMANDS@$/ { put_commands(); next }
	/^@PAGES@$/ { put_pages(); next }
	/^@FORMAT [^ ]*@$/ { put_format(substr($2, 1, length($2) - 1)); next }
	/^@FORMATS@$/ { put_formats(); next }
	/^@SYNOPSES@$/ { put_synopses(); next }
	/@CONVERTERS@/ {
		list = converters
		gsub(/\n/, ", ", list)
		sub(/@CONVERTERS@/, list)
	}
	{ print }
' "$page"
