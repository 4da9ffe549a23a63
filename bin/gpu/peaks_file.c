/* SPDX-License-Identifier: MIT */
#include "gpu/peaks_file.h"

#include <errno.h>

#include "cli/command.h"
#include "base/memory.h"
#include "cli/diag.h"

#define GFLOPS_PER_TFLOPS 1000

static int diag_device(const char *path, const char *device, const char *what)
{
	diag("%s: \"%s\": %s", path, device, what);
	return EXIT_INPUT;
}

/* Reads a number above 0, times `units`; 0 if it is anything else. */
static uint32_t read_number(const json_t *value, double units)
{
	double number = json_is_number(value) ? json_number_value(value) : 0;

	return number > 0 && number * units < UINT32_MAX
		       ? (uint32_t)(number * units + 0.5)
		       : 0;
}

static int read_rates(
	const char *path, const char *device, json_t *rates, struct peak *peak)
{
	const char *name;
	json_t *value;

	json_object_foreach(rates, name, value)
	{
		enum dtype dtype = dtype_find(name);

		if (dtype == DTYPE_UNKNOWN)
			return diag_device(path, device,
				"a type in \"tflops\" is not one of fp64, "
				"fp32, tf32, bf16, fp16, fp8, int8");
		peak->gflops[dtype] = read_number(value, GFLOPS_PER_TFLOPS);
		if (peak->gflops[dtype] == 0)
			return diag_device(path, device,
				"a value in \"tflops\" is not a number above "
				"0");
	}
	return EXIT_DONE;
}

static int read_device(
	const char *path, const char *name, json_t *value, struct peak *peak)
{
	const json_t *bandwidth = json_object_get(value, "gb_per_s");
	json_t *rates = json_object_get(value, "tflops");

	*peak = (struct peak){.name = name, .source = path};
	if (!json_is_object(value) ||
		(rates != NULL && !json_is_object(rates)) ||
		(rates == NULL && bandwidth == NULL))
		return diag_device(path, name,
			"is not an object with \"tflops\" or \"gb_per_s\"");
	peak->gb_per_s = read_number(bandwidth, 1);
	if (bandwidth != NULL && peak->gb_per_s == 0)
		return diag_device(
			path, name, "\"gb_per_s\" is not a number above 0");
	return rates == NULL ? EXIT_DONE : read_rates(path, name, rates, peak);
}

/* NULL after reporting an error. */
static json_t *load_json(const char *path)
{
	FILE *in = fopen(path, "re");
	struct ctp_error err = {0};
	json_error_t error;
	json_t *root;

	if (in == NULL) {
		(void)ctp_fail(&err, CTP_ERR_IO, "cannot open");
		diag_error(path, &err);
		return NULL;
	}
	root = json_loadf(in, JSON_REJECT_DUPLICATES, &error);
	if (root == NULL && ferror(in)) {
		(void)ctp_fail(&err, CTP_ERR_IO, "cannot read");
		diag_error(path, &err);
	} else if (root == NULL) {
		diag("%s: line %d: %s", path, error.line, error.text);
	}
	(void)fclose(in);
	return root;
}

int peaks_file_read(struct peaks_file *file, const char *path)
{
	const char *name;
	json_t *value;
	int status = EXIT_DONE;

	*file = (struct peaks_file){.root = load_json(path)};
	if (file->root == NULL)
		return EXIT_INPUT;
	if (!json_is_object(file->root)) {
		diag("%s: is not an object of devices", path);
		return EXIT_INPUT;
	}
	file->peaks = memory_new_zeroed(
		json_object_size(file->root) + 1, sizeof(*file->peaks));
	if (file->peaks == NULL)
		return diag_no_memory(path);
	json_object_foreach(file->root, name, value)
	{
		if (status == EXIT_DONE)
			status = read_device(
				path, name, value, &file->peaks[file->count++]);
	}
	return status;
}

void peaks_file_clear(struct peaks_file *file)
{
	memory_free(file->peaks);
	json_decref(file->root);
	*file = (struct peaks_file){.peaks = NULL};
}
