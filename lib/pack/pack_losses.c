/* SPDX-License-Identifier: MIT */
/* What the tracks have lost; and what another process had written of them. */
#include <stddef.h>
#include <string.h>

#include "log/msgpack_out.h"
#include "pack/pack_private.h"

/* What a losses block says of a track. */
static const struct {
	const char *name;
	size_t offset; /* of the count */
} losses[] = {
	{"dropped_ranges", offsetof(struct pack_track, losses.dropped_ranges)},
	{"dropped_events", offsetof(struct pack_track, losses.dropped_events)},
	{"short_ranges", offsetof(struct pack_track, short_ranges)},
	{"cut_text", offsetof(struct pack_track, losses.cut_text)},
	{"unwound_ranges", offsetof(struct pack_track, losses.unwound_ranges)},
	{"stray_exits", offsetof(struct pack_track, losses.stray_exits)}};

static uint64_t *loss_of(struct pack_track *track, size_t loss)
{
	return (uint64_t *)(void *)((char *)track + losses[loss].offset);
}

static enum ctp_status write_losses(struct packer *packer, uint32_t number,
	struct pack_track *track, struct ctp_error *err)
{
	size_t kinds = sizeof(losses) / sizeof(losses[0]);
	msgpack_packer out = msgpack_out(&packer->bytes);

	track->losses_changed = false;
	packer->bytes.used = 0;
	(void)msgpack_pack_array(&out, 3);
	(void)msgpack_pack_int(&out, LOG_LOSSES);
	(void)msgpack_pack_uint32(&out, number);
	(void)msgpack_pack_map(&out, kinds);
	for (size_t i = 0; i < kinds; i++) {
		msgpack_out_key(&out, losses[i].name);
		(void)msgpack_pack_uint64(&out, *loss_of(track, i));
	}
	return packer_write(packer, LOG_LOSSES, err);
}

/* True if it grew. */
static bool raise(uint64_t *count, uint64_t to)
{
	bool grows = to > *count;

	if (grows)
		*count = to;
	return grows;
}

enum ctp_status packer_losses(struct packer *packer, uint32_t number,
	const struct chunk_losses *lost, struct ctp_error *err)
{
	struct pack_track *track;
	struct chunk_losses *known;
	bool news;

	if (number >= LOG_TRACKS_MAX)
		return CTP_OK;
	track = packer_find_track(packer, number);
	if (track == NULL)
		return packer_no_memory(err);
	/* What a thread lost in all may come in before a chunk that says what
	 * it had lost until then. */
	known = &track->losses;
	news = track->losses_changed;
	news |= raise(&known->dropped_ranges, lost->dropped_ranges);
	news |= raise(&known->dropped_events,
		lost->dropped_events + track->unreadable);
	news |= raise(&known->cut_text, lost->cut_text);
	news |= raise(&known->unwound_ranges, lost->unwound_ranges);
	news |= raise(&known->stray_exits, lost->stray_exits);
	return news ? write_losses(packer, number, track, err) : CTP_OK;
}

void packer_lose(struct packer *packer, uint32_t words)
{
	packer->lost_words += words;
}

enum ctp_status packer_note_lost(struct packer *packer, struct ctp_error *err)
{
	const uint64_t words = packer->lost_words;
	struct pack_track *track;

	packer->lost_words = 0;
	if (words == 0)
		return CTP_OK;
	if (packer->copy.track >= LOG_TRACKS_MAX) {
		packer->lost_untracked += words;
		return CTP_OK;
	}
	track = packer_find_track(packer, packer->copy.track);
	if (track == NULL)
		return packer_no_memory(err);
	track->unreadable += words;
	track->losses.dropped_events += words;
	track->losses_changed = true;
	return CTP_OK;
}

enum ctp_status packer_trace_loss(struct packer *packer, const char *name,
	uint64_t count, struct ctp_error *err)
{
	msgpack_packer out = msgpack_out(&packer->bytes);

	packer->bytes.used = 0;
	(void)msgpack_pack_array(&out, 2);
	(void)msgpack_pack_int(&out, LOG_TRACE_LOSSES);
	(void)msgpack_pack_map(&out, 1);
	msgpack_out_key(&out, name);
	(void)msgpack_pack_uint64(&out, count);
	return packer_write(packer, LOG_TRACE_LOSSES, err);
}

enum ctp_status packer_finish(struct packer *packer, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	if (packer->lost_untracked > 0)
		status = packer_trace_loss(
			packer, "dropped_events", packer->lost_untracked, err);
	for (uint32_t i = 0; status == CTP_OK && i < packer->track_room; i++)
		if (packer->tracks[i] != NULL &&
			packer->tracks[i]->losses_changed)
			status =
				write_losses(packer, i, packer->tracks[i], err);
	return status;
}

void packer_resume(struct packer *packer, uint64_t events, int64_t newest_ns)
{
	packer->event_count = events;
	packer->newest_ns = newest_ns;
}

bool packer_resume_blocks(
	struct packer *packer, uint32_t number, uint64_t blocks)
{
	struct pack_track *track = packer_find_track(packer, number);

	if (track == NULL)
		return false;
	if (blocks > track->blocks)
		track->blocks = blocks;
	track->depth = PACK_DEPTH_UNKNOWN;
	return true;
}

bool packer_resume_gap(struct packer *packer, uint32_t number)
{
	const struct pack_track *track = packer_find_track(packer, number);

	return track != NULL &&
	       packer_resume_blocks(packer, number, track->blocks + 1);
}

bool packer_resume_loss(struct packer *packer, uint32_t number,
	const char *name, uint64_t count)
{
	struct pack_track *track = packer_find_track(packer, number);

	if (track == NULL)
		return false;
	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		if (strcmp(losses[i].name, name) == 0)
			*loss_of(track, i) = count;
	return true;
}
