# SPDX-License-Identifier: MIT
"""The page of `ctprof report`, in a browser: it draws, zooms, searches and
sorts, with the mouse and with the keyboard, in light and dark; and no script
reports an error.

usage: report_browser.py CTPROF DIRECTORY EXACT TORCH_TRACE COMPILE JOB INPUT...

EXACT is the trace written by report_browser.sh; the next two are logs of one
compilation; JOB is the summary of a job with three hosts.
"""
import json
import os
import subprocess
import sys

from checks import check, finish
import report_access
import webdriver

ROW = 20
GRAPH = ".graph canvas"
# The number of colours in a canvas; a blank one has one.
DRAWN = """
const canvas = document.querySelector(arguments[0]);
const bytes = canvas.getContext('2d')
    .getImageData(0, 0, canvas.width, canvas.height).data;
return new Set(new Uint32Array(bytes.buffer)).size;
"""
CELLS = """
return [...document.querySelectorAll(
    '#functions tbody tr:not(.more)')].map(
        row => row.cells[arguments[0]].innerText.split('\\n')[0]);
"""


class Page:
    def __init__(self, browser, path):
        self.browser = browser
        browser.open("file://" + os.path.abspath(path))

    def words(self, css):
        return self.browser.script(
            "return document.querySelector(arguments[0]).innerText", css)

    def attribute(self, css, name):
        return self.browser.script(
            "return document.querySelector(arguments[0])"
            ".getAttribute(arguments[1])", css, name)

    def sections(self):
        return self.browser.script(
            "return [...document.querySelectorAll('section')]"
            ".map(section => section.id)")

    def colour(self):
        return self.browser.script(
            "return getComputedStyle(document.body).backgroundColor")

    def zoom(self):
        return self.attribute(GRAPH, "data-zoom")

    def point(self, share, row):
        """A place in the graph, relative to the middle of its canvas."""
        width, height = self.browser.script(
            "const canvas = document.querySelector(arguments[0]);"
            "canvas.scrollIntoView({block: 'center'});"
            "const box = canvas.getBoundingClientRect();"
            "return [box.width, box.height]",
            GRAPH)
        return (round(width * (share - 0.5)),
                round(ROW * row + ROW / 2 - height / 2))

    def click(self, share, row):
        self.browser.click_at(GRAPH, *self.point(share, row))

    def is_quiet(self, name):
        complaints = self.browser.complaints()
        for complaint in complaints:
            print(complaint)
        check(not complaints, name + ": no script complains")


def check_numbers(page):
    """Three digits, also if rounding adds one."""
    for ns, text in ((0, "0 ns"), (999, "999 ns"), (1234, "1.23 \u00b5s"),
                     (9996, "10.0 \u00b5s"), (99960, "100 \u00b5s"),
                     (999400, "999 \u00b5s"), (999600, "1.00 ms"),
                     (999700000, "1.00 s"), (99970000000, "100 s"),
                     (1234567000000000, "1,234,567 s")):
        got = page.browser.script("return timeText(arguments[0])", ns)
        check(got == text, f"{ns} ns are {text}: {got}")


def check_mouse(page):
    browser = page.browser
    check(page.zoom() == "all", "all is shown at first")
    page.click(0.75, 2)
    check(page.zoom() == "other", "a click zooms")
    check("30.0 \u00b5s in all" in page.words("#flame-status"),
          "what was clicked is told")
    page.click(0.5, 1)
    check(page.zoom() == "main", "a click on a caller zooms out")
    browser.click("#reset")
    check(page.zoom() == "all", "a button resets the zoom")
    browser.move(GRAPH, *page.point(0.25, 3))
    check("inner" in page.words("#tip"), "what is pointed at is told")
    browser.move("h1")
    check(page.attribute("#tip", "hidden") is not None, "and no more")


def check_search(page):
    browser = page.browser
    browser.keys("/")
    browser.keys("^inner|other")
    check(page.words("#found") == "2 frames, 80.0 %",
          "typing searches by expressions: " + page.words("#found"))
    browser.keys(webdriver.ENTER)
    check(page.words("#flame-status").startswith("inner"),
          "Enter goes to what was found")
    browser.keys(webdriver.ESCAPE)
    check(page.words("#found") == "", "Esc ends the search")
    browser.keys("main(")
    check(page.words("#found").startswith("0 frames"),
          "what is no expression is text")
    browser.keys(webdriver.ESCAPE)
    browser.keys("^all$")
    check(page.words("#found") == "0 frames, 0.0 %",
          "the root is no function that is searched for")
    browser.keys(webdriver.ESCAPE)


def check_keys(page):
    browser = page.browser
    keys = webdriver
    browser.keys(keys.TAB + keys.TAB)
    check(browser.script("return document.activeElement.tagName") ==
          "CANVAS", "Tab leads from the search to the graph")
    browser.keys(keys.HOME)
    for key, name in ((keys.DOWN, "main"), (keys.DOWN, "outer"),
                      (keys.RIGHT, "other"), (keys.LEFT, "outer"),
                      (keys.UP, "main"), (keys.DOWN, "outer")):
        browser.keys(key)
        check(page.words("#flame-status").startswith(name),
              "arrows lead to " + name)
    browser.keys(keys.ENTER)
    check(page.zoom() == "outer", "Enter zooms")
    browser.keys(keys.ESCAPE)
    check(page.zoom() == "all", "Esc zooms out")


def check_tables(page):
    browser = page.browser
    check(browser.script(CELLS, 0)[0] == "inner",
          "functions stand by their own time")
    browser.click("#functions th:nth-child(4) button")
    check(browser.script(CELLS, 0) == ["main", "outer", "inner", "other",
                                       "leaf", "cudaLaunchKernel"] and
          page.attribute("#functions th:nth-child(4)", "aria-sort") ==
          "descending", "a click sorts")
    check(browser.script(CELLS, 5)[:2] == ["100.0 %", "60.0 %"],
          "shares stand beside the times", browser.script(CELLS, 5))
    browser.click("#functions th:nth-child(4) button")
    check(browser.script(CELLS, 0)[0] == "cudaLaunchKernel" and
          page.attribute("#functions th:nth-child(4)", "aria-sort") ==
          "ascending", "another one turns it round")
    browser.click("#functions input")
    browser.keys("OUT|LEA[F]")
    check(browser.script(CELLS, 0) == ["leaf", "outer"],
          "typing filters by expressions", browser.script(CELLS, 0))


def relatives(page):
    return page.browser.script(
        "return [...document.querySelectorAll('.sandwich table')]"
        ".map(table => [...table.tBodies[0].rows].map(row => "
        "[...row.cells].map(cell => cell.innerText).filter(text => text)))")


def check_sandwich(page):
    browser = page.browser
    browser.script("document.querySelector('#functions input').value = '';"
                   "document.querySelector('#functions input')"
                   ".dispatchEvent(new Event('input'))")
    browser.script("[...document.querySelectorAll('#functions td button')]"
                   ".find(button => button.innerText === 'outer').click()")
    callers, callees = relatives(page)
    check([row[0] for row in callers + callees] == ["main", "inner"],
          "a click shows callers and callees", (callers, callees))
    check(page.words(".sandwich h3") == "outer", "below the name")
    check(browser.script("return document.activeElement.innerText") ==
          "outer", "which has the focus")
    check([row[3:] for row in callers + callees] ==
          [["100.0 %", "60.0 %"], ["83.3 %", "100.0 %"]],
          "with shares of both", (callers, callees))
    check(browser.script("return [...document.querySelectorAll("
                         "'.sandwich canvas')].length") == 2,
          "and two flame graphs")
    check("functions.open=outer" in
          browser.script("return location.hash"), "the address has it")
    browser.click(".sandwich .pair > :nth-child(2) td button")
    check(page.words(".sandwich h3") == "inner", "callees lead to theirs")
    browser.script("location.hash = '#functions?functions.open=other'")
    browser.wait("document.querySelector('.sandwich h3').innerText"
                 " === 'other'")
    browser.click(".sandwich .close")
    check(browser.script("return document.querySelector('.sandwich') === null")
          and "functions.open" not in browser.script(
              "return location.hash"), "a button closes it")


def check_theme(page):
    browser = page.browser
    light = page.colour()
    pixels = browser.script(
        "return document.querySelector(arguments[0]).toDataURL()", GRAPH)
    browser.prefer("dark")
    dark = page.colour()
    check(light != dark, "it is dark where that is preferred")
    check(pixels != browser.script(
        "return document.querySelector(arguments[0]).toDataURL()", GRAPH),
        "and so is what is drawn")
    check(page.attribute("#theme", "aria-pressed") == "true",
          "as the button says")
    browser.click("#theme")
    check(page.colour() == light, "the button makes it light")
    browser.prefer("light")
    browser.click("#theme")
    check(page.colour() == dark, "and dark")


def check_navigation(page, path):
    """Links keep the view, the current section is marked, and a copied
    address opens the same section, input and theme."""
    browser = page.browser
    marked = ("[...document.querySelectorAll('nav [aria-current]')]"
              ".map(link => link.getAttribute('href')).join()")
    browser.resize(390, 800)
    browser.script("viewSet('flame.search', 'leaf')")
    browser.click("nav a[href='#functions']")
    check("#functions?" in browser.script("return location.hash") and
          "flame.search=leaf" in browser.script("return location.hash"),
          "a link keeps the view's values",
          browser.script("return location.hash"))
    browser.wait(marked + " === '#functions'")
    top = browser.script("return document.getElementById('functions')"
                         ".getBoundingClientRect().top -"
                         "document.getElementById('nav')"
                         ".getBoundingClientRect().bottom")
    check(0 <= top < 60, "its heading is below the navigation", top)
    check(browser.script("return document.getElementById('nav')"
                         ".clientHeight") < 60, "which has one row")
    browser.click("nav a[href='#timeline']")
    browser.wait(marked + " === '#timeline'")
    browser.script("history.back()")
    browser.wait(marked + " === '#functions'")
    browser.script("const input = document.getElementById('input');"
                   "input.value = 1;"
                   "input.dispatchEvent(new Event('change'))")
    check("flame" not in browser.script("return location.hash"),
          "another input has its own values")
    browser.script("if (!isDark()) document.getElementById('theme').click()")
    name, dark = page.words("h1"), page.colour()
    browser.click("nav a[href='#flame']")
    address = browser.script("return location.hash")
    browser.open("about:blank")
    browser.open("file://" + os.path.abspath(path) + address)
    check((page.words("h1"), page.colour()) == (name, dark),
          "an address has the input and the theme", address)
    browser.wait(marked + " === '#flame'")
    browser.script("history.replaceState(null, '',"
                   "'#x?page.input=99&page.theme=%3Cscript%3E'); goToView()")
    check(page.words("h1") != name and not browser.script(
        "return document.documentElement.dataset.theme"),
        "values that are unknown are ignored")
    browser.resize(1280, 900)
    page.is_quiet("navigation")


def check_device(page):
    browser = page.browser
    check("40.0 \u00b5s" in page.words("#kernels tbody"),
          "what the GPU did is in a table")
    check("busy 33.3 %" in page.words("#gaps"), "and when it was idle")
    browser.click("#show-device")
    page.click(0.5, 3)
    check(page.zoom() == "void k<int>(int)",
          "its time is below the function that launched it")
    browser.click("#show-host")
    check(page.zoom() == "all", "and the host's is there again")


# The middle of a slice's row in the timeline's canvas.
SLICE = """
const graph = parts.find((part) => part.id === 'timeline').graph;
const model = graph.scene.model;
const item = graph.scene.layout.items.find((item) => item.kind === 'row' &&
    item.lane.stream === arguments[0] && item.depth === arguments[1]);
graph.canvas.scrollIntoView({block: 'center'});
const box = graph.canvas.getBoundingClientRect();
graph.drawNow();
return [Math.round((arguments[2] - graph.scene.view.from) /
    graph.scene.view.perPixel - box.width / 2),
    Math.round(item.y + item.height / 2 + LANE_AXIS - host(graph) -
    box.height / 2)];
function host(graph) { return graph.host.scrollTop; }
"""
CANVAS = "#timeline canvas"


def check_timeline_mouse(page):
    """Clicks select; details lead from a launch to its kernel and back."""
    browser = page.browser

    def place(stream, depth, micros):
        return browser.script(SLICE, stream, depth, micros * 1000)

    browser.click_at(CANVAS, *place(False, 2, 50))
    check(page.words("#timeline-status").startswith("inner"),
          "a click selects a slice", page.words("#timeline-status"))
    browser.click_at(CANVAS, *place(True, 0, 100))
    check("cudaLaunchKernel" in page.words("#timeline .details:not([hidden])"),
          "a kernel has its launch")
    browser.script("[...document.querySelectorAll('#timeline .details button')]"
                   ".find(b => b.innerText.startsWith('cudaLaunch')).click()")
    check(page.words("#timeline-status").startswith("cudaLaunchKernel"),
          "which can be gone to")
    check("void k<int>(int)" in
          page.words("#timeline .details:not([hidden])"),
          "and has its kernel")
    check("timeline.slice=" in browser.script("return location.hash"),
          "the selected slice is in the address")


def check_timeline_keys(page):
    browser = page.browser
    browser.script("document.querySelector('#timeline canvas').focus()")
    browser.keys(webdriver.ESCAPE)
    browser.keys(webdriver.RIGHT + webdriver.DOWN + webdriver.DOWN)
    check(page.words("#timeline-status").startswith("inner"),
          "arrows lead through the timeline",
          page.words("#timeline-status"))
    browser.keys("w")
    browser.script("const input = document.querySelector('#timeline input');"
                   "input.value = 'leaf|other';"
                   "input.dispatchEvent(new Event('input'))")
    check(page.words("#timeline-found") == "2 slices, 50.0 \u00b5s",
          "a search counts slices", page.words("#timeline-found"))
    browser.keys("n")
    check(page.words("#timeline-status").startswith("leaf"),
          "n goes to what was found")
    browser.script("parts.find((part) => part.id === 'timeline').graph"
                   ".setRange({from: 10000, to: 70000})")
    rows = browser.script("return [...document.querySelectorAll("
                          "'#timeline-range tbody tr')].map(row => "
                          "[...row.cells].map(cell => cell.innerText))")
    check(rows[0][:3] == ["main", "1", "60.0 \u00b5s"] and
          ["inner", "1", "40.0 \u00b5s", "66.7 %", "30.0 \u00b5s"] in rows,
          "a range has exact statistics", rows)
    browser.script("[...document.querySelectorAll('#timeline .details button')]"
                   ".find(b => b.innerText.startsWith('Find')).click()")
    check(page.words("#found").startswith("1 frame"),
          "a button finds a slice in the flame graph", page.words("#found"))


def check_frames(page):
    """Prints how long frames take with many slices."""
    times = page.browser.script("""
const graph = parts.find((part) => part.id === 'timeline').graph;
const {model} = graph.scene;
const times = [];
for (let i = 0; i < 30; i++) {
    const span = model.span * Math.pow(0.8, i % 15);
    const before = performance.now();
    graph.show(model.span * i / 60, model.span * i / 60 + span);
    graph.drawNow();
    times.push(performance.now() - before);
}
return [model.count, ...times.sort((a, b) => a - b)];
""")
    print(f"{times[0]} slices: a frame takes {times[15]:.1f} ms, "
          f"at most {times[-1]:.1f} ms")


def check_exact(page):
    check(page.sections() == ["findings", "summary", "timeline", "flame", "functions",
                              "kernels", "gaps"], "all parts are there")
    check_numbers(page)
    check_mouse(page)
    check_search(page)
    check_keys(page)
    check_tables(page)
    check_sandwich(page)
    check_device(page)
    check_timeline_mouse(page)
    check_timeline_keys(page)
    check_frames(page)
    check_theme(page)
    page.is_quiet("exact")


def check_any(page, name):
    """Checks that hold for every input."""
    browser = page.browser
    sections = page.sections()
    lost = browser.script("return document.querySelectorAll("
                          "'#summary .bad li').length")
    check(("cut" in name) == (lost > 0), name + ": losses are told")
    check(browser.script("return document.documentElement.scrollWidth") <=
          browser.script("return innerWidth"), name + ": fits its width")
    if "empty" in name:
        check("No time was spent" in page.words("#flame"),
              name + ": says that nothing is there")
    else:
        check(browser.script(DRAWN, GRAPH) > 3, name + ": draws the graph")
        check("functions" in sections, name + ": has functions")
    if "timeline" in sections:
        check(browser.script(DRAWN, "#timeline canvas") > 1,
              name + ": draws the timeline")
        check(browser.script(
            "const {lanes} = parts.find(part => part.id === 'timeline')"
            ".graph.scene.model;"
            "return new Set(lanes.map(lane => processTitle(lane) +"
            " laneTitle(lane))).size === lanes.length"),
              name + ": no two lanes are called the same")
    check(("kernels" in sections) == ("a100" in name),
          name + ": tells of a GPU if there is one")
    page.is_quiet(name)


def check_compile(page):
    """The page opens with compilations; rows unfold."""
    browser = page.browser
    check(page.sections()[:2] == ["findings", "compile"],
          "compilations come first")
    titles = browser.script("return [...document.querySelectorAll("
                            "'#compile h3')].map(title => title.innerText)")
    check(titles == ["Each compilation", "Graph breaks", "Compiled again",
                     "Functions that were traced",
                     "Most worth taking out of the compiled region"],
          "each table has a title", titles)
    check("forward" in page.words("#compile tbody td.name"),
          "a compilation has its function")
    check(page.words("#compile .cards dd") == "4", "totals are shown")
    stack = browser.script(
        "document.querySelectorAll('#compile table')[1]"
        ".querySelector('tbody button').click();"
        "return document.querySelector('#compile pre').innerText")
    check("Hint:" in stack, "a graph break unfolds to its details", stack)
    order = """
const table = document.querySelectorAll('#compile table')[3];
const column = [...table.querySelectorAll('th')].findIndex(
    title => title.innerText.startsWith('Ncalls'));
table.querySelectorAll('th button')[column].click();
return [...table.querySelectorAll('tbody tr')].map(
    row => Number(row.cells[column].innerText));
"""
    calls = browser.script(order)
    check(calls == sorted(calls, reverse=True) and len(calls) == 8,
          "functions are sorted", calls)
    check(browser.script("return document.documentElement.scrollWidth") <=
          browser.script("return innerWidth"), "compilations fit the width")
    page.is_quiet("compilations")


def check_job(page):
    """All ranks in one picture; hosts at the push of a button; hostile names
    are only text."""
    browser = page.browser
    check(page.sections() == ["findings", "summary", "ranks", "imbalance", "collectives",
                              "functions", "kernels", "overlap", "gaps"],
          "all parts of a job are there", page.sections())
    check(page.words("#ranks p").startswith("Rank 5 ") and
          "slow compute" in page.words("#ranks p"),
          "the slowest is named, with the reason", page.words("#ranks p"))
    check(browser.script(DRAWN, "#ranks canvas") > 5, "ranks are drawn")
    check(browser.script("return document.documentElement.scrollWidth") <=
          browser.script("return innerWidth"), "the job fits the width")
    browser.script("document.querySelector('#ranks canvas').focus()")
    browser.keys(webdriver.HOME + webdriver.RIGHT * 5)
    check(page.words("#ranks .status").startswith("Rank 5 "),
          "arrows lead to a rank", page.words("#ranks .status"))
    browser.keys(webdriver.ENTER)
    check("own" in page.words("#ranks tr.more"), "Enter opens its row")
    browser.script("document.querySelectorAll('#ranks .choice')[1].click()")
    names = browser.script("return [...document.querySelectorAll("
                           "'#ranks tbody td.name')].map(x => x.innerText)")
    check(len(names) == 3 and any("<script>" in name for name in names),
          "a button shows hosts", names)
    check(browser.script("return document.scripts.length") == 2,
          "no name is a script")
    browser.script("document.querySelectorAll('#ranks .choice')[0].click();"
                   "const input = document.querySelector('#ranks input');"
                   "input.value = 'slow comp';"
                   "input.dispatchEvent(new Event('input'))")
    check(browser.script("return document.querySelectorAll("
                         "'#ranks tbody tr').length") == 1,
          "typing filters ranks")
    page.is_quiet("job")
    report_access.check_document(browser, "job")
    report_access.check_widths(browser, "job")


def check_base(page):
    """The changes come first, and the flame graph's colours are the changes."""
    browser = page.browser
    check(page.sections()[:3] == ["findings", "changes", "changes-flame"],
          "the changes come first", page.sections())
    check("is not in the base" in page.words("#findings"),
          "a finding says what is new")
    check(browser.script("return document.querySelectorAll("
                         "'#changes tbody tr').length") > 3,
          "changed functions are listed")
    check(browser.script(DRAWN, "#changes-flame canvas") > 3,
          "the flame graph of changes is drawn")
    check("was" in page.words("#changes .cards"), "the cards have both sums")
    check(browser.script("return document.documentElement.scrollWidth") <=
          browser.script("return innerWidth"), "changes fit the width")
    page.is_quiet("base")


def check_hostile(browser, ctprof, directory):
    """Names that are elements or scripts are text; nothing is requested; and
    the policy refuses scripts other than the page's."""
    bad = "</script><script>window.ran = 1</script><img src=x onerror=ran=1>"
    event = {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 9, "name": bad,
             "cat": bad, "args": {bad: bad, "file": bad}}
    names = [{"ph": "M", "pid": 1, "tid": 1, "name": kind,
              "args": {"name": bad}} for kind in ("process_name",
                                                  "thread_name")]
    path = os.path.join(directory, "<img src=x onerror=ran=1>'\"\u2028.json")
    text = json.dumps([*names, event, {**event, "ts": 2, "dur": 3,
                                       "name": "\u2028'\"`${ran=1}\x00"},
                       {**event, "ts": 10, "name": "NOT UTF-8"},
                       {**event, "ts": 20, "name": "N" * 1_000_000}])
    with open(path, "wb") as file:
        file.write(text.encode().replace(b"NOT UTF-8", b"\xff\xc3(\xed\xa0\x80"))
    written = os.path.join(directory, "hostile.html")
    subprocess.run([ctprof, "report", "-q", "-o", written, path], check=True)
    with open(written, encoding="utf-8", errors="strict") as file:
        check(len(file.read()) < 3_000_000, "the page is UTF-8 and bounded")
    page = Page(browser, written)
    check("<script>" in page.words("#functions tbody"),
          "hostile names are shown")
    browser.script("document.querySelector('#functions td button').click()")
    browser.script("location.hash = '#</script>?functions.filter=<img>'")
    check(browser.script(
        "return window.ran === undefined && document.scripts.length === 2 &&"
        "document.images.length === 0"), "and are only text")
    check(browser.script("return performance.getEntriesByType('resource')"
                         ".length") == 0, "nothing is requested")
    page.is_quiet("hostile")
    browser.script("const script = document.createElement('script');"
                   "script.textContent = 'window.ran = 1';"
                   "document.body.append(script)")
    check(browser.script("return window.ran === undefined") and
          "Content Security Policy" in " ".join(browser.complaints()),
          "the policy refuses other scripts")


def page_of(ctprof, directory, *paths):
    name = os.path.basename(paths[-1])
    page = os.path.join(directory, f"{name}-{len(paths)}.html")
    subprocess.run([ctprof, "report", "-q", "-o", page, *paths], check=True)
    return name, page


def main(ctprof, directory, exact, *inputs):
    logs, job, inputs = inputs[:2], inputs[2], inputs[3:]
    reason = webdriver.missing()
    if reason is not None:
        print("skipped:", reason)
        sys.exit(77)
    with webdriver.Browser(os.path.join(directory, "browser")) as browser:
        browser.prefer("light")
        check_exact(Page(browser, page_of(ctprof, directory, exact)[1]))
        report_access.check_document(browser, "exact")
        report_access.check_tab(browser, "exact")
        report_access.check_paper(browser, "exact")
        browser.prefer("light")
        browser.resize(390, 800)
        for path in inputs:
            name, page = page_of(ctprof, directory, path)
            check_any(Page(browser, page), name)
            report_access.check_document(browser, name)
        check_compile(Page(browser, page_of(ctprof, directory, *logs)[1]))
        browser.prefer("dark")
        check_job(Page(browser, page_of(ctprof, directory, job)[1]))
        check_base(Page(browser, page_of(ctprof, directory, "--base",
                                         inputs[0], exact)[1]))
        check_hostile(browser, ctprof, directory)
        name, both = page_of(ctprof, directory, exact, inputs[0])
        page = Page(browser, both)
        browser.script("const input = document.getElementById('input');"
                       "input.value = 1;"
                       "input.dispatchEvent(new Event('change'))")
        check(page.words("h1") == name, "another input can be chosen")
        browser.script("chooseInput(0)")
        check_navigation(page, both)
        page.is_quiet("two inputs")
    finish()


main(*sys.argv[1:])
