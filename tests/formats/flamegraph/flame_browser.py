# SPDX-License-Identifier: MIT
"""Flame graphs in a browser: they are drawn, and react to mouse and keyboard,
in light and dark; no script reports an error.

usage: flame_browser.py CTPROF DIRECTORY INPUT...   the first has a device
"""
import os
import subprocess
import sys

from checks import check, finish
import webdriver


# The visible frames of a graph: name, drawn text, and position.
SHOWN = """
return [...document.querySelectorAll('.graph')[arguments[0]].children]
    .filter(g => g.localName === 'g' && g.style.display !== 'none')
    .map(g => {
        const box = g.querySelector('rect').getBBox();
        const text = g.querySelector('text');
        return {name: g.querySelector('title').textContent.split('\\n')[0],
            text: text ? text.textContent : '', x: box.x, y: box.y,
            width: box.width, hit: g.classList.contains('hit'),
            up: g.classList.contains('up'),
            focus: g === document.activeElement,
            end: text ? text.getBBox().x + text.getBBox().width : 0};
    });
"""
# Names a frame so that CSS can find it.
MARK = """
const last = document.getElementById(arguments[2]);
if (last)
    last.removeAttribute('id');
const g = [...document.querySelectorAll('.graph > g')].filter(
    g => g.querySelector('title').textContent.split('\\n')[0] === arguments[0]
)[arguments[1]];
g.id = arguments[2];
"""
# As in test_flame_frame.c: a name shortened to a number of columns.
SHORT = (("a::b::f(int)", 12, "a::b::f(int)"), ("a::b::f(int)", 11, "a::b::f"),
         ("a::b::f(int)", 6, "\u2026b::f"), ("a::b::f(int)", 4, "\u2026f"),
         ("a::b::found(int)", 5, "found"),
         ("a::b::found(int)", 4, "fou\u2026"),
         ("void a::f<int, b::c>(int) const", 30, "a::f"),
         ("std::vector<a::b>::~vector()", 20, "std::vector::~vector"),
         ("a::(anonymous namespace)::f(b::c)", 30,
          "a::(anonymous namespace)::f"),
         ("a::b<c>::operator()(d) const", 20, "a::b::operator()"),
         ("a::operator<< <char>(b)", 14, "a::operator<<"),
         ("a::f(b::c)::{lambda(d::e)#1}::operator()() const", 40,
          "a::f::{lambda(d::e)#1}::operator()"),
         ("a::f(b::c)::{lambda(d::e)#1}::operator()() const", 31,
          "\u2026{lambda(d::e)#1}::operator()"),
         ("a::b::found::<c::d>", 7, "\u2026found"),
         ("a::b::found #2", 7, "\u2026found"),
         ("a::b::found<c::d> (e.rs:3)", 7, "\u2026found"),
         ("virtual thunk to a::f(int)", 24, "virtual thunk to a::f"),
         ("a::b::operator c::d()", 15, "\u2026operator c::d"),
         ("a::found: Backward", 16, "\u2026found: Backward"),
         ("InstantiateFunction a::f<b>", 10, "Instantia\u2026"),
         ("load::all the data", 10, "load::all\u2026"),
         ("plain(int)", 8, "plain(i\u2026"))
# The name of the frame with this title, in `columns` columns.
FIT = """
const g = [...document.querySelectorAll('.graph > g')].find(
    g => g.querySelector('title').textContent.split('\\n')[0] === arguments[0]);
const functions = JSON.parse(document.querySelector('.functions').textContent);
return fitName(arguments[0], functions[g.dataset.f].slice(2), arguments[1]);
"""
COLOR = "return getComputedStyle(document.querySelector(arguments[0])).fill"


class Page:
    def __init__(self, browser):
        self.browser = browser

    def shown(self, graph=0):
        return self.browser.script(SHOWN, graph)

    def names(self, graph=0):
        return [frame["name"] for frame in self.shown(graph)]

    def words(self, css):
        return self.browser.script(
            "return document.querySelector(arguments[0]).textContent", css)

    def focused(self, graph=0):
        return [frame["name"] for frame in self.shown(graph)
                if frame["focus"]]

    def select(self, name, number=0):
        self.browser.script(MARK, name, number, "chosen")
        return "#chosen rect"


def draw(ctprof, path, directory):
    out = os.path.join(directory, os.path.basename(path) + ".flame.svg")
    subprocess.run([ctprof, "convert", "-q", "--force", "-t", "flamegraph",
                    "-o", out, path], check=True)
    return out


def draw_change(ctprof, base, new, directory):
    out = os.path.join(directory, "change.svg")
    subprocess.run([ctprof, "diff", "-q", "--svg", out, base, new],
                   check=True, stdout=subprocess.DEVNULL)
    return out


def check_drawn(page, name):
    frames = page.shown()
    check(page.browser.complaints() == [], f"{name}: nothing complains")
    check(frames and frames[0]["name"] == "all", f"{name}: it is drawn")
    check(all(frame["end"] <= frame["x"] + frame["width"] + 0.5
              for frame in frames), f"{name}: names are within their boxes")
    width = page.browser.script("return document.documentElement.clientWidth")
    check(abs(frames[0]["width"] + 20 - width) < 1,
          f"{name}: as wide as the window")


def check_zoom(page):
    before = page.shown()
    check(len(page.names(1)) > 2 and "a[0] 2" not in page.names(1),
          "a graph of the device is below that of the host")
    page.browser.click_at(page.select("inner"))
    after = page.shown()
    check([frame["name"] for frame in after] ==
          ["all", "main", "outer", "inner", "leaf"],
          "a click shows a path alone")
    check(all(abs(frame["width"] - before[0]["width"]) < 0.1
              for frame in after[:4]) and
          [frame["up"] for frame in after] == [True] * 3 + [False] * 2,
          "as wide as all, below those that lead to it")
    page.browser.keys(webdriver.ESCAPE)
    check(page.shown() != after and page.names() ==
          [frame["name"] for frame in before], "Esc shows all again")
    page.browser.click_at(page.select("inner"))
    page.browser.click("button")
    check(len(page.shown()) == len(before), "so does the button")


def search(page, text):
    """The names of what is found, with the field emptied before."""
    page.browser.keys(webdriver.CONTROL + "f")
    page.browser.keys(text)
    return [frame["name"] for frame in page.shown() if frame["hit"]]


def check_search(page):
    check(search(page, "^(inner|other)$") == ["inner", "other"],
          "typing searches")
    check(page.words(".hits") == "Matched: 80.00 % of host time, "
          "100.00 % of device time in 3 frames",
          "what was found has a share of the time")
    page.browser.keys("(")
    check("not a regular" in page.words(".hits"),
          "what is no expression is said")
    page.browser.keys(webdriver.ESCAPE)
    check(page.words(".hits") == "" and
          not any(frame["hit"] for frame in page.shown()),
          "Esc forgets what was found")
    page.browser.script("document.activeElement.blur()")
    check(search(page, "launchkernel") == ["cudaLaunchKernel"],
          "small letters find capitals")
    page.browser.keys(webdriver.ESCAPE)
    page.browser.script("document.activeElement.blur()")
    check(search(page, "launchK|Inner") == [], "and capitals only capitals")
    page.browser.keys(webdriver.ESCAPE)


def check_names(page, ctprof, directory):
    """Names by the scopes that the picture holds, as zooming shows them."""
    path = os.path.join(directory, "names.folded")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{name} 1\n" for name in {name for name, *_ in SHORT})
    page.browser.open("file://" + draw(ctprof, path, directory))
    check(sorted(page.names()[1:]) == sorted({name for name, *_ in SHORT}),
          "names: they are whole in the titles")
    for name, room, wanted in SHORT:
        shown = page.browser.script(FIT, name, room)
        check(shown == wanted, f"{name} in {room} places is {shown}")
    name = "std::vector<a::b>::~vector()"
    before = {frame["name"]: frame["text"] for frame in page.shown()}
    page.browser.click_at(page.select(name))
    after = {frame["name"]: frame["text"] for frame in page.shown()}
    check(before[name] == "\u2026~vector" and after[name] == name,
          f"a name gets the room that its box has: {before[name]}")
    page.browser.keys(webdriver.ESCAPE)


def check_keyboard(page):
    page.browser.script("document.activeElement.blur()")
    page.browser.click_at(page.select("all"))
    seen = []
    for key in (webdriver.DOWN, webdriver.DOWN, webdriver.RIGHT,
                webdriver.LEFT, webdriver.DOWN, webdriver.UP):
        page.browser.keys(key)
        seen += page.focused()
    check(seen == ["main", "outer", "other", "outer", "inner", "outer"],
          "arrows move from frame to frame")
    page.browser.keys(webdriver.TAB)
    page.browser.keys(webdriver.DOWN)
    check(page.focused(1) == ["main"], "Tab goes to the next graph")
    page.browser.keys(webdriver.SHIFT + webdriver.TAB)
    page.browser.keys(webdriver.ENTER)
    check("other" not in page.names(), "Enter zooms")
    page.browser.keys(webdriver.ESCAPE)
    check("other" in page.names(), "Esc leaves")
    rows = {frame["name"]: frame["y"] for frame in page.shown()}
    page.browser.click("button:last-of-type")
    flipped = {frame["name"]: frame["y"] for frame in page.shown()}
    check(rows["all"] < rows["main"] and flipped["all"] > flipped["main"],
          "the picture can stand on its feet")
    page.browser.click("button:last-of-type")


def check_words(page):
    page.browser.move(page.select("inner"))
    words = page.words(".head .words")
    check("inner" in words and "50.00 % of host time" in words and
          "everywhere 50" in words, "what is pointed at is told")
    page.browser.prefer("light")
    light = page.browser.script(COLOR, ".bg")
    page.browser.prefer("dark")
    check(light == "rgb(255, 255, 255)" and
          page.browser.script(COLOR, ".bg") != light, "dark where wished")
    page.browser.prefer("light")


def check_image(browser, path):
    """Without its script it is a static picture."""
    page = path + ".html"
    with open(page, "w", encoding="utf-8") as file:
        file.write("<!DOCTYPE html><img src='%s'>" % os.path.basename(path))
    browser.open("file://" + page)
    size = browser.wait("document.images[0].complete && "
                        "document.images[0].naturalWidth")
    check(size == 1200 and browser.complaints() == [],
          "within a page it is a picture")


def main(ctprof, directory, first, *paths):
    with webdriver.Browser(os.path.join(directory, "browser")) as browser:
        page = Page(browser)
        for path in (*paths, first):
            browser.open("file://" + draw(ctprof, path, directory))
            check_drawn(page, os.path.basename(path))
        browser.open("file://" + draw_change(
            ctprof, first, first, directory))
        check_drawn(page, "a difference")
        browser.open("file://" + draw(ctprof, first, directory))
        for part in (check_zoom, check_search, check_keyboard, check_words):
            part(page)
        check_names(page, ctprof, directory)
        check(browser.complaints() == [], "nothing complains meanwhile")
        check_image(browser, draw(ctprof, first, directory))
    finish()


if webdriver.missing():
    print("skipped:", webdriver.missing())
    sys.exit(77)
main(*map(os.path.abspath, sys.argv[1:]))
