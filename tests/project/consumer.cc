// SPDX-License-Identifier: MIT
// A minimal recorded C++ program; built against the installed library.
#include <ctprof.h>

static int work(int n)
{
	CTP_FUNCTION();
	if (n > 3)
		throw n; // leaves the range as well
	return n;
}

// Initialisers of options and sites, in any C++ standard.
static bool begins()
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	struct ctp_site_info info = CTP_SITE_INFO_INIT;

	info.name = "consumer";
	return options.size == sizeof(options) && info.file == nullptr &&
	       ctp_site_intern_info(&info) != nullptr;
}

// Arguments of an asynchronous range, without the names of fields.
static void asynchronous()
{
	CTP_SCOPE("asynchronous");
	static struct ctp_site job = {"job", nullptr, 0, 0};
	struct ctp_arg args[2] = {};

	args[0].key = "count";
	args[0].value.number = 1;
	args[1].key = "path";
	args[1].kind = CTP_ARG_STRING;
	args[1].value.string = "a.cc";
	ctp_async_begin_args(&job, 1, args, 2);
	ctp_async_end(&job, 1);
}

int main()
{
	CTP_SCOPE("consumer");
	if (!begins())
		return 2;
	asynchronous();
	try {
		return work(2) + work(4);
	} catch (int n) {
		return n == 4 ? 0 : 1;
	}
}
