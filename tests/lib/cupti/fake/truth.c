/* SPDX-License-Identifier: MIT */
#include "truth.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static FILE *file;
static pid_t writer;

static _Thread_local const char *range_name = "";
static _Thread_local int64_t range_instance;

static void open_file(void)
{
	const char *path = getenv("FAKE_TRUTH");

	writer = getpid();
	/* "ae": a program that execs itself appends. */
	file = path == NULL ? NULL : fopen(path, "ae");
	if (path != NULL && file == NULL)
		abort();
	/* Lines are written at once, so that a killed program has them all, and
	 * a child repeats none. */
	if (file != NULL)
		(void)setvbuf(file, NULL, _IOLBF, BUFSIZ);
}

void truth_tell(const char *format, ...)
{
	va_list values;

	(void)pthread_once(&once, open_file);
	if (file == NULL || writer != getpid())
		return;
	(void)pthread_mutex_lock(&lock);
	va_start(values, format);
	(void)vfprintf(file, format, values);
	va_end(values);
	(void)putc('\n', file);
	(void)pthread_mutex_unlock(&lock);
}

void truth_range(const char *name, int64_t instance)
{
	range_name = name;
	range_instance = instance;
}

const char *truth_range_name(void)
{
	return range_name;
}

static void text_of_triple(char *text, size_t size, const int32_t *values)
{
	(void)snprintf(text, size, "[%" PRId32 ",%" PRId32 ",%" PRId32 "]",
		values[0], values[1], values[2]);
}

/* The members that only some kinds have; each begins with a comma. */
static void text_of_details(
	char *text, size_t size, const struct fake_activity *activity)
{
	const struct fake_kernel *kernel = activity->kernel;
	char grid[48], block[48], cluster[48];

	*text = '\0';
	if (kernel != NULL) {
		text_of_triple(grid, sizeof(grid), kernel->grid);
		text_of_triple(block, sizeof(block), kernel->block);
		text_of_triple(cluster, sizeof(cluster), kernel->cluster);
		(void)snprintf(text, size,
			",\"name\":\"%s\",\"grid\":%s,\"block\":%s,"
			"\"cluster\":%s,\"registers\":%u,\"static\":%d,"
			"\"dynamic\":%d",
			kernel->name, grid, block, cluster, kernel->registers,
			kernel->static_shared, kernel->dynamic_shared);
	} else if (activity->copy != NULL) {
		(void)snprintf(text, size, ",\"copy\":[%u,%u,%u],\"async\":%s",
			activity->copy->kind, activity->copy->source,
			activity->copy->target,
			activity->copy->async ? "true" : "false");
	}
}

void truth_activity(const struct fake_activity *activity, bool recorded,
	const char *captured)
{
	static const char *const troubles[] = {
		"fine", "zero", "backward", "unfinished", "orphan"};
	char details[512];

	text_of_details(details, sizeof(details), activity);
	truth_tell("{\"what\":\"activity\",\"kind\":%d,\"trouble\":\"%s\","
		   "\"recorded\":%s,\"prompt\":%s,\"start\":%" PRId64
		   ",\"dur\":%" PRId64 ",\"device\":%" PRIu32
		   ",\"context\":%" PRIu32 ",\"stream\":%" PRIu32
		   ",\"correlation\":%" PRIu32 ",\"node\":%" PRIu64
		   ",\"graph\":%" PRIu32 ",\"bytes\":%" PRIu64
		   ",\"value\":%" PRIu32 ",\"cbid\":%" PRIu32
		   ",\"thread\":%ld,\"range\":\"%s\",\"instance\":%" PRId64
		   ",\"captured\":\"%s\"%s}",
		(int)activity->kind, troubles[activity->trouble],
		recorded ? "true" : "false",
		activity->prompt ? "true" : "false", activity->start_ns,
		activity->end_ns - activity->start_ns, activity->device,
		activity->context, activity->stream, activity->correlation,
		activity->node, activity->graph, activity->bytes,
		activity->value, activity->cbid, syscall(SYS_gettid),
		range_name, range_instance, captured == NULL ? "" : captured,
		details);
}
