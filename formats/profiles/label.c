/* SPDX-License-Identifier: MIT */
#include "profiles/label.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/utf8.h"

/* Names that several functions share, and their files, are cut after this many
 * bytes: each label is a separate text, so that a file of some megabytes could
 * need gigabytes. */
#define SHARED_BYTES_MAX 4096
#define ELLIPSIS "\xe2\x80\xa6"

/* State while labels are made. */
struct label_maker {
	void (*change)(char *name);
	struct buffer label;  /* the current one */
	struct strtab *names; /* changed names without location */
	uint32_t *name_of;    /* number in `names`, by function */
	uint32_t *used;       /* number of functions, by name */
	uint32_t *taken;      /* highest suffix so far, by label */
};

/* Applies the format's change to the label; false if out of memory. */
static bool change_label(struct label_maker *maker)
{
	struct buffer *label = &maker->label;

	buffer_add_byte(label, '\0');
	if (label->failed)
		return false;
	if (maker->change != NULL)
		maker->change((char *)label->bytes);
	label->used = strlen((char *)label->bytes);
	return true;
}

const char *label_name(const char *name)
{
	return utf8_is_visible(name, strlen(name)) ? name : LABEL_NO_NAME;
}

static bool make_name(
	struct label_maker *maker, const struct profile_function *function)
{
	const char *name = label_name(function->name);

	maker->label.used = 0;
	utf8_add_printable(&maker->label, name, strlen(name));
	return change_label(maker);
}

/* Cuts the text added after `from` if it is too long. */
static void cut_shared(struct buffer *label, size_t from)
{
	const char *text = (const char *)label->bytes + from;

	if (label->failed || label->used - from <= SHARED_BYTES_MAX)
		return;
	label->used = from + utf8_valid_prefix(text, SHARED_BYTES_MAX);
	buffer_add_text(label, ELLIPSIS);
}

/* Adds the function's location, as far as it is known. */
static bool add_place(
	struct label_maker *maker, const struct profile_function *function)
{
	const char *slash = strrchr(function->file, '/');
	const char *file = slash == NULL ? function->file : slash + 1;
	char line[32];
	size_t at;

	cut_shared(&maker->label, 0);
	if (function->line == 0 && (*file == '\0' || strcmp(file, "~") == 0))
		return true;
	buffer_add_text(&maker->label, " (");
	at = maker->label.used;
	utf8_add_printable(&maker->label, file, strlen(file));
	cut_shared(&maker->label, at);
	if (function->line != 0) {
		(void)snprintf(line, sizeof(line), ":%u", function->line);
		buffer_add_text(&maker->label, line);
	}
	buffer_add_byte(&maker->label, ')');
	return change_label(maker);
}

/* The label's number in `text`; appends " #2" and so on to make it unique. */
static uint32_t add_unique(struct label_maker *maker, struct strtab *text)
{
	size_t used = maker->label.used;
	uint32_t before = strtab_count(text);
	uint32_t same = strtab_add(text, (char *)maker->label.bytes, used);
	uint32_t number = same;
	char suffix[32];

	while (number < before) {
		(void)snprintf(suffix, sizeof(suffix), " #%u",
			++maker->taken[same] + 1);
		maker->label.used = used;
		buffer_add_text(&maker->label, suffix);
		if (maker->label.failed)
			return STRTAB_NONE;
		number = strtab_add(
			text, (char *)maker->label.bytes, maker->label.used);
	}
	return number;
}

static bool count_names(
	struct label_maker *maker, const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		if (!make_name(maker, &profile->functions[i]))
			return false;
		maker->name_of[i] = strtab_add(maker->names,
			(char *)maker->label.bytes, maker->label.used);
		if (maker->name_of[i] == STRTAB_NONE)
			return false;
		maker->used[maker->name_of[i]]++;
	}
	return true;
}

static bool make_labels(struct labels *labels, struct label_maker *maker,
	const struct profile *profile)
{
	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		if (!make_name(maker, function))
			return false;
		if (maker->used[maker->name_of[i]] > 1 &&
			!add_place(maker, function))
			return false;
		labels->by_function[i] = add_unique(maker, labels->text);
		if (labels->by_function[i] == STRTAB_NONE)
			return false;
	}
	return true;
}

enum ctp_status labels_init(struct labels *labels,
	const struct profile *profile, void (*change)(char *name),
	struct ctp_error *err)
{
	size_t count = (size_t)profile->function_count + 2;
	struct label_maker maker = {.change = change, .names = strtab_new()};
	bool ok;

	maker.name_of = memory_new(count * sizeof(*maker.name_of));
	maker.used = memory_new_zeroed(count, sizeof(*maker.used));
	maker.taken = memory_new_zeroed(count, sizeof(*maker.taken));
	labels->text = strtab_new();
	labels->by_function = memory_new(count * sizeof(*labels->by_function));
	ok = maker.names != NULL && maker.name_of != NULL &&
	     maker.used != NULL && maker.taken != NULL &&
	     labels->text != NULL && labels->by_function != NULL &&
	     strtab_add(labels->text, LABEL_ROOT, strlen(LABEL_ROOT)) !=
		     STRTAB_NONE &&
	     count_names(&maker, profile) &&
	     make_labels(labels, &maker, profile);
	buffer_clear(&maker.label);
	strtab_free(maker.names);
	memory_free(maker.name_of);
	memory_free(maker.used);
	memory_free(maker.taken);
	if (ok)
		return CTP_OK;
	return ctp_fail(
		err, CTP_ERR_NOMEM, "out of memory while naming functions");
}

void labels_clear(struct labels *labels)
{
	strtab_free(labels->text);
	memory_free(labels->by_function);
	*labels = (struct labels){NULL, NULL};
}

const char *labels_text(const struct labels *labels, uint32_t function)
{
	return strtab_text(labels->text, labels->by_function[function], NULL);
}
