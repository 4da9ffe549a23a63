/* SPDX-License-Identifier: MIT */
#include "transform/range_locator.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/event.h"
#include "base/memory.h"

enum site_match { UNKNOWN, FITS, DIFFERS };

/* The outermost matching range of a track, and the track's step. */
struct range_locator_track {
	uint32_t depth;
	uint32_t open_depth; /* depth of that range; 0: none is open */
	int64_t begin_ns;
	bool in_step;
	int64_t step_ns;
};

static bool fits(const struct range_locator *locator, uint32_t site)
{
	const char *name = trace_site_name(locator->trace, site);
	char step[64];

	if (locator->name != NULL)
		return strcmp(name, locator->name) == 0 ||
		       fnmatch(locator->name, name, 0) == 0;
	(void)snprintf(
		step, sizeof(step), "ProfilerStep#%" PRIu64, locator->step);
	return strcmp(name, step) == 0;
}

/* False if out of memory. */
static bool has_name(struct range_locator *locator, uint32_t site, bool *is)
{
	*is = false;
	if (site >= locator->trace->site_count)
		return true;
	if (!array_ensure_index(&locator->sites, site, &locator->site_room, 1))
		return false;
	if (locator->sites[site] == UNKNOWN)
		locator->sites[site] = fits(locator, site) ? FITS : DIFFERS;
	*is = locator->sites[site] == FITS;
	return true;
}

static struct range_locator_track *find_track(
	struct range_locator *locator, uint32_t number)
{
	return array_ensure_index(&locator->tracks, number,
		       &locator->track_room, sizeof(*locator->tracks))
		       ? &locator->tracks[number]
		       : NULL;
}

static void record(
	struct range_locator *locator, int64_t from_ns, int64_t until_ns)
{
	if (locator->found && (from_ns > locator->from_ns ||
				      (from_ns == locator->from_ns &&
					      until_ns <= locator->until_ns)))
		return;
	locator->found = true;
	locator->from_ns = from_ns;
	locator->until_ns = until_ns;
}

static void observe_step(struct range_locator *locator,
	struct range_locator_track *track, const struct event *event)
{
	if (locator->name != NULL)
		return;
	if (track->in_step)
		record(locator, track->step_ns, event->time_ns);
	track->in_step = event->id == locator->step;
	track->step_ns = event->time_ns;
}

static void observe_end(struct range_locator *locator,
	struct range_locator_track *track, const struct event *event)
{
	if (track->depth == 0)
		return;
	if (track->depth == track->open_depth) {
		record(locator, track->begin_ns, event_end(event));
		track->open_depth = 0;
	}
	track->depth--;
}

static void observe_begin(
	struct range_locator_track *track, const struct event *event, bool is)
{
	track->depth++;
	if (!is || track->open_depth != 0)
		return;
	track->open_depth = track->depth;
	track->begin_ns = event->time_ns;
}

/* Device activities of that name count, too; they start later than their
 * launch. */
bool range_locator_add(struct range_locator *locator, const struct event *event)
{
	struct range_locator_track *track = find_track(locator, event->track);
	bool is;

	if (track == NULL || !has_name(locator, event->site, &is))
		return false;
	switch (event->kind) {
	case EVENT_BEGIN:
		observe_begin(track, event, is);
		break;
	case EVENT_END:
		observe_end(locator, track, event);
		break;
	case EVENT_COMPLETE:
	case EVENT_UNCLIPPED_CALL:
	case EVENT_ACTIVITY:
		if (is)
			record(locator, event->time_ns, event_end(event));
		break;
	case EVENT_STEP:
		observe_step(locator, track, event);
		break;
	default:
		break;
	}
	return true;
}

void range_locator_finish(struct range_locator *locator)
{
	for (uint32_t i = 0; i < locator->track_room; i++) {
		const struct range_locator_track *track = &locator->tracks[i];
		if (track->open_depth != 0)
			record(locator, track->begin_ns,
				trace_track_end(locator->trace, i));
		if (track->in_step)
			record(locator, track->step_ns,
				trace_track_end(locator->trace, i));
	}
}

void range_locator_clear(struct range_locator *locator)
{
	memory_free(locator->tracks);
	memory_free(locator->sites);
	locator->tracks = NULL;
	locator->sites = NULL;
}
