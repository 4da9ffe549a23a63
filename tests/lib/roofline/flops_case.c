/* SPDX-License-Identifier: MIT */
#include "flops_case.h"

#include <check.h>
#include <string.h>

struct trace *flops_trace;
struct flops *flops_case;

void flops_set_up(void)
{
	flops_trace = trace_new(NULL);
	flops_case = flops_new(flops_trace);
	ck_assert(flops_trace != NULL && flops_case != NULL);
}

void flops_tear_down(void)
{
	flops_free(flops_case);
	trace_free(flops_trace);
}

uint32_t flops_number_of(const char *text)
{
	return strtab_add(flops_trace->text, text, strlen(text));
}

uint32_t flops_add_op(const char *name, const char *category)
{
	return trace_add_place(
		flops_trace, (struct trace_site){.name = flops_number_of(name),
				     .category = flops_number_of(category)});
}

struct event_arg flops_json_arg(const char *key, const char *text)
{
	return (struct event_arg){.kind = ARG_JSON,
		.key = flops_number_of(key),
		.value.text = {text, strlen(text)}};
}

struct flops_work flops_ask(const char *name, const char *dims,
	const char *types, const char *concrete)
{
	struct event_arg args[3];
	struct event event = {.kind = EVENT_BEGIN, .args = args};
	struct flops_work work;

	event.site = flops_add_op(name, "cpu_op");
	if (concrete != NULL)
		args[event.arg_count++] =
			flops_json_arg("Concrete Inputs", concrete);
	if (types != NULL)
		args[event.arg_count++] = flops_json_arg("Input type", types);
	if (dims != NULL)
		args[event.arg_count++] = flops_json_arg("Input Dims", dims);
	flops_of_op(flops_case, event.site, &event, &work);
	return work;
}
