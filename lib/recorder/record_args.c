/* SPDX-License-Identifier: MIT */
/*
 * One record has the event and its arguments, so that either all of it fits or
 * nothing, and both are read together.
 */
#include "recorder/record_args.h"

#include <string.h>

#include "base/clock.h"
#include "recorder/record.h"
#include "recorder/session_state.h"

/* Most bytes of all keys and texts. */
#define TEXT_MAX 16000

/* The stored form of an argument. */
struct part {
	size_t key_size;
	size_t text_size;
};

static const char *text_of(const struct record_arg *arg)
{
	return arg->kind == CHUNK_ARG_TEXT ? arg->text : "";
}

/* Returns the words of the arguments. */
static size_t measure(
	const struct record_event *event, struct part *parts, uint32_t count)
{
	size_t left = TEXT_MAX;
	size_t words = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct record_arg *arg = &event->args[i];
		struct part *part = &parts[i];

		part->key_size = strnlen(arg->key, left);
		left -= part->key_size;
		part->text_size = strnlen(text_of(arg), left);
		left -= part->text_size;
		words += CHUNK_ARG_WORDS +
			 chunk_text_words(part->key_size + part->text_size);
	}
	return words;
}

static uint64_t *put(
	uint64_t *at, const struct record_arg *arg, struct part part)
{
	at[0] = chunk_arg(arg->kind, part.key_size, part.text_size);
	at[1] = arg->kind == CHUNK_ARG_TEXT ? 0 : arg->number;
	at += CHUNK_ARG_WORDS;
	memcpy(at, arg->key, part.key_size);
	memcpy((char *)at + part.key_size, text_of(arg), part.text_size);
	return at + chunk_text_words(part.key_size + part.text_size);
}

static bool is_cut(const struct record_event *event, const struct part *parts,
	uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (event->args[i].key[parts[i].key_size] != '\0' ||
			text_of(&event->args[i])[parts[i].text_size] != '\0')
			return true;
	return count < event->arg_count;
}

static void store(struct thread *thread, const struct record_event *event)
{
	struct part parts[CTP_ARGS_MAX];
	const uint32_t count = event->arg_count < CTP_ARGS_MAX
				       ? event->arg_count
				       : CTP_ARGS_MAX;
	const size_t words = 3 + measure(event, parts, count);
	const uint64_t ticks = clock_stamp(session_uses_tsc());
	const uint32_t site = record_site(event->site);
	uint64_t *at = record_reserve(thread, 1 + words);
	uint64_t *next;

	if (is_cut(event, parts, count)) {
		atomic_fetch_add(&thread->cut_text, 1);
		thread_record_losses(thread);
	}
	if (at == NULL) {
		atomic_fetch_add(&thread->dropped_events, 1);
		return;
	}
	at[1] = ticks;
	at[2] = site;
	at[3] = event->id;
	next = at + 4;
	for (uint32_t i = 0; i < count; i++)
		next = put(next, &event->args[i], parts[i]);
	__atomic_store_n(at,
		chunk_long(atomic_load(&thread->live), event->kind, words, 0),
		__ATOMIC_RELEASE);
	thread_advance(thread, 1 + words);
}

void ctp_private_event(const struct record_event *event)
{
	struct thread *thread = thread_enter();

	if (thread == NULL)
		return;
	store(thread, event);
	thread_leave(thread);
}

static struct record_arg convert_arg(const struct ctp_arg *arg)
{
	struct record_arg out = {
		.kind = CHUNK_ARG_INT, .key = arg->key == NULL ? "" : arg->key};

	if (arg->kind == CTP_ARG_STRING) {
		out.kind = CHUNK_ARG_TEXT;
		out.text = arg->value.string == NULL ? "" : arg->value.string;
	} else if (arg->kind == CTP_ARG_FLOAT) {
		out.kind = CHUNK_ARG_FLOAT;
		memcpy(&out.number, &arg->value.real, sizeof(out.number));
	} else {
		out.number = (uint64_t)arg->value.number;
	}
	return out;
}

void ctp_async_begin_args(struct ctp_site *site, uint64_t id,
	const struct ctp_arg *args, uint32_t count)
{
	struct record_arg copies[CTP_ARGS_MAX];

	for (uint32_t i = 0; i < count && i < CTP_ARGS_MAX; i++)
		copies[i] = convert_arg(&args[i]);
	ctp_private_event(&(struct record_event){.kind = CHUNK_ASYNC_BEGIN,
		.site = site,
		.id = id,
		.args = copies,
		.arg_count = count});
}
