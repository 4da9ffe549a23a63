/* SPDX-License-Identifier: MIT */
/*
 * Anonymizes another source: replaces files, hosts, users, commands, names of
 * processes and threads, and argument texts by hashes. Function names, numbers,
 * times, categories and keys stay.
 */
#ifndef REDACT_H
#define REDACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "trace/event.h"

/*
 * Opens a source around `inner`, which is closed with it. It has its own trace.
 * `salt` prevents others from guessing the text behind a hash.
 *
 * Errors: CTP_ERR_NOMEM; `inner` is the caller's then.
 */
enum ctp_status redact_open(struct event_source *inner, const char *salt,
	struct event_source **out, struct ctp_error *err);

/* ---- texts ---- */

/*
 * Anonymizes texts with hashes; equal texts have equal hashes. All functions
 * append to a buffer, whose `failed` reports a lack of memory.
 */

#define REDACT_WORDS_MAX 1024

struct redact_rules {
	struct siphash_key key;
	/* Words to redact everywhere: names of hosts and users. */
	char **words;
	uint32_t word_count;
	uint32_t word_room;
	bool overflow; /* there are more words: any text may contain one */
};

/* `salt` determines the key; that of "" is public. */
void redact_rules_init(struct redact_rules *rules, const char *salt);
void redact_rules_clear(struct redact_rules *rules);

/* Ignores text of less than 3 bytes. Beyond REDACT_WORDS_MAX words, all names
 * are replaced. False if out of memory. */
bool redact_rules_add_word(
	struct redact_rules *rules, const char *text, size_t size);

/* Adds the users whose home directories this text contains: "/home/bob". */
bool redact_rules_add_users(
	struct redact_rules *rules, const char *text, size_t size);

/* Replaces the whole text by "KIND-0123456789abcdef". */
void redact_whole(const struct redact_rules *rules, const char *kind,
	const char *text, size_t size, struct buffer *out);

/* Keeps the name of a function, category or key, but replaces paths, source
 * files, modules before "+0x1f", and the words of the rules. */
void redact_name(const struct redact_rules *rules, const char *text,
	size_t size, struct buffer *out);

/* Replaces a file name by a hash with the suffix of its language. "~" and
 * "<string>" are not files. */
void redact_file(const struct redact_rules *rules, const char *text,
	size_t size, struct buffer *out);

/* Replaces the name of a process or thread, which may be its program or
 * arguments, except a leading "rank 3: ". */
void redact_label(const struct redact_rules *rules, const char *text,
	size_t size, struct buffer *out);

/* For a valid JSON value: replaces all strings; keys are treated as names. */
void redact_json(const struct redact_rules *rules, const char *text,
	size_t size, struct buffer *out);

#endif
