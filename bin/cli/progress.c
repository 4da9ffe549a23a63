/* SPDX-License-Identifier: MIT */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "cli/quantity.h"

#define SECOND INT64_C(1000000000)
#define SHOW_EVERY_NS (SECOND / 10)

static int64_t now_ns(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return now.tv_sec * SECOND + now.tv_nsec;
}

void progress_start(struct progress *progress, enum when when, const char *unit,
	uint64_t total)
{
	*progress =
		(struct progress){.unit = unit, .total = total, .when = when};
	progress->on = when == WHEN_ALWAYS ||
		       (when == WHEN_AUTO && isatty(STDERR_FILENO));
	if (progress->on)
		progress->start_ns = now_ns();
}

static void print_line(struct progress *progress, uint64_t position)
{
	char done[QUANTITY_TEXT];
	char total[QUANTITY_TEXT];

	if (progress->unit == NULL) {
		(void)quantity_bytes(done, position);
		(void)quantity_bytes(total, progress->total);
	} else {
		(void)snprintf(done, sizeof(done), "%" PRIu64, position);
		(void)snprintf(total, sizeof(total), "%" PRIu64 " %.16s",
			progress->total, progress->unit);
	}
	if (progress->total == 0) {
		fprintf(stderr, "\r\033[Kctprof: %s", done);
	} else {
		if (position > progress->total) /* the input has grown */
			position = progress->total;
		fprintf(stderr, "\r\033[Kctprof: %s of %s, %" PRIu64 " %%",
			done, total, position * 100 / progress->total);
	}
	progress->visible = true;
}

void progress_update(struct progress *progress, uint64_t position)
{
	int64_t now;

	if (!progress->on)
		return;
	now = now_ns();
	if (progress->when == WHEN_AUTO && now - progress->start_ns < SECOND)
		return;
	if (progress->shown_ns != 0 && now - progress->shown_ns < SHOW_EVERY_NS)
		return;
	progress->shown_ns = now;
	print_line(progress, position);
}

void progress_show_source(void *user)
{
	struct progress *progress = user;
	const struct event_source *source = progress->source;

	if (source != NULL)
		progress_update(progress, source->position(source));
}

void progress_set_source(
	struct progress *progress, const struct event_source *source)
{
	if (progress->on)
		progress->source = source;
}

void progress_hide(struct progress *progress)
{
	progress->source = NULL;
	if (progress->visible)
		fputs("\r\033[K", stderr);
	progress->visible = false;
}
