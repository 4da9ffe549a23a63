/* SPDX-License-Identifier: MIT */
#include "io/inflate_source.h"

#include <inttypes.h>

#include "base/memory.h"
#include "profile/profile.h"

struct inflate_source {
	struct event_source source; /* must be first */
	struct event_source *inner;
	const struct inflate_file *file;
	bool noted;
};

static struct inflate_source *self_of(struct event_source *source)
{
	return (struct inflate_source *)(void *)source;
}

/* Damage to the file also truncates the text in it, which is not counted
 * again. */
static enum ctp_status note(struct inflate_source *self, struct ctp_error *err)
{
	struct inflate_facts facts = inflate_file_facts(self->file);
	struct trace *trace = self->source.trace;
	char text[128];

	if (self->noted)
		return CTP_OK;
	self->noted = true;
	trace_lose(trace, LOSS_SKIPPED_BYTES, facts.strange_bytes);
	if (facts.damage == NULL)
		return CTP_OK;
	if (trace->losses[LOSS_TRUNCATED] == 0)
		trace_lose(trace, LOSS_TRUNCATED, 1);
	(void)snprintf(text, sizeof(text),
		"byte %" PRIu64 " of the gzip'd file: %s", facts.damage_at,
		facts.damage);
	if (!trace_set_fact(trace, "damage", text))
		return ctp_no_memory(err);
	return CTP_OK;
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct inflate_source *self = self_of(source);
	enum ctp_status status = self->inner->next(self->inner, event, err);

	if (status == CTP_END && note(self, err) != CTP_OK)
		status = CTP_ERR_NOMEM;
	return status;
}

static enum ctp_status read_profile(struct event_source *source,
	struct profile **out, struct ctp_error *err)
{
	struct inflate_source *self = self_of(source);
	struct profile *profile;
	enum ctp_status status =
		self->inner->read_profile(self->inner, &profile, err);

	if (status != CTP_OK)
		return status;
	status = note(self, err);
	if (status == CTP_OK)
		*out = profile;
	else
		profile_free(profile);
	return status;
}

static uint64_t position(const struct event_source *source)
{
	const struct inflate_source *self = (const void *)source;

	return inflate_file_facts(self->file).position;
}

static void close_source(struct event_source *source)
{
	struct inflate_source *self = self_of(source);

	self->inner->close(self->inner);
	memory_free(self);
}

enum ctp_status inflate_source_open(struct event_source **source,
	const struct inflate_file *file, struct ctp_error *err)
{
	struct inflate_source *self = memory_new_zeroed(1, sizeof(*self));

	if (self == NULL)
		return ctp_no_memory(err);
	self->inner = *source;
	self->file = file;
	self->source.trace = self->inner->trace;
	self->source.next = next;
	self->source.read_profile =
		self->inner->read_profile == NULL ? NULL : read_profile;
	self->source.position = position;
	self->source.close = close_source;
	*source = &self->source;
	return CTP_OK;
}
