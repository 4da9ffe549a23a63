/* SPDX-License-Identifier: MIT */
/*
 * What another source gives, without what tells who it is of: files, hosts,
 * users, commands, names of processes and threads, and the texts of arguments are
 * replaced by hashes. Names of functions, numbers, times, categories and keys
 * stay.
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
 * Opens a source around `inner`, which is closed with it, with a trace of its
 * own. `salt` keeps others from trying which text a hash is of.
 *
 * Errors: CTP_ERR_NOMEM; `inner` is the caller's then.
 */
enum ctp_status redact_open(struct event_source *inner, const char *salt,
	struct event_source **out, struct ctp_error *err);

/* ---- texts ---- */

/*
 * Texts without what tells who wrote them: in the place of that is a hash, the
 * same for the same text. All add to a buffer, whose `failed` tells whether
 * there was memory.
 */

#define REDACT_WORDS_MAX 1024

struct redact_rules {
	struct siphash_key key;
	/* Words that must not be anywhere: a host's, a user's name. */
	char **words;
	uint32_t word_count;
	uint32_t word_room;
	bool overflow; /* there are more: any text may hold one */
};

/* `salt` makes the key; "" is one that everybody knows. */
void redact_rules_init(struct redact_rules *rules, const char *salt);
void redact_rules_clear(struct redact_rules *rules);

/* Text of less than 3 bytes is left out. Beyond REDACT_WORDS_MAX words, all
 * names are replaced. False if out of memory. */
bool redact_rules_add_word(
	struct redact_rules *rules, const char *text, size_t size);

/* Adds the users whose home directories are in this text: "/home/bob". */
bool redact_rules_add_users(
	struct redact_rules *rules, const char *text, size_t size);

/* All of a text, as "KIND-0123456789abcdef". */
void redact_whole(const struct redact_rules *rules, const char *kind,
	const char *text, size_t size, struct buffer *out);

/* A name of a function, category or key: it stays, without words that are paths
 * or files of source, modules before "+0x1f", and the words of the rules. */
void redact_name(const struct redact_rules *rules, const char *text,
	size_t size, struct buffer *out);

/* A file: a hash, with the suffix that tells the language. "~" and "<string>"
 * are none. */
void redact_file(const struct redact_rules *rules, const char *text,
	size_t size, struct buffer *out);

/* A process or thread is called as its program is, or by its arguments: that is
 * replaced, but for "rank 3: " before it. */
void redact_label(const struct redact_rules *rules, const char *text,
	size_t size, struct buffer *out);

/* A valid JSON value: all that is a string is replaced, but keys are names. */
void redact_json(const struct redact_rules *rules, const char *text,
	size_t size, struct buffer *out);

#endif
