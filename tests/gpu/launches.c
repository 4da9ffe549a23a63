/* SPDX-License-Identifier: MIT */
/*
 * launches [graph]: the cost of a launch for its thread. Prints the nanoseconds
 * per launch of each block of launches, one per line; with `graph`, per launch
 * of a graph of 100 kernels.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "driver.h"

#define BLOCKS 25
#define LAUNCHES 40000
#define SYNC_EVERY 1000
#define GRAPH_NODES 100
#define GRAPH_LAUNCHES 400
#define GRAPH_SYNC_EVERY 20

static struct driver_kernels kernels;
static driver_stream stream;
static driver_graph_exec graph;

static double now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void launch_kernel(void)
{
	MUST(driver.launch(
		kernels.empty, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
}

static void launch_graph(void)
{
	MUST(driver.graph_launch(graph, stream));
}

static void make_graph(void)
{
	driver_graph captured;

	MUST(driver.capture_begin(stream, DRIVER_CAPTURE_THREAD_LOCAL));
	for (int i = 0; i < GRAPH_NODES; i++)
		launch_kernel();
	MUST(driver.capture_end(stream, &captured));
	MUST(driver.graph_instantiate(&graph, captured, 0));
}

/* The time of the launches alone: waits for the device are between them. */
static double measure(void (*launch)(void), int count, int sync_every)
{
	double spent_ns = 0;

	for (int i = 0; i < count; i += sync_every) {
		double before_ns = now_ns();

		for (int k = 0; k < sync_every; k++)
			launch();
		spent_ns += now_ns() - before_ns;
		MUST(driver.stream_synchronize(stream));
	}
	return spent_ns / count;
}

int main(int argc, char **argv)
{
	bool graphs = argc > 1 && strcmp(argv[1], "graph") == 0;
	const char *reason = driver_open();

	if (reason != NULL) {
		(void)fprintf(stderr, "%s\n", reason);
		return 77;
	}
	driver_begin(&kernels);
	MUST(driver.stream_create(&stream, DRIVER_STREAM_NON_BLOCKING));
	if (graphs)
		make_graph();
	for (int i = 0; i <= BLOCKS; i++) {
		double ns =
			graphs ? measure(launch_graph, GRAPH_LAUNCHES,
					 GRAPH_SYNC_EVERY)
			       : measure(launch_kernel, LAUNCHES, SYNC_EVERY);

		if (i > 0) /* the first is a warm-up */
			(void)printf("%.1f\n", ns);
	}
	return 0;
}
