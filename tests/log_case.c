/* SPDX-License-Identifier: MIT */
#include "log_case.h"

#include <stdlib.h>
#include <string.h>

#include "log_maker.h"

struct buffer case_small;
struct buffer case_made;
struct log_text case_whole;
struct log_text case_text;

void case_set_up(void)
{
	log_maker_add_small(&case_small);
	case_whole = log_text_read(case_small.bytes, case_small.used);
}

void case_tear_down(void)
{
	log_text_clear(&case_whole);
	log_text_clear(&case_text);
	buffer_clear(&case_small);
	buffer_clear(&case_made);
}

void case_read_made(void)
{
	log_text_clear(&case_text);
	case_text = log_text_read(case_made.bytes, case_made.used);
	case_made.used = 0;
}

void case_copy_members(size_t from, size_t to)
{
	struct log_maker_span span;

	for (; from < to && log_maker_find(&case_small, from, &span); from++)
		buffer_add(&case_made, case_small.bytes + span.begin,
			span.end - span.begin);
}

char *case_without(size_t member)
{
	struct log_text rest;
	char *events;

	case_copy_members(0, member);
	case_copy_members(member + 1, SIZE_MAX);
	rest = log_text_read(case_made.bytes, case_made.used);
	case_made.used = 0;
	events = rest.events;
	rest.events = NULL;
	log_text_clear(&rest);
	return events;
}

uint64_t case_lost(const char *name)
{
	const char *at = strstr(case_text.losses, name);

	return at == NULL ? 0 : strtoull(at + strlen(name), NULL, 10);
}
