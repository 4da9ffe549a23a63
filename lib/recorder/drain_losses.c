/* SPDX-License-Identifier: MIT */
#include "recorder/drain_losses.h"

#include <stdatomic.h>

#include "recorder/session.h"
#include "recorder/thread.h"
#include "recorder/unrecorded.h"

void drain_note_unrecorded(struct spool_header *header)
{
	header->unrecorded = unrecorded_count();
}

enum ctp_status drain_losses(struct packer *packer,
	struct log_frame_totals *totals, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	totals->unrecorded = unrecorded_count();
	for (const struct thread *thread = thread_first();
		status == CTP_OK && thread != NULL; thread = thread->next) {
		struct chunk_losses losses = thread_losses(thread);

		if (!session_is(atomic_load(&thread->session)))
			continue;
		totals->stalls += atomic_load(&thread->stalls);
		totals->stall_ns += atomic_load(&thread->stall_ns);
		losses.dropped_ranges += thread->pending.begin_count +
					 thread->pending.deep +
					 thread->timeline_dropped;
		status = packer_losses(
			packer, atomic_load(&thread->track), &losses, err);
	}
	if (status == CTP_OK)
		status = packer_finish(packer, err);
	return status;
}
