/* SPDX-License-Identifier: MIT */
#include "digest/digest_series.h"

#include <math.h>

#include "base/memory.h"

void series_table_clear(struct series_table *table)
{
	for (uint32_t i = 0; i < table->count; i++)
		memory_free(table->items[i].points);
	*table = (struct series_table){0};
}

/* NULL if out of memory, or with `omitted` if the table is full. */
static struct series *find(
	struct series_table *table, const struct series *key, bool *omitted)
{
	struct series *series;

	for (uint32_t i = 0; i < table->count; i++) {
		series = &table->items[i];
		if (series->name == key->name && series->key == key->key &&
			series->pid == key->pid &&
			series->device == key->device)
			return series;
	}
	*omitted = table->count == SERIES_MAX;
	if (*omitted)
		return NULL;
	series = &table->items[table->count];
	*series = *key;
	series->every = 1;
	series->points = memory_resize_array(
		NULL, SERIES_POINTS, sizeof(*series->points));
	if (series->points == NULL)
		return NULL;
	table->count++;
	return series;
}

static void merge_neighbours(struct series *series)
{
	for (uint32_t i = 0; i < SERIES_POINTS / 2; i++) {
		const struct series_point *pair = &series->points[2 * i];

		series->points[i] = (struct series_point){pair[0].time_ns,
			pair[1].value > pair[0].value ? pair[1].value
						      : pair[0].value};
	}
	series->count = SERIES_POINTS / 2;
	series->every *= 2;
	series->filled = series->every;
}

static void add_point(struct series *series, int64_t time_ns)
{
	struct series_point *last;

	if (series->count > 0 && series->filled < series->every) {
		last = &series->points[series->count - 1];
		if (series->value > last->value)
			last->value = series->value;
		series->filled++;
		return;
	}
	if (series->count == SERIES_POINTS)
		merge_neighbours(series);
	series->points[series->count++] =
		(struct series_point){time_ns, series->value};
	series->filled = 1;
}

static bool read_value(const struct event *event, double *value)
{
	if (event->arg_count == 0)
		return false;
	if (event->args[0].kind == ARG_INT)
		*value = (double)event->args[0].value.integer;
	else if (event->args[0].kind == ARG_FLOAT)
		*value = event->args[0].value.real;
	else
		return false;
	return isfinite(*value);
}

bool series_table_add(struct series_table *table, const struct trace *trace,
	const struct event *event)
{
	struct series key = {
		.pid = trace->tracks[event->track].pid, .track = event->track};
	struct series *series;
	bool omitted = false;
	double value = 0;

	if (event->kind == EVENT_COUNTER) {
		if (!read_value(event, &value))
			return true;
		key.name = trace->sites[event->site].name;
		key.key = event->args[0].key;
	} else if (event->kind == EVENT_ALLOC || event->kind == EVENT_FREE) {
		key.device = event->device;
	} else {
		return true;
	}
	series = find(table, &key, &omitted);
	table->omitted += omitted;
	if (series == NULL)
		return omitted;
	if (event->kind == EVENT_COUNTER)
		series->value = value;
	else if (event->kind == EVENT_ALLOC)
		series->value += (double)event->bytes;
	else
		series->value -= (double)event->bytes;
	add_point(series, event->time_ns);
	return true;
}
