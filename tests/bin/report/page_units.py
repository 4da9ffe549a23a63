# SPDX-License-Identifier: MIT
"""Runs unit tests of the page's scripts within a page: page_units.py DIRECTORY
PAGE SCRIPT...

A script calls equal(WHAT, GOT, WANTED); all
functions of the page are global.
"""
import os
import sys

from checks import check, finish
import webdriver

HARNESS = """
const results = [];
const equal = (what, got, wanted) => results.push([what,
    JSON.stringify(got), JSON.stringify(wanted)]);
%s
return results;
"""


def main(directory, page, *scripts):
    reason = webdriver.missing()
    if reason is not None:
        print("skipped:", reason)
        sys.exit(77)
    with webdriver.Browser(os.path.join(directory, "browser")) as browser:
        for script in scripts:
            browser.open("file://" + os.path.abspath(page))
            with open(script, encoding="utf-8") as text:
                results = browser.script(HARNESS % text.read())
            name = os.path.basename(script)
            check(len(results) > 0, f"{name}: has tests")
            for what, got, wanted in results:
                check(got == wanted, f"{name}: {what}",
                      f"{got}, wanted {wanted}")
            check(not browser.complaints(), f"{name}: no script complains")
    finish()


main(*sys.argv[1:])
