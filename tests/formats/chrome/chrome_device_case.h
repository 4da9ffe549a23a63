/* SPDX-License-Identifier: MIT */
/* A process with a thread and a stream, for tests of device activities. */
#ifndef CHROME_DEVICE_CASE_H
#define CHROME_DEVICE_CASE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"

extern struct trace *trace;
extern uint32_t host;   /* thread 101 of process 100 */
extern uint32_t stream; /* stream 7 of its device 0 */
/* Sites: a range, a call, and device activities. */
extern uint32_t step;
extern uint32_t launch;
extern uint32_t kernel;
extern uint32_t copy;
extern uint32_t wait;

/* A fixture that creates and frees these. */
void case_setup(void);
void case_teardown(void);

uint32_t add_text(const char *text);
uint32_t add_site(const char *name, const char *category);
uint32_t add_stream(int64_t pid, uint32_t device, int64_t number);
void add_device(int64_t pid, uint32_t number);

struct event_arg number_arg(const char *key, int64_t number);

/* Events of the thread and of the stream; kernels have arguments. */
struct event begin(uint32_t site, int64_t time_ns);
struct event end(int64_t time_ns);
struct event call(uint64_t id);
struct event activity(
	uint32_t site, uint64_t id, int64_t time_ns, uint64_t dur_ns);

#define WRITE(events, text) \
	check_write(trace, events, sizeof(events) / sizeof((events)[0]), text)

/* The `n`-th slice of this name; the test fails if there are fewer. */
json_t *find_slice(json_t *json, const char *name, size_t n);

bool has_arg(const json_t *event, const char *key);

#endif
