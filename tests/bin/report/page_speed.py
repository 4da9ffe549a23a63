# SPDX-License-Identifier: MIT
"""Size of a page of `ctprof report`, and the time until it can be used.

usage: page_speed.py CTPROF DIRECTORY INPUT...

Each input gets a line with the bytes of its page, the bytes after gzip, and the
milliseconds from the start of the load to the first task after the first frame.
Only the sizes, and the number of requests to servers (zero), are checked. By hand, the
inputs may be traces of your own:

    PYTHONPATH=tests/support python3 tests/bin/report/page_speed.py \\
        build/ctprof /tmp/pages INPUT...
"""
import gzip
import os
import subprocess
import sys

from checks import check, finish
import webdriver

MAX_BYTES = 3_000_000
MAX_GZIP_BYTES = 600_000
# After the first frame, the browser runs this task before any input's.
CLOCK = """
addEventListener('load', () => requestAnimationFrame(() => setTimeout(() => {
    window.usableMs = performance.now();
})));
"""
REQUESTS = "return performance.getEntriesByType('resource').length"


def write_page(ctprof, directory, number, path):
    page = os.path.join(directory, f"page{number}.html")
    subprocess.run([ctprof, "report", "-q", "-o", page, path], check=True)
    return os.path.abspath(page)


def measure(browser, name, page):
    with open(page, "rb") as file:
        data = file.read()
    zipped = len(gzip.compress(data, 6))
    browser.open("file://" + page)
    usable = browser.wait("window.usableMs")
    print(f"{name}: {len(data):,} bytes, {zipped:,} gzip'd, "
          f"usable after {usable:.0f} ms")
    check(len(data) <= MAX_BYTES, f"{name}: at most 3 MB", len(data))
    check(zipped <= MAX_GZIP_BYTES, f"{name}: at most 600 kB gzip'd", zipped)
    requests = browser.script(REQUESTS)
    check(requests == 0, f"{name}: no request to a server", requests)


def main(ctprof, directory, *inputs):
    reason = webdriver.missing()
    if reason is not None:
        print("skipped:", reason)
        sys.exit(77)
    os.makedirs(directory, exist_ok=True)
    with webdriver.Browser(os.path.join(directory, "browser")) as browser:
        browser.devtools("Page.addScriptToEvaluateOnNewDocument",
                         source=CLOCK)
        for number, path in enumerate(inputs):
            page = write_page(ctprof, directory, number, path)
            measure(browser, os.path.basename(path), page)
    finish()


main(*sys.argv[1:])
