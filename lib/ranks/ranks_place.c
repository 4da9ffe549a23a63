/* SPDX-License-Identifier: MIT */
#include "ranks/ranks_input.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The file of PyTorch's handler for TensorBoard is
 * "HOST_PID.TIME.pt.trace.json". Source: torch/profiler/profiler.py. */
#define TORCH_SUFFIX ".pt.trace.json"

#define WORLD_KEY "\"world_size\""

/* Kineto: {"backend": "nccl", "rank": 3, "world_size": 8, ...} */
static uint64_t recorded_world(const char *at)
{
	at = at == NULL ? NULL : strstr(at, WORLD_KEY);
	if (at == NULL)
		return 0;
	at += sizeof(WORLD_KEY) - 1;
	at += strspn(at, " \t\r\n:");
	return isdigit((unsigned char)*at) ? strtoull(at, NULL, 10) : 0;
}

/* The end of the number here; NULL without a digit. */
static const char *skip_number(const char *at)
{
	size_t digits = strspn(at, "0123456789");

	return digits == 0 ? NULL : at + digits;
}

/* Copies the host in the name of a file of PyTorch, if it has one. */
static void host_in_name(const char *path, char host[RANKS_HOST])
{
	const char *slash = strrchr(path, '/');
	const char *base = slash == NULL ? path : slash + 1;
	const char *end = strstr(base, TORCH_SUFFIX);
	const char *at;

	/* "worker0_step_12.1694128201545.pt.trace.json" has no host. */
	if (strncasecmp(base, "rank", 4) == 0 ||
		strncasecmp(base, "worker", 6) == 0)
		return;
	for (at = base; end != NULL && at < end; at++) {
		const char *rest = *at == '_' ? skip_number(at + 1) : NULL;

		if (rest != NULL && *rest == '.' &&
			skip_number(rest + 1) == end)
			break;
	}
	if (end == NULL || at >= end || at - base >= RANKS_HOST)
		return;
	memcpy(host, base, (size_t)(at - base));
	host[at - base] = '\0';
}

/* A fact of a rank of a merged timeline. */
static const char *find_member_fact(
	const struct trace *trace, int64_t rank, const char *key)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "rank %" PRId64 " %s", rank, key);
	return trace_find_fact(trace, text);
}

void ranks_place_of_member(struct ranks_place *place,
	const struct ranks_place *whole, int64_t rank,
	const struct trace *trace)
{
	const char *host = find_member_fact(trace, rank, "host");

	*place = (struct ranks_place){.rank = rank,
		.world = recorded_world(
			find_member_fact(trace, rank, TRACE_DISTRIBUTED)),
		.input = whole->input};
	if (host != NULL && strlen(host) < sizeof(place->host))
		memcpy(place->host, host, strlen(host) + 1);
}

void ranks_place_find(struct ranks_place *place, const char *path, int64_t rank,
	const struct trace *trace)
{
	const char *host = trace_find_fact(trace, "host");

	*place = (struct ranks_place){.rank = rank,
		.world = recorded_world(
			trace_find_fact(trace, TRACE_DISTRIBUTED)),
		.input = path};
	if (host == NULL)
		host_in_name(path, place->host);
	else if (strlen(host) < sizeof(place->host))
		memcpy(place->host, host, strlen(host) + 1);
}
