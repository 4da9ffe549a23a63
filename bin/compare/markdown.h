/* SPDX-License-Identifier: MIT */
/*
 * Comparisons as Markdown, for a comment on a pull request: a heading, the first
 * changes in a table, the others folded, and a link. At most MARKDOWN_BYTES long.
 * Source: "GitHub Flavored Markdown Spec", 0.29, section 4.10, and GitLab's
 * "GitLab Flavored Markdown"; both limit the length of comments, GitHub to 65,536
 * characters.
 */
#ifndef MARKDOWN_H
#define MARKDOWN_H

#include <stdio.h>

#include "cli/arguments.h"
#include "compare/check_report.h"
#include "compare/diff_report.h"
#include "input/report.h"

#define MARKDOWN_BYTES ((size_t)60000)

struct markdown_options {
	const char *path; /* NULL: no Markdown */
	const char *link; /* NULL: no link */
};

extern const struct arguments markdown_arguments;

/* Checks that the file can be written. Errors: reported; returns an exit
 * status. */
int markdown_check(const struct markdown_options *options, bool force);

/* Write the file, if one is asked for. Errors: reported; return an exit
 * status. */
int markdown_write_check(const struct markdown_options *options, bool force,
	const struct check_view *view);
int markdown_write_diff(const struct markdown_options *options, bool force,
	const struct diff_view *view);

#endif
