/* SPDX-License-Identifier: MIT */
#include "recorder/forward.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "log/log.h"
#include "recorder/registry.h"

/* Names by site number, in pages. */
#define PAGE_NAMES UINT32_C(4096)
#define PAGES (LOG_SITES_MAX / PAGE_NAMES)

/* Most bytes of a name with a sequence number; the rest is dropped. */
#define TEXT_BYTES 1024

struct page {
	const void *_Atomic names[PAGE_NAMES];
};

static struct {
	const struct forward_tool *_Atomic tool; /* NULL: off */
	const struct forward_tool *opened;       /* tried already, */
	bool is_there;                           /* and found */
	struct page *_Atomic pages[PAGES];
} forwarding;

bool forward_is_on(void)
{
	return atomic_load_explicit(&forwarding.tool, memory_order_relaxed) !=
	       NULL;
}

void forward_start(enum ctp_emit target)
{
	const struct forward_tool *tool =
		target == CTP_EMIT_NVTX  ? &forward_nvtx
		: target == CTP_EMIT_ITT ? &forward_itt
					 : NULL;

	/* A tool's names are useless to another tool. */
	if (tool != NULL && forwarding.opened == NULL) {
		forwarding.opened = tool;
		forwarding.is_there = tool->open();
	}
	if (tool != forwarding.opened || !forwarding.is_there)
		tool = NULL;
	atomic_store(&forwarding.tool, tool);
}

/* NULL if out of memory. */
static struct page *page_of(uint32_t site)
{
	struct page *_Atomic *at = &forwarding.pages[site / PAGE_NAMES];
	struct page *page = atomic_load(at);
	struct page *made;

	if (page != NULL)
		return page;
	made = calloc(1, sizeof(*made));
	if (made != NULL && !atomic_compare_exchange_strong(at, &page, made)) {
		free(made);
		return page;
	}
	return made;
}

static const void *name_of(const struct forward_tool *tool, uint32_t site)
{
	struct page *page = page_of(site);
	const void *name = NULL;

	if (page != NULL)
		name = atomic_load(&page->names[site % PAGE_NAMES]);
	if (name == NULL && page != NULL) {
		name = tool->name(registry_site_name(site));
		atomic_store(&page->names[site % PAGE_NAMES], name);
	}
	return name;
}

static bool forward(
	const struct forward_tool *tool, uint32_t site, const int64_t *seq)
{
	char text[TEXT_BYTES];
	const void *name;

	if (seq != NULL) {
		(void)snprintf(text, sizeof(text), "%.*s, seq = %" PRId64,
			TEXT_BYTES - 32, registry_site_name(site), *seq);
		tool->begin_text(text);
		return true;
	}
	name = name_of(tool, site);
	if (name != NULL)
		tool->begin(name);
	return name != NULL;
}

/* Counts an open range and whether the tool knows it. Ranges that are too deep
 * are not forwarded. */
static void open_range(struct thread *thread, bool forwarded)
{
	uint32_t depth = thread->forward_depth++;
	uint64_t bit = UINT64_C(1) << depth % 64;

	if (depth >= THREAD_FORWARD_DEPTH)
		return;
	if (forwarded)
		thread->forwarded[depth / 64] |= bit;
	else
		thread->forwarded[depth / 64] &= ~bit;
}

void forward_begin(struct thread *thread, uint32_t site, const int64_t *seq)
{
	const struct forward_tool *tool = atomic_load(&forwarding.tool);

	if (tool != NULL)
		open_range(
			thread, thread->forward_depth < THREAD_FORWARD_DEPTH &&
					forward(tool, site, seq));
}

void forward_skip(struct thread *thread)
{
	if (forward_is_on())
		open_range(thread, false);
}

static void close_range(struct thread *thread, const struct forward_tool *tool)
{
	uint32_t depth = --thread->forward_depth;

	if (depth < THREAD_FORWARD_DEPTH &&
		(thread->forwarded[depth / 64] >> depth % 64 & 1) != 0)
		tool->end();
}

void forward_end(struct thread *thread)
{
	const struct forward_tool *tool = atomic_load(&forwarding.tool);

	if (tool != NULL && thread->forward_depth > 0)
		close_range(thread, tool);
}

void forward_end_all(struct thread *thread)
{
	/* Emission may be off by now. */
	while (thread->forward_depth > 0)
		close_range(thread, forwarding.opened);
}
