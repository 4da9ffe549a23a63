/* SPDX-License-Identifier: MIT */
#include "chrome_case.h"

#include <string.h>

#include "support/quick_check.h"

struct trace *trace;
uint32_t track;
uint32_t main_site;
uint32_t work_site;

uint32_t add_text(const char *text)
{
	return strtab_add(trace->text, text, strlen(text));
}

uint32_t add_site(const char *name, const char *file, uint32_t line)
{
	return trace_add_site(
		trace, name, strlen(name), file, strlen(file), line);
}

void case_setup(void)
{
	trace = trace_new(NULL);
	ck_assert_ptr_nonnull(trace);
	track = trace_add_track(
		trace, (struct trace_track){.pid = 100, .tid = 101});
	main_site = add_site("main", "main.c", 3);
	work_site = add_site("work", "", 0);
	trace->end_ns = 9000;
}

void case_teardown(void)
{
	trace_free(trace);
}
