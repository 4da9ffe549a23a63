/* SPDX-License-Identifier: MIT */
/*
 * The ranks of a job: the tables of `ctprof ranks`, by its own code. Hosts, if
 * there are several, have the same table with their means. If the rows of all
 * ranks are too large, they cannot be unfolded; then the fastest are omitted.
 */
#include "gpu/ranks_report.h"
#include "ranks/stragglers.h"
#include "report/page_part.h"
#include "summary/summary.h"

/* Shares of the room for ranks. */
#define ROWS_HUNDREDTHS 65
#define HOSTS_HUNDREDTHS 10
#define IMBALANCE_HUNDREDTHS 15
#define COLLECTIVES_HUNDREDTHS 8

/* Whether the rows are of a job: builds have inputs without rank and device. */
bool page_ranks_shown(const struct summary *summary)
{
	const struct ranks *ranks = summary == NULL ? NULL : summary->ranks;

	for (uint32_t i = 0; ranks != NULL && i < ranks->row_count; i++)
		if (ranks->row_count > 1 &&
			(ranks->rows[i].rank != SPREAD_RANK_NONE ||
				ranks->rows[i].device != RANKS_NO_DEVICE))
			return true;
	return false;
}

static void set_limit(struct page_part *part, unsigned hundredths)
{
	part->sheet.max_bytes = page_part_bytes(part) +
				part->ranks_bytes / 100 * hundredths -
				part->extra;
}

static void put_rows(struct page_part *part, const struct ranks_view *view,
	unsigned hundredths)
{
	const struct page_mark mark = page_part_mark(part);

	set_limit(part, hundredths);
	part->sheet.brief = false;
	ranks_write_rows(&part->sheet, view);
	if (columns_full(&part->sheet)) {
		page_part_rewind(part, &mark);
		part->sheet.brief = true;
		ranks_write_rows(&part->sheet, view);
	}
	part->sheet.brief = true;
}

static void put_tables(struct page_part *part, const struct ranks_view *view)
{
	struct sheet *sheet = &part->sheet;

	ranks_write_head(sheet, view);
	put_rows(part, view, ROWS_HUNDREDTHS);
	set_limit(part, IMBALANCE_HUNDREDTHS);
	ranks_write_imbalance(sheet, view);
	set_limit(part, COLLECTIVES_HUNDREDTHS);
	ranks_write_collectives(sheet, view);
}

static void put_hosts(struct page_part *part, const struct ranks_view *view)
{
	if (view->stragglers->count < 2)
		return;
	json_key(&part->sheet.json, "hosts");
	json_begin(&part->sheet.json, '{');
	put_rows(part, view, HOSTS_HUNDREDTHS);
	json_end(&part->sheet.json, '}');
}

void page_ranks_write(struct page_part *part)
{
	struct stragglers ranks = {0};
	struct stragglers hosts = {0};
	struct ranks_view view = {.stragglers = &ranks};
	bool *failed = &part->sheet.failed;

	if (!page_ranks_shown(part->data->summary))
		return;
	view.ranks = part->data->summary->ranks;
	*failed |= !ranks_sort(view.ranks);
	*failed |= !stragglers_find(&ranks, view.ranks, view.by);
	json_key(&part->sheet.json, "ranks");
	json_begin(&part->sheet.json, '{');
	if (!*failed)
		put_tables(part, &view);
	view.by.host = true;
	view.stragglers = &hosts;
	*failed |= !stragglers_find(&hosts, view.ranks, view.by);
	if (!*failed)
		put_hosts(part, &view);
	json_end(&part->sheet.json, '}');
	stragglers_clear(&ranks);
	stragglers_clear(&hosts);
}
