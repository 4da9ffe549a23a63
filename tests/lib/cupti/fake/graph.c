/* SPDX-License-Identifier: MIT */
#include "graph.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "truth.h"

#define GRAPHS 16
#define NAMES 256
#define NAME_BYTES 256

static struct graph graphs[GRAPHS];
static _Atomic uint32_t graph_count;
static _Atomic uint64_t node_ids;
static _Thread_local struct graph *capturing;

static char names[NAMES][NAME_BYTES];
static uint32_t name_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void graph_begin(void)
{
	uint32_t number = atomic_fetch_add(&graph_count, 1);

	if (number >= GRAPHS)
		abort();
	capturing = &graphs[number];
}

bool graph_add(
	const struct fake_tool *tool, const struct fake_activity *activity)
{
	struct graph_node *node;
	struct fake_node told;

	if (capturing == NULL)
		return false;
	node = realloc(capturing->nodes,
		(capturing->count + 1) * sizeof(*capturing->nodes));
	if (node == NULL)
		abort();
	capturing->nodes = node;
	node += capturing->count++;
	*node = (struct graph_node){.activity = *activity};
	if (activity->kernel != NULL)
		node->kernel = *activity->kernel;
	if (activity->copy != NULL)
		node->copy = *activity->copy;
	node->activity.node = atomic_fetch_add(&node_ids, 1) + 1;
	node->activity.graph = (uint32_t)(capturing - graphs) + 1;
	(void)snprintf(node->captured, sizeof(node->captured), "%s",
		truth_range_name());
	told = (struct fake_node){.id = node->activity.node};
	if (tool != NULL)
		tool->resource(FAKE_GRAPHNODE_CREATED, &told);
	return true;
}

uint32_t graph_end(const struct fake_tool *tool)
{
	struct graph *graph = capturing;

	capturing = NULL;
	for (uint32_t i = 0; i < graph->count; i++) {
		struct graph_node *node = &graph->nodes[i];
		struct fake_node clone = {
			.id = atomic_fetch_add(&node_ids, 1) + 1,
			.original = node->activity.node,
		};

		node->activity.node = clone.id;
		if (node->activity.kernel != NULL)
			node->activity.kernel = &node->kernel;
		if (node->activity.copy != NULL)
			node->activity.copy = &node->copy;
		if (tool != NULL)
			tool->resource(FAKE_GRAPHNODE_CLONED, &clone);
	}
	return (uint32_t)(graph - graphs) + 1;
}

const struct graph *graph_find(uint32_t number)
{
	return &graphs[number - 1];
}

const char *graph_name(const char *name)
{
	const char *found = NULL;

	(void)pthread_mutex_lock(&lock);
	for (uint32_t i = 0; i < name_count && found == NULL; i++)
		if (strcmp(names[i], name) == 0)
			found = names[i];
	if (found == NULL) {
		if (name_count == NAMES || strlen(name) >= NAME_BYTES)
			abort();
		found = strcpy(names[name_count++], name);
	}
	(void)pthread_mutex_unlock(&lock);
	return found;
}

void graph_forget_names(void)
{
	(void)pthread_mutex_lock(&lock);
	name_count = 0;
	(void)pthread_mutex_unlock(&lock);
}
