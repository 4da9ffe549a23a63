/* SPDX-License-Identifier: MIT */
#include "log_case.h"

#include <stdlib.h>
#include <string.h>

#include "log_maker.h"

struct buffer log_case_small;
struct buffer log_case_made;
struct log_text log_case_whole;
struct log_text log_case_text;

void log_case_set_up(void)
{
	log_maker_add_small(&log_case_small);
	log_case_whole =
		log_text_read(log_case_small.bytes, log_case_small.used);
}

void log_case_tear_down(void)
{
	log_text_clear(&log_case_whole);
	log_text_clear(&log_case_text);
	buffer_clear(&log_case_small);
	buffer_clear(&log_case_made);
}

void log_case_read_made(void)
{
	log_text_clear(&log_case_text);
	log_case_text = log_text_read(log_case_made.bytes, log_case_made.used);
	log_case_made.used = 0;
}

void log_case_copy_members(size_t from, size_t to)
{
	struct log_maker_span span;

	for (; from < to && log_maker_find(&log_case_small, from, &span);
		from++)
		buffer_add(&log_case_made, log_case_small.bytes + span.begin,
			span.end - span.begin);
}

char *log_case_without(size_t member)
{
	struct log_text rest;
	char *events;

	log_case_copy_members(0, member);
	log_case_copy_members(member + 1, SIZE_MAX);
	rest = log_text_read(log_case_made.bytes, log_case_made.used);
	log_case_made.used = 0;
	events = rest.events;
	rest.events = NULL;
	log_text_clear(&rest);
	return events;
}

uint64_t log_case_lost(const char *name)
{
	const char *at = strstr(log_case_text.losses, name);

	return at == NULL ? 0 : strtoull(at + strlen(name), NULL, 10);
}
