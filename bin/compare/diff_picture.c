/* SPDX-License-Identifier: MIT */
#include "compare/diff_picture.h"

#include <string.h>

#include "cli/command.h"
#include "flamegraph/flame_svg.h"
#include "input/input.h"
#include "base/memory.h"
#include "cli/output.h"
#include "cli/diag.h"

/* What is in a directory is read as sums, and so are many profiles. */
static bool have_trees(const struct comparison *comparison,
	const struct comparison_profiles *profiles)
{
	for (size_t i = 0; i < profiles->count; i++) {
		const struct profile *profile = profiles->items[i];

		if (profile->node_count > 0 || profile->function_count == 0)
			continue;
		diag("%s: holds who called whom, but no paths of calls, which "
		     "--svg shows",
			input_name(comparison->inputs.paths[i]));
		return false;
	}
	return true;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL || slash[1] == '\0' ? path : slash + 1;
}

/* "a.ctp → b.ctp"; to be freed. NULL if out of memory. */
static char *make_title(const struct comparison *comparison)
{
	char *const *paths = comparison->inputs.paths;
	size_t news = comparison->inputs.count - comparison->base_count;
	char *title = NULL;
	int size;

	if (comparison->runs)
		size = asprintf(&title,
			"%zu runs like %s \xe2\x86\x92 %zu like %s",
			comparison->base_count, last_part(paths[0]), news,
			last_part(paths[comparison->base_count]));
	else
		size = asprintf(&title, "%s \xe2\x86\x92 %s",
			last_part(paths[0]), last_part(paths[1]));
	return size < 0 ? NULL : title;
}

/* Joins the runs; NULL if out of memory. */
static struct flame_diff *join(const struct comparison *comparison,
	const struct comparison_profiles *profiles)
{
	struct flame_diff *diff = flame_diff_new(comparison->match);
	enum ctp_status status = diff == NULL ? CTP_ERR_NOMEM : CTP_OK;

	for (size_t i = 0; i < profiles->count && status == CTP_OK; i++)
		status = flame_diff_add(diff,
			i < comparison->base_count ? DIFF_BASE : DIFF_NEW,
			profiles->items[i], NULL);
	if (status != CTP_OK) {
		flame_diff_free(diff);
		return NULL;
	}
	flame_diff_finish(diff);
	return diff;
}

static int draw(const struct flame_diff *diff, const char *title,
	const char *path, bool force)
{
	struct output output;
	enum ctp_status drawn;
	int status = output_open(&output, path, force, false);

	if (status != EXIT_DONE)
		return status;
	drawn = flame_svg_write_diff(output.file, diff, title, NULL);
	if (drawn != CTP_OK)
		status = diag_no_memory(NULL);
	return exit_worse(status, output_close(&output, drawn == CTP_OK));
}

int diff_picture_write(const struct comparison *comparison,
	const struct comparison_profiles *profiles, const char *path,
	bool force)
{
	struct flame_diff *diff;
	char *title;
	int status = EXIT_LIMIT;

	if (!have_trees(comparison, profiles))
		return EXIT_INPUT;
	diff = join(comparison, profiles);
	title = make_title(comparison);
	if (diff != NULL && title != NULL)
		status = draw(diff, title, path, force);
	else
		diag_no_memory(NULL);
	flame_diff_free(diff);
	memory_free(title);
	return status;
}
