/* SPDX-License-Identifier: MIT */
/* A process with a thread, for tests of its Chrome trace. */
#ifndef CHROME_CASE_H
#define CHROME_CASE_H

#include <stdint.h>

#include "trace/event.h"

extern struct trace *trace;
extern uint32_t track;     /* thread 101 of process 100 */
extern uint32_t main_site; /* "main", main.c, 3 */
extern uint32_t work_site; /* "work" */

/* A fixture that creates and frees these. */
void case_setup(void);
void case_teardown(void);

uint32_t add_text(const char *text);
uint32_t add_site(const char *name, const char *file, uint32_t line);

#define WRITE(events, text) \
	check_write(trace, events, sizeof(events) / sizeof((events)[0]), text)

#endif
