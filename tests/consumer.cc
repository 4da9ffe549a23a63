// SPDX-License-Identifier: MIT
// What a C++ program needs to be recorded; built against what is installed.
#include <ctprof.h>

static int work(int n)
{
	CTP_FUNCTION();
	if (n > 3)
		throw n; // leaves the range as well
	return n;
}

// What options and sites begin with, in the C++ of any year.
static bool begins()
{
	struct ctp_options options = CTP_OPTIONS_INIT;
	struct ctp_site_info info = CTP_SITE_INFO_INIT;

	info.name = "consumer";
	return options.size == sizeof(options) && info.file == nullptr &&
	       ctp_site_intern_info(&info) != nullptr;
}

int main()
{
	CTP_SCOPE("consumer");
	if (!begins())
		return 2;
	try {
		return work(2) + work(4);
	} catch (int n) {
		return n == 4 ? 0 : 1;
	}
}
