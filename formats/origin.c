/* SPDX-License-Identifier: MIT */
#include "origin.h"

#include <string.h>
#include <sys/stat.h>

static enum ctp_status open_file(
	struct origin *origin, const char *path, struct ctp_error *err)
{
	struct stat found;

	origin->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	if (origin->file == NULL)
		return ctp_fail(
			err, CTP_ERR_IO, ERROR_NO_OFFSET, "cannot open");
	if (fstat(fileno(origin->file), &found) == 0 && S_ISREG(found.st_mode))
		origin->size_bytes = (uint64_t)found.st_size;
	origin->head_size =
		fread(origin->head, 1, sizeof(origin->head), origin->file);
	if (ferror(origin->file))
		return ctp_fail(
			err, CTP_ERR_IO, ERROR_NO_OFFSET, "cannot read");
	if (origin->head_size == 0)
		return ctp_fail(
			err, CTP_ERR_FORMAT, ERROR_NO_OFFSET, "is empty");
	return CTP_OK;
}

/* Something we write but do not read deserves a better message. */
static enum ctp_status refuse_unknown(
	const struct origin *origin, struct ctp_error *err)
{
	for (const struct format *const *at = formats; *at != NULL; at++)
		if ((*at)->probe != NULL && (*at)->open_events == NULL &&
			(*at)->probe(origin->head, origin->head_size) != 0)
			return ctp_fail(err, CTP_ERR_FORMAT, ERROR_NO_OFFSET,
				"is %s, which ctprof writes but does not read",
				(*at)->name);
	return ctp_fail(err, CTP_ERR_FORMAT, ERROR_NO_OFFSET,
		"is in no format that ctprof reads; see 'ctprof formats'");
}

static enum ctp_status open_source(
	struct origin *origin, const struct format *from, struct ctp_error *err)
{
	origin->format = from;
	if (from == NULL)
		origin->format = format_probe(origin->head, origin->head_size);
	if (origin->format == NULL)
		return refuse_unknown(origin, err);
	if (origin->format->open_events == NULL)
		return ctp_fail(err, CTP_ERR_UNSUPPORTED, ERROR_NO_OFFSET,
			"ctprof writes %s but does not read it",
			origin->format->name);
	return origin->format->open_events(origin->file, origin->head,
		origin->head_size, &origin->source, err);
}

static void close_file(struct origin *origin)
{
	if (origin->file != NULL && origin->file != stdin)
		(void)fclose(origin->file);
	origin->file = NULL;
}

enum ctp_status origin_open(struct origin *origin, const char *path,
	const struct format *from, struct ctp_error *err)
{
	enum ctp_status status;

	origin->file = NULL;
	origin->source = NULL;
	origin->size_bytes = 0;
	status = open_file(origin, path, err);
	if (status == CTP_OK)
		status = open_source(origin, from, err);
	if (status != CTP_OK)
		close_file(origin);
	return status;
}

void origin_close(struct origin *origin)
{
	origin->source->close(origin->source);
	close_file(origin);
}
