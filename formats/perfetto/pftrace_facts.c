/* SPDX-License-Identifier: MIT */
#include "perfetto/pftrace_facts.h"

#include <string.h>

#include "protobuf/protobuf.h"

/* The only message in which a trace can say what it likes about itself. */
enum { PACKET_CHROME_EVENTS = 5, CHROME_EVENTS_METADATA = 2 };

enum { METADATA_NAME = 1, METADATA_STRING_VALUE = 2, METADATA_INT_VALUE = 4 };

static void add_text(struct pftrace_packets *packets, struct buffer *out,
	const char *key, const char *value)
{
	size_t begun = protobuf_begin(out, CHROME_EVENTS_METADATA);

	pftrace_add_text(packets, out, METADATA_NAME, key, strlen(key));
	pftrace_add_text(
		packets, out, METADATA_STRING_VALUE, value, strlen(value));
	protobuf_end(out, begun);
}

static void add_losses(struct pftrace_packets *packets, struct buffer *out)
{
	for (int i = 0; i < LOSS_KINDS; i++) {
		uint64_t count = packets->trace->losses[i];
		size_t begun;

		if (count == 0)
			continue;
		begun = protobuf_begin(out, CHROME_EVENTS_METADATA);
		protobuf_add_text(out, METADATA_NAME,
			trace_loss_name((enum trace_loss)i));
		protobuf_add_uint(out, METADATA_INT_VALUE, count);
		protobuf_end(out, begun);
	}
}

void pftrace_facts_write(struct pftrace_packets *packets, const char *title)
{
	const struct trace *trace = packets->trace;
	struct buffer *out = pftrace_packet_begin(packets);
	size_t begun = protobuf_begin(out, PACKET_CHROME_EVENTS);

	add_text(packets, out, "writer", PACKAGE_STRING);
	if (title != NULL)
		add_text(packets, out, "title", title);
	for (uint32_t i = 0; i < trace->fact_count; i++)
		add_text(packets, out,
			strtab_text(trace->text, trace->facts[i].key, NULL),
			strtab_text(trace->text, trace->facts[i].value, NULL));
	add_losses(packets, out);
	protobuf_end(out, begun);
	pftrace_packet_end(packets);
}
