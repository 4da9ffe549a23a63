/* SPDX-License-Identifier: MIT */
#include "cupti/cupti_graph.h"

#include <pthread.h>

#include "cupti/cupti_table.h"

/* Most nodes distinguished: 16 MiB. */
#define NODES_MAX ((size_t)1 << 20)

/* CUPTI is not called while the lock is held. */
static struct {
	pthread_mutex_t lock;
	struct cupti_table captured; /* by node */
	uint64_t left_out;
} graph = {.lock = PTHREAD_MUTEX_INITIALIZER, .captured = CUPTI_TABLE_INIT(1)};

static void set(uint64_t node, uint64_t captured)
{
	if (captured == 0)
		return;
	if (graph.captured.used >= NODES_MAX ||
		!cupti_table_set(&graph.captured, &node, captured))
		graph.left_out++;
}

void cupti_graph_created(uint64_t node)
{
	(void)pthread_mutex_lock(&graph.lock);
	set(node, node);
	(void)pthread_mutex_unlock(&graph.lock);
}

void cupti_graph_cloned(uint64_t node, uint64_t original)
{
	(void)pthread_mutex_lock(&graph.lock);
	set(node, cupti_table_find(&graph.captured, &original));
	(void)pthread_mutex_unlock(&graph.lock);
}

uint64_t cupti_graph_captured(uint64_t node)
{
	uint64_t captured;

	(void)pthread_mutex_lock(&graph.lock);
	captured = cupti_table_find(&graph.captured, &node);
	(void)pthread_mutex_unlock(&graph.lock);
	return captured;
}

uint64_t cupti_graph_left_out(void)
{
	uint64_t left_out;

	(void)pthread_mutex_lock(&graph.lock);
	left_out = graph.left_out;
	(void)pthread_mutex_unlock(&graph.lock);
	return left_out;
}
