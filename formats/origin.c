/* SPDX-License-Identifier: MIT */
#include "origin.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/foreign.h"
#include "io/inflate_source.h"
#include "base/memory.h"
#include "base/pipe.h"
#include "compilers/trace_detail.h"

/* Not through the stream, which would read ahead: who unpacks the file wants
 * all of the rest from its descriptor. */
static enum ctp_status read_head(struct origin *origin, struct ctp_error *err)
{
	int fd = fileno(origin->file);
	ssize_t got = 1;

	origin->head_size = 0;
	while (got > 0 && origin->head_size < sizeof(origin->head)) {
		got = read(fd, origin->head + origin->head_size,
			sizeof(origin->head) - origin->head_size);
		if (got < 0 && errno == EINTR)
			got = 1;
		else if (got > 0)
			origin->head_size += (size_t)got;
	}
	if (got < 0)
		return ctp_fail(
			err, CTP_ERR_IO, ERROR_NO_OFFSET, "cannot read");
	return CTP_OK;
}

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
	else
		pipe_widen(fileno(origin->file));
	memory_expect(origin->size_bytes > 0 ? origin->size_bytes : UINT64_MAX);
	return read_head(origin, err);
}

/* Our own log is gzip'd, too, and is read as it is. */
static bool is_packed(const struct origin *origin, const struct format *from)
{
	if (!inflate_file_probe(origin->head, origin->head_size))
		return false;
	if (from == NULL)
		from = format_probe(origin->head, origin->head_size);
	return from != &log_format;
}

/* From now on the file is what it holds. */
static enum ctp_status unpack(struct origin *origin, struct ctp_error *err)
{
	enum ctp_status status = inflate_file_open(&origin->inflate,
		fileno(origin->file), origin->head, origin->head_size, err);

	if (status != CTP_OK)
		return status;
	origin->packed = origin->file;
	origin->file = inflate_file_stream(origin->inflate);
	origin->head_size =
		fread(origin->head, 1, sizeof(origin->head), origin->file);
	if (ferror(origin->file))
		return ctp_fail(
			err, CTP_ERR_IO, ERROR_NO_OFFSET, "cannot read");
	return CTP_OK;
}

/* Nothing is what no reader can read. */
static enum ctp_status refuse_empty(
	const struct origin *origin, struct ctp_error *err)
{
	struct inflate_facts facts;

	if (origin->head_size > 0)
		return CTP_OK;
	if (origin->inflate == NULL)
		return ctp_fail(err, CTP_ERR_FORMAT, ERROR_NO_OFFSET,
			"is empty; a log may still be recorded, and one whose "
			"program was killed needs 'ctprof repair'");
	facts = inflate_file_facts(origin->inflate);
	if (facts.damage != NULL)
		return ctp_fail(err, CTP_ERR_FORMAT, facts.damage_at, "%s",
			facts.damage);
	return ctp_fail(err, CTP_ERR_FORMAT, ERROR_NO_OFFSET,
		"holds nothing: it is an empty file, gzip'd");
}

/* Something we write but do not read deserves a better message. */
static enum ctp_status refuse_unknown(
	const struct origin *origin, struct ctp_error *err)
{
	const char *advice = foreign_advice(origin->head, origin->head_size);
	size_t blank = 0;

	while (blank < origin->head_size &&
		strchr(" \t\r\n", origin->head[blank]) != NULL &&
		origin->head[blank] != '\0')
		blank++;
	if (blank == origin->head_size)
		advice = "holds nothing but white space";
	for (const struct format *const *at = formats; *at != NULL; at++)
		if ((*at)->probe != NULL && (*at)->open_events == NULL &&
			(*at)->probe(origin->head, origin->head_size) != 0)
			return ctp_fail(err, CTP_ERR_FORMAT, ERROR_NO_OFFSET,
				"is %s, which ctprof writes but does not read",
				(*at)->name);
	return ctp_fail(err, CTP_ERR_FORMAT, ERROR_NO_OFFSET, "%s",
		advice != NULL ? advice
			       : "is in no format that ctprof reads; see "
				 "'ctprof formats'");
}

static enum ctp_status open_source(
	struct origin *origin, const struct format *from, struct ctp_error *err)
{
	enum ctp_status status = refuse_empty(origin, err);

	if (status != CTP_OK)
		return status;
	origin->format = from;
	if (from == NULL)
		origin->format = format_probe(origin->head, origin->head_size);
	if (origin->format == NULL)
		return refuse_unknown(origin, err);
	if (origin->format->open_events == NULL)
		return ctp_fail(err, CTP_ERR_UNSUPPORTED, ERROR_NO_OFFSET,
			"ctprof writes %s but does not read it",
			origin->format->name);
	status = origin->format->open_events(origin->file, origin->head,
		origin->head_size, &origin->source, err);
	if (status == CTP_OK && origin->source->format != NULL)
		origin->format = format_find(origin->source->format);
	return status;
}

static void close_file(struct origin *origin)
{
	FILE *file = origin->packed != NULL ? origin->packed : origin->file;

	inflate_file_close(origin->inflate);
	if (file != NULL && file != stdin)
		(void)fclose(file);
	origin->file = NULL;
	origin->packed = NULL;
	origin->inflate = NULL;
}

static enum ctp_status open_packed(
	struct origin *origin, const struct format *from, struct ctp_error *err)
{
	enum ctp_status status = unpack(origin, err);

	if (status == CTP_OK)
		status = open_source(origin, from, err);
	if (status != CTP_OK)
		return status;
	status = inflate_source_open(&origin->source, origin->inflate, err);
	if (status != CTP_OK)
		origin->source->close(origin->source);
	return status;
}

/* Where profiles are made of, names are made in one place. */
static enum ctp_status add_details(struct origin *origin, struct ctp_error *err)
{
	enum ctp_status status = trace_detail_open(&origin->source, err);

	if (status != CTP_OK)
		origin->source->close(origin->source);
	return status;
}

static void reset(struct origin *origin)
{
	origin->file = NULL;
	origin->packed = NULL;
	origin->inflate = NULL;
	origin->source = NULL;
	origin->size_bytes = 0;
}

enum ctp_status origin_open_bytes(
	struct origin *origin, const char *path, struct ctp_error *err)
{
	enum ctp_status status;

	reset(origin);
	status = open_file(origin, path, err);
	if (status == CTP_OK && is_packed(origin, NULL))
		status = unpack(origin, err);
	if (status == CTP_OK)
		origin->format = format_probe(origin->head, origin->head_size);
	else
		close_file(origin);
	return status;
}

void origin_close_bytes(struct origin *origin)
{
	close_file(origin);
}

enum ctp_status origin_open(struct origin *origin, const char *path,
	const struct format *from, struct ctp_error *err)
{
	enum ctp_status status;

	reset(origin);
	status = open_file(origin, path, err);
	if (status == CTP_OK)
		status = is_packed(origin, from)
				 ? open_packed(origin, from, err)
				 : open_source(origin, from, err);
	if (status == CTP_OK && origin->source->read_profile == NULL)
		status = add_details(origin, err);
	if (status != CTP_OK)
		close_file(origin);
	return status;
}

void origin_close(struct origin *origin)
{
	origin->source->close(origin->source);
	close_file(origin);
}
