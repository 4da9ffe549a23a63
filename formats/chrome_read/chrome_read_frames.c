/* SPDX-License-Identifier: MIT */
#include "chrome_read/chrome_read_frames.h"

#include <string.h>

#include "base/memory.h"
#include "base/strtab.h"

void chrome_read_frames_init(struct chrome_read_frames *frames,
	struct trace *trace, struct chrome_read_args *args)
{
	*frames = (struct chrome_read_frames){.trace = trace, .args = args};
}

void chrome_read_frames_clear(struct chrome_read_frames *frames)
{
	memory_free(frames->frames);
	buffer_clear(&frames->text);
}

static enum ctp_status intern(struct chrome_read_frames *frames,
	const struct json_scan *scan, const struct json_token *token,
	uint32_t *number, struct ctp_error *err)
{
	const char *text;
	size_t size;

	*number = STRTAB_NONE;
	if (chrome_read_args_plain(frames->args, scan, token, &text, &size))
		*number = strtab_add(frames->trace->text, text, size);
	if (*number == STRTAB_NONE)
		return ctp_no_memory(err);
	return CTP_OK;
}

static bool is_key(const struct json_scan *scan, const struct json_token *token,
	const char *key)
{
	return token->size == strlen(key) &&
	       memcmp(json_scan_text(scan, token), key, token->size) == 0;
}

static enum ctp_status read_frame(struct chrome_read_frames *frames,
	struct json_scan *scan, struct chrome_read_frame *frame,
	struct ctp_error *err)
{
	struct json_token token;
	enum ctp_status status = CTP_OK;

	while (status == CTP_OK) {
		uint32_t *into = NULL;

		status = json_scan_next(scan, &token, err);
		if (status != CTP_OK || token.kind == JSON_END)
			break;
		if (is_key(scan, &token, "name"))
			into = &frame->name;
		else if (is_key(scan, &token, "parent"))
			into = &frame->parent;
		status = json_scan_next(scan, &token, err);
		if (status != CTP_OK)
			break;
		if (token.kind == JSON_OBJECT || token.kind == JSON_ARRAY)
			status = json_scan_skip(scan, err);
		else if (into != NULL && token.kind != JSON_NULL)
			status = intern(frames, scan, &token, into, err);
	}
	return status;
}

enum ctp_status chrome_read_frames_read(struct chrome_read_frames *frames,
	struct json_scan *scan, struct ctp_error *err)
{
	struct json_token token;
	enum ctp_status status = CTP_OK;
	uint32_t key;

	while (status == CTP_OK) {
		struct chrome_read_frame frame = {0, 0};

		status = json_scan_next(scan, &token, err);
		if (status != CTP_OK || token.kind == JSON_END)
			break;
		status = intern(frames, scan, &token, &key, err);
		if (status == CTP_OK)
			status = json_scan_next(scan, &token, err);
		if (status != CTP_OK)
			break;
		if (token.kind == JSON_ARRAY) {
			status = json_scan_skip(scan, err);
		} else if (token.kind == JSON_OBJECT) {
			status = read_frame(frames, scan, &frame, err);
			if (status == CTP_OK &&
				!array_ensure_index(&frames->frames, key,
					&frames->room, sizeof(*frames->frames)))
				status = ctp_no_memory(err);
			if (status == CTP_OK)
				frames->frames[key] = frame;
		}
	}
	return status;
}

bool chrome_read_frames_write(struct chrome_read_frames *frames, uint32_t key)
{
	uint32_t keys[CHROME_READ_FRAMES_SHOWN];
	uint32_t count = 0;

	frames->text.used = 0;
	/* Frames may be their own parents. */
	for (; key != 0 && key < frames->room &&
		count < CHROME_READ_FRAMES_SHOWN;
		key = frames->frames[key].parent)
		keys[count++] = key;
	while (count-- > 0) {
		size_t size;
		const char *name = strtab_text(frames->trace->text,
			frames->frames[keys[count]].name, &size);

		buffer_add(&frames->text, name, size);
		if (count > 0)
			buffer_add_byte(&frames->text, ';');
	}
	return !frames->text.failed;
}
