/* SPDX-License-Identifier: MIT */
#include "ranks/ranks_merged.h"

#include <stdlib.h>
#include <string.h>

#include "base/index.h"
#include "base/memory.h"
#include "base/stable_hash.h"
#include "profile/replay.h"

/* The member that a track belongs to. */
enum { MEMBER_UNKNOWN, MEMBER_NONE, MEMBER_FIRST };

struct ranks_merged {
	struct trace *trace;
	const struct phase_sets *phases;
	struct ranks_member *members;
	uint32_t count;
	uint32_t room;
	struct index index; /* of the members, by rank */
	uint32_t *tracks;   /* number of the member + MEMBER_FIRST */
	uint32_t track_room;
	uint64_t losses[LOSS_KINDS]; /* counted elsewhere, too */
	bool is_one;                 /* it is not a merged timeline */
	bool are_many;               /* too many to have analyses */
};

struct ranks_merged *ranks_merged_new(
	struct trace *trace, const struct phase_sets *phases)
{
	struct ranks_merged *merged = memory_new_zeroed(1, sizeof(*merged));

	if (merged == NULL)
		return NULL;
	merged->trace = trace;
	merged->phases = phases;
	return merged;
}

static void clear_members(struct ranks_merged *merged)
{
	for (uint32_t i = 0; i < merged->count; i++) {
		phases_free(merged->members[i].phases);
		profile_free(merged->members[i].profile);
		replay_free(merged->members[i].replay);
	}
	memory_free(merged->members);
	memory_free(merged->index.entries);
	merged->index = (struct index){.size = 0};
	merged->members = NULL;
	merged->count = 0;
	merged->room = 0;
}

void ranks_merged_free(struct ranks_merged *merged)
{
	if (merged == NULL)
		return;
	clear_members(merged);
	memory_free(merged->tracks);
	memory_free(merged);
}

/* "rank 3" or "rank 3: python" */
static bool find_rank(const char *name, int64_t *rank)
{
	size_t digits;

	if (strncmp(name, "rank ", 5) != 0)
		return false;
	digits = strspn(name + 5, "0123456789");
	if (digits == 0 || digits > 9 ||
		(name[5 + digits] != '\0' && name[5 + digits] != ':'))
		return false;
	*rank = strtol(name + 5, NULL, 10);
	return true;
}

/* False if out of memory. */
static bool begin_analyses(
	struct ranks_merged *merged, struct ranks_member *member)
{
	if (merged->phases != NULL)
		member->phases = phases_new(merged->trace, merged->phases);
	member->replay = replay_new(
		merged->trace, (struct replay_options){.no_edges = true,
				       .losses = merged->losses});
	return member->replay != NULL &&
	       (merged->phases == NULL || member->phases != NULL);
}

/* The number of the member with this rank; UINT32_MAX if out of memory. A new
 * one has no analyses after the last event. */
static uint32_t find_member(
	struct ranks_merged *merged, int64_t rank, bool is_end)
{
	uint64_t hash = stable_hash(&rank, sizeof(rank));
	struct ranks_member *member;
	uint32_t slot;
	uint32_t found;

	if (!index_reserve(&merged->index, merged->count))
		return UINT32_MAX;
	slot = index_first(&merged->index, hash);
	while ((found = index_find(&merged->index, hash, &slot)) !=
		INDEX_NONE) {
		if (merged->members[found].place.rank == rank)
			return found;
		slot = index_after(&merged->index, slot);
	}
	if (!array_reserve32(&merged->members, merged->count, &merged->room,
		    sizeof(*merged->members)))
		return UINT32_MAX;
	index_set(&merged->index, slot, hash, merged->count);
	member = &merged->members[merged->count++];
	*member = (struct ranks_member){.place.rank = rank};
	return is_end || begin_analyses(merged, member) ? merged->count - 1
							: UINT32_MAX;
}

/* Sets which member a track belongs to. False if out of memory. */
static bool judge_track(
	struct ranks_merged *merged, uint32_t track, bool is_end)
{
	const struct trace *trace = merged->trace;
	const char *name = strtab_text(
		trace->text, trace->tracks[track].process_name, NULL);
	int64_t rank;
	uint32_t number;

	if (!array_ensure_index(&merged->tracks, track, &merged->track_room,
		    sizeof(*merged->tracks)))
		return false;
	if (merged->tracks[track] >= MEMBER_FIRST)
		return true;
	merged->tracks[track] = MEMBER_NONE;
	if (!find_rank(name, &rank))
		return true;
	number = find_member(merged, rank, is_end);
	if (number == UINT32_MAX)
		return false;
	merged->tracks[track] = number + MEMBER_FIRST;
	return true;
}

/* Whether facts show already that it is the recording of one rank. */
static bool is_one_rank(const struct trace *trace)
{
	return trace_find_fact(trace, TRACE_MERGED) == NULL &&
	       (trace_find_fact(trace, TRACE_RANK) != NULL ||
		       trace_find_fact(trace, TRACE_DISTRIBUTED) != NULL);
}

/* Judges the track of the first event; false if out of memory. */
static bool begin_track(struct ranks_merged *merged, uint32_t track)
{
	if (track < merged->track_room &&
		merged->tracks[track] != MEMBER_UNKNOWN)
		return true;
	merged->is_one = is_one_rank(merged->trace);
	if (merged->is_one)
		return true;
	if (!judge_track(merged, track, false))
		return false;
	merged->are_many = merged->count > RANKS_MERGED_MAX;
	if (merged->are_many)
		clear_members(merged);
	return true;
}

enum ctp_status ranks_merged_add(struct ranks_merged *merged,
	const struct event *event, struct ctp_error *err)
{
	uint32_t track = event->track;
	struct ranks_member *member;
	enum ctp_status status = CTP_OK;

	if (merged->is_one || merged->are_many ||
		track >= merged->trace->track_count)
		return CTP_OK;
	if (!begin_track(merged, track))
		return ctp_no_memory(err);
	if (merged->is_one || merged->are_many ||
		merged->tracks[track] < MEMBER_FIRST)
		return CTP_OK;
	member = &merged->members[merged->tracks[track] - MEMBER_FIRST];
	if (member->phases != NULL)
		status = phases_add(member->phases, event, err);
	return status == CTP_OK ? replay_add(member->replay, event, err)
				: status;
}

/* Judges all tracks again: the names of some may come after their events. False
 * if out of memory. */
static bool judge_tracks(struct ranks_merged *merged)
{
	bool done = true;

	/* Their members are gone. */
	if (merged->are_many)
		memset(merged->tracks, 0,
			merged->track_room * sizeof(*merged->tracks));
	for (uint32_t i = 0; i < merged->trace->track_count && done; i++)
		done = judge_track(merged, i, true);
	return done;
}

static enum ctp_status finish_member(struct ranks_merged *merged,
	struct ranks_member *member, const struct ranks_place *whole,
	struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	ranks_place_of_member(
		&member->place, whole, member->place.rank, merged->trace);
	if (member->phases != NULL)
		status = phases_finish(member->phases, err);
	if (status == CTP_OK && member->replay != NULL)
		status = replay_finish(member->replay, &member->profile, err);
	return status;
}

enum ctp_status ranks_merged_finish(struct ranks_merged *merged,
	const struct ranks_place *whole, uint32_t *count, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	*count = 0;
	if (merged->is_one || whole->rank >= 0)
		return CTP_OK;
	if (!judge_tracks(merged))
		return ctp_no_memory(err);
	if (merged->count < 2 &&
		trace_find_fact(merged->trace, TRACE_MERGED) == NULL)
		return CTP_OK;
	for (uint32_t i = 0; i < merged->count && status == CTP_OK; i++)
		status = finish_member(merged, &merged->members[i], whole, err);
	*count = merged->count;
	return status;
}

const struct ranks_member *ranks_merged_member(
	const struct ranks_merged *merged, uint32_t number)
{
	return &merged->members[number];
}

uint32_t ranks_merged_of(const struct ranks_merged *merged, uint32_t track)
{
	return track < merged->track_room &&
			       merged->tracks[track] >= MEMBER_FIRST
		       ? merged->tracks[track] - MEMBER_FIRST
		       : UINT32_MAX;
}
