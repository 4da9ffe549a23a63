/* SPDX-License-Identifier: MIT */
#include "cupti_truth.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 65536
#define NONE UINT32_MAX

static int64_t number_of(const json_t *line, const char *key)
{
	return json_integer_value(json_object_get(line, key));
}

static void read_text(
	const json_t *line, const char *key, char *text, size_t size)
{
	const char *value = json_string_value(json_object_get(line, key));

	(void)snprintf(text, size, "%s", value == NULL ? "" : value);
}

static void read_triple(const json_t *line, const char *key, int *values)
{
	const json_t *array = json_object_get(line, key);

	for (size_t i = 0; i < 3; i++)
		values[i] = (int)json_integer_value(json_array_get(array, i));
}

static void read_activity(const json_t *line, struct truth_activity *activity)
{
	*activity = (struct truth_activity){
		.kind = (int)number_of(line, "kind"),
		.instance = number_of(line, "instance"),
		.recorded = json_is_true(json_object_get(line, "recorded")),
		.prompt = json_is_true(json_object_get(line, "prompt")),
		.dur_ns = number_of(line, "dur"),
		.device = number_of(line, "device"),
		.context = number_of(line, "context"),
		.stream = number_of(line, "stream"),
		.correlation = number_of(line, "correlation"),
		.node = number_of(line, "node"),
		.graph = number_of(line, "graph"),
		.bytes = number_of(line, "bytes"),
		.value = number_of(line, "value"),
		.cbid = number_of(line, "cbid"),
		.thread = number_of(line, "thread"),
		.registers = (int)number_of(line, "registers"),
		.static_shared = (int)number_of(line, "static"),
		.dynamic_shared = (int)number_of(line, "dynamic"),
	};
	read_text(
		line, "trouble", activity->trouble, sizeof(activity->trouble));
	read_text(line, "name", activity->name, sizeof(activity->name));
	read_text(line, "range", activity->range, sizeof(activity->range));
	read_text(line, "captured", activity->captured,
		sizeof(activity->captured));
	read_triple(line, "grid", activity->grid);
	read_triple(line, "block", activity->block);
	read_triple(line, "cluster", activity->cluster);
}

static bool add(struct truth *truth, const json_t *line)
{
	struct truth_activity *grown;
	uint32_t *bucket;

	/* Doubles whenever it is a power of two. */
	if ((truth->count & (truth->count - 1)) == 0) {
		grown = realloc(truth->activities,
			(truth->count == 0 ? 1 : 2 * (size_t)truth->count) *
				sizeof(*grown));
		if (grown == NULL)
			return false;
		truth->activities = grown;
	}
	read_activity(line, &truth->activities[truth->count]);
	bucket = &truth->buckets[truth->activities[truth->count].correlation %
				 BUCKETS];
	truth->activities[truth->count].next = *bucket;
	*bucket = truth->count++;
	return true;
}

static bool read_line(const char *text, struct truth *truth)
{
	json_t *line = json_loads(text, 0, NULL);
	const char *what = json_string_value(json_object_get(line, "what"));
	bool done = what != NULL;

	if (!done)
		fprintf(stderr, "truth: %s", text);
	else if (strcmp(what, "activity") == 0)
		done = add(truth, line);
	else if (strcmp(what, "dropped") == 0)
		truth->dropped++;
	else if (strcmp(what, "unknown") == 0)
		truth->unknown++;
	else if (strcmp(what, "unfinished") == 0)
		truth->unfinished++;
	json_decref(line);
	return done;
}

bool truth_read(const char *path, struct truth *truth)
{
	FILE *file = fopen(path, "r");
	char text[2048];
	bool done = file != NULL;

	*truth = (struct truth){.buckets = malloc(BUCKETS * sizeof(uint32_t))};
	if (!done || truth->buckets == NULL) {
		perror(path);
		done = false;
	}
	for (uint32_t i = 0; done && i < BUCKETS; i++)
		truth->buckets[i] = NONE;
	while (done && fgets(text, sizeof(text), file) != NULL)
		done = read_line(text, truth);
	if (file != NULL)
		(void)fclose(file);
	return done;
}

void truth_clear(struct truth *truth)
{
	free(truth->activities);
	free(truth->buckets);
}

struct truth_activity *truth_find(const struct truth *truth,
	int64_t correlation, const struct truth_activity *last)
{
	uint32_t i = last == NULL ? truth->buckets[correlation % BUCKETS]
				  : last->next;

	while (i != NONE && truth->activities[i].correlation != correlation)
		i = truth->activities[i].next;
	return i == NONE ? NULL : &truth->activities[i];
}

bool truth_is_kind(const char *category, int kind)
{
	static const struct {
		const char *category;
		int kinds[2];
	} table[] = {{"kernel", {3, 10}}, {"gpu_memcpy", {1, 22}},
		{"gpu_memset", {2, 2}}, {"cuda_sync", {38, 38}},
		{"cuda_driver", {4, 4}}, {"cuda_runtime", {5, 5}},
		{"overhead", {17, 17}}, {"cuda_graph", {51, 51}}};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (strcmp(table[i].category, category) == 0)
			return kind == table[i].kinds[0] ||
			       kind == table[i].kinds[1];
	return false;
}
