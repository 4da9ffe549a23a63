/* SPDX-License-Identifier: MIT */
/* Rules about memory over time. Allocators that keep what is freed, which have
 * a reserved size, make it cheap to allocate again. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/quantity.h"
#include "findings/finding_rules.h"
#include "trace/trace.h"

#define STEPS 4u /* fewer show no pattern */
#define STEPS_PERCENT 90
#define AGAIN_PERCENT 25
/* Source: mallopt(3), M_MMAP_THRESHOLD: larger blocks go back to the system,
 * and their pages have to be cleared again. */
#define AGAIN_BYTES (128 * 1024)
#define GROWTH_PERCENT 20

#define POOL_NAME 48

static bool is_most(uint32_t steps, uint32_t all)
{
	return steps >= STEPS &&
	       (uint64_t)steps * 100 >= (uint64_t)all * STEPS_PERCENT;
}

/* "the host", "GPU 0". Returns `text`. */
static const char *pool_name(
	char text[POOL_NAME], const struct allocations_pool *pool)
{
	const char *type = trace_device_type_name(pool->type);

	if (pool->type == TRACE_DEVICE_CPU)
		return "the host";
	(void)snprintf(text, POOL_NAME, "%s %" PRId64,
		pool->type == TRACE_DEVICE_CUDA ? "GPU"
		: type == NULL                  ? "device"
						: type,
		pool->number);
	return text;
}

static uint64_t bytes_per_step(const struct allocations_group *group)
{
	return quantity_mean((uint64_t)group->step_bytes, group->steps);
}

/* Whether it allocates and frees large blocks in nearly every step. */
static bool is_again(const struct allocations_group *group,
	const struct allocations_pool *pool)
{
	return !pool->has_reserved && group->step_count != 0 &&
	       is_most(group->steps, pool->steps) &&
	       (uint64_t)group->step_bytes / group->step_count >= AGAIN_BYTES;
}

bool finding_allocated_again(
	struct finding *finding, const struct findings_facts *facts)
{
	const struct allocations_group *most = NULL;
	const struct allocations_group *groups;
	const struct allocations_pool *pools;
	struct allocations_path path;
	char bytes[2][QUANTITY_TEXT];
	char percent[FINDING_PERCENT];
	char name[FINDING_NAME];
	char pool[POOL_NAME];
	uint32_t count;

	if (facts->allocations == NULL)
		return false;
	pools = allocations_pools(facts->allocations, &count);
	groups = allocations_groups(facts->allocations, &count);
	for (uint32_t i = 0; i < count; i++)
		if (is_again(&groups[i], &pools[groups[i].pool]) &&
			(most == NULL || bytes_per_step(&groups[i]) >
						 bytes_per_step(most)))
			most = &groups[i];
	if (most == NULL)
		return false;
	pools += most->pool;
	if (!finding_set_share(finding, bytes_per_step(most),
		    (uint64_t)pools->peak.bytes, AGAIN_PERCENT))
		return false;
	path = allocations_path(facts->allocations, most->path);
	finding_set_text(finding,
		"%s allocates and frees %s in each of %" PRIu32
		" steps, %s of the peak of %s, %s.",
		path.count == 0
			? "Code outside of any range"
			: finding_name(name,
				  trace_site_name(facts->trace, path.sites[0])),
		quantity_bytes(bytes[0], bytes_per_step(most)), most->steps,
		finding_percent(percent, finding->share_ppm),
		pool_name(pool, pools),
		quantity_bytes(bytes[1], (uint64_t)pools->peak.bytes));
	return true;
}

bool finding_memory_growth(
	struct finding *finding, const struct findings_facts *facts)
{
	const struct allocations_pool *most = NULL;
	const struct allocations_pool *pools;
	char percent[FINDING_PERCENT];
	char bytes[QUANTITY_TEXT];
	char pool[POOL_NAME];
	uint32_t count;

	if (facts->allocations == NULL)
		return false;
	pools = allocations_pools(facts->allocations, &count);
	for (uint32_t i = 0; i < count; i++)
		if (pools[i].steps > 2 &&
			is_most(pools[i].growths, pools[i].steps - 2) &&
			(most == NULL ||
				pools[i].grown_bytes > most->grown_bytes))
			most = &pools[i];
	if (most == NULL || most->grown_bytes <= 0 ||
		!finding_set_share(finding, (uint64_t)most->grown_bytes,
			(uint64_t)most->peak.bytes, GROWTH_PERCENT))
		return false;
	finding_set_text(finding,
		"The memory in use of %s grows in %" PRIu32 " of %" PRIu32
		" steps, by %s in all, %s of its peak.",
		pool_name(pool, most), most->growths, most->steps - 2,
		quantity_bytes(bytes, (uint64_t)most->grown_bytes),
		finding_percent(percent, finding->share_ppm));
	return true;
}
