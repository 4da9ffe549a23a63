/* SPDX-License-Identifier: MIT */
#include "transform/moment.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "trace/event_copy.h"
#include "base/memory.h"

enum verdict { UNKNOWN, FITS, DIFFERS };

/* Of the ranges of a track the outermost that fits, and its step. */
struct moment_track {
	uint32_t depth;
	uint32_t open_depth; /* of that range; 0: none is open */
	int64_t begin_ns;
	bool in_step;
	int64_t step_ns;
};

static bool fits(const struct moment *moment, uint32_t site)
{
	const char *name = trace_site_name(moment->trace, site);
	char step[64];

	if (moment->name != NULL)
		return strcmp(name, moment->name) == 0 ||
		       fnmatch(moment->name, name, 0) == 0;
	(void)snprintf(
		step, sizeof(step), "ProfilerStep#%" PRIu64, moment->step);
	return strcmp(name, step) == 0;
}

/* False if out of memory. */
static bool has_name(struct moment *moment, uint32_t site, bool *is)
{
	*is = false;
	if (site >= moment->trace->site_count)
		return true;
	if (!memory_reach(&moment->sites, site, &moment->site_room, 1))
		return false;
	if (moment->sites[site] == UNKNOWN)
		moment->sites[site] = fits(moment, site) ? FITS : DIFFERS;
	*is = moment->sites[site] == FITS;
	return true;
}

static struct moment_track *find_track(struct moment *moment, uint32_t number)
{
	return memory_reach(&moment->tracks, number, &moment->track_room,
		       sizeof(*moment->tracks))
		       ? &moment->tracks[number]
		       : NULL;
}

static void note(struct moment *moment, int64_t from_ns, int64_t until_ns)
{
	if (moment->found && (from_ns > moment->from_ns ||
				     (from_ns == moment->from_ns &&
					     until_ns <= moment->until_ns)))
		return;
	moment->found = true;
	moment->from_ns = from_ns;
	moment->until_ns = until_ns;
}

static void see_step(struct moment *moment, struct moment_track *track,
	const struct event *event)
{
	if (moment->name != NULL)
		return;
	if (track->in_step)
		note(moment, track->step_ns, event->time_ns);
	track->in_step = event->id == moment->step;
	track->step_ns = event->time_ns;
}

static void see_end(struct moment *moment, struct moment_track *track,
	const struct event *event)
{
	if (track->depth == 0)
		return;
	if (track->depth == track->open_depth) {
		note(moment, track->begin_ns, event_end(event));
		track->open_depth = 0;
	}
	track->depth--;
}

static void see_begin(
	struct moment_track *track, const struct event *event, bool is)
{
	track->depth++;
	if (!is || track->open_depth != 0)
		return;
	track->open_depth = track->depth;
	track->begin_ns = event->time_ns;
}

/* What devices did under that name comes later than what asked for it. */
bool moment_see(struct moment *moment, const struct event *event)
{
	struct moment_track *track = find_track(moment, event->track);
	bool is;

	if (track == NULL || !has_name(moment, event->site, &is))
		return false;
	switch (event->kind) {
	case EVENT_BEGIN:
		see_begin(track, event, is);
		break;
	case EVENT_END:
		see_end(moment, track, event);
		break;
	case EVENT_COMPLETE:
	case EVENT_WHOLE:
	case EVENT_ACTIVITY:
		if (is)
			note(moment, event->time_ns, event_end(event));
		break;
	case EVENT_STEP:
		see_step(moment, track, event);
		break;
	default:
		break;
	}
	return true;
}

void moment_finish(struct moment *moment)
{
	for (uint32_t i = 0; i < moment->track_room; i++) {
		const struct moment_track *track = &moment->tracks[i];
		if (track->open_depth != 0)
			note(moment, track->begin_ns,
				trace_track_end(moment->trace, i));
		if (track->in_step)
			note(moment, track->step_ns,
				trace_track_end(moment->trace, i));
	}
}

void moment_clear(struct moment *moment)
{
	memory_free(moment->tracks);
	memory_free(moment->sites);
	moment->tracks = NULL;
	moment->sites = NULL;
}
