/* SPDX-License-Identifier: MIT */
#include "pack/pack_column.h"

#include <stdlib.h>
#include <string.h>

bool pack_track_widen(struct pack_track *track)
{
	/* One more than is known: a place for what is not kept. */
	uint32_t *open = track->wide
				 ? track->open
				 : realloc(track->open,
					   (LOG_OPEN_MAX + 1) * sizeof(*open));

	if (open == NULL)
		return false;
	track->open = open;
	track->wide = true;
	return true;
}

void pack_track_narrow(struct pack_track *track)
{
	uint32_t count =
		track->depth < LOG_OPEN_MAX ? track->depth : LOG_OPEN_MAX;
	uint32_t *open = NULL;

	if (count == 0)
		free(track->open);
	else
		open = realloc(track->open, count * sizeof(track->open[0]));
	if (count == 0 || open != NULL)
		track->open = open;
	track->wide = false;
}

void pack_column_start(struct log_column *column, uint32_t number,
	const struct pack_track *track)
{
	column->track = number;
	column->count = 0;
	column->extra_count = 0;
	column->extras.used = 0;
	column->open_known = track->depth <= LOG_OPEN_MAX;
	column->open_count = column->open_known ? track->depth : 0;
	if (column->open_count > 0)
		memcpy(column->open, track->open,
			column->open_count * sizeof(column->open[0]));
}
