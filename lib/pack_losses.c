/* SPDX-License-Identifier: MIT */
/* What the tracks have lost; and what another process had written of them. */
#include <stddef.h>
#include <string.h>

#include "msgpack_out.h"
#include "pack_private.h"

/* What a losses block says of a track. */
static const struct {
	const char *name;
	size_t offset; /* of the count */
} losses[] = {{"dropped_ranges", offsetof(struct pack_track, dropped_ranges)},
	{"dropped_events", offsetof(struct pack_track, dropped_events)},
	{"short_ranges", offsetof(struct pack_track, short_ranges)},
	{"cut_text", offsetof(struct pack_track, cut_text)}};

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

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

enum ctp_status packer_losses(struct packer *packer, uint32_t number,
	uint64_t ranges, uint64_t events, uint64_t cut_text,
	struct ctp_error *err)
{
	struct pack_track *track;

	if (number >= LOG_TRACKS_MAX)
		return CTP_OK;
	track = packer_find_track(packer, number);
	if (track == NULL)
		return packer_no_memory(err);
	if (!track->losses_changed && track->dropped_ranges >= ranges &&
		track->dropped_events >= events && track->cut_text >= cut_text)
		return CTP_OK;
	/* What a thread lost in all may come in before a chunk that says what
	 * it had lost until then. */
	track->dropped_ranges = larger(track->dropped_ranges, ranges);
	track->dropped_events = larger(track->dropped_events, events);
	track->cut_text = larger(track->cut_text, cut_text);
	return write_losses(packer, number, track, err);
}

enum ctp_status packer_finish(struct packer *packer, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

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
