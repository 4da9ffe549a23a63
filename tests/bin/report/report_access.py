# SPDX-License-Identifier: MIT
"""Checks of a page for readers with a keyboard or a screen reader, on paper,
and on screens of any width.

Source: WCAG 2.2, 1.3.1, 1.4.10, 2.1.2, 2.4.3, 2.4.7, 3.1.1 and 4.1.2.
"""
import base64
import re

from checks import check
import webdriver

WIDTHS = (360, 800, 1400, 3840)

# The problems of a document.
PROBLEMS = """
const all = (css) => [...document.querySelectorAll(css)];
const isShown = (element) => element.getClientRects().length > 0;
const problems = [];
const nameOf = (element) => (element.getAttribute('aria-label') ||
    (element.getAttribute('aria-labelledby') || '').split(' ')
        .map((id) => (document.getElementById(id) || {}).textContent || '')
        .join('') ||
    [...element.labels || []].map((label) => label.textContent).join('') ||
    element.caption?.textContent || element.textContent || '').trim();
const tell = (element, problem) => problems.push(problem + ': ' +
    element.outerHTML.slice(0, 100));
let level = 0;

if (document.documentElement.lang !== 'en')
    problems.push('lang');
for (const css of ['h1', 'header', 'nav', 'main', 'footer'])
    if (all('body ' + css).length !== 1)
        problems.push(all(css).length + ' of ' + css);
for (const heading of all('h1, h2, h3, h4').filter(isShown)) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1)
        tell(heading, 'a heading that skips a level');
    if (!heading.textContent.trim())
        tell(heading, 'an empty heading');
    level = own;
}
for (const control of all('button, input, select, a, summary').filter(isShown))
    if (!(control.tagName === 'INPUT' || control.tagName === 'SELECT'
        ? nameOf(control) !== '' && (control.labels.length > 0 ||
            control.hasAttribute('aria-label') ||
            control.hasAttribute('aria-labelledby')) : nameOf(control)))
        tell(control, 'a control without a name');
for (const canvas of all('canvas').filter(isShown))
    if (!canvas.getAttribute('aria-label') || canvas.tabIndex !== 0 ||
        !canvas.getAttribute('role'))
        tell(canvas, 'a canvas without a label, a role or the focus');
for (const table of all('table').filter(isShown)) {
    const title = table.closest('[aria-label], [aria-labelledby]');
    if (!table.caption && !title)
        tell(table, 'a table without a name');
    for (const cell of table.querySelectorAll('th'))
        if (!cell.scope)
            tell(cell, 'a heading of a table without a scope');
}
for (const element of all('[tabindex]'))
    if (element.tabIndex > 0)
        tell(element, 'a tabindex that changes the order');
for (const element of all('[aria-labelledby]'))
    if (!nameOf(element))
        tell(element, 'a label that is missing');
const ids = all('[id]').map((element) => element.id);
if (new Set(ids).size !== ids.length)
    problems.push('an id twice: ' + ids.find((id, i) =>
        ids.indexOf(id) !== i));
return problems.slice(0, 5);
"""

# The focused element, and whether its focus is visible.
FOCUS = """
const element = document.activeElement;
if (element === document.body)
    return null;
window.numbers = window.numbers || new Map();
if (!numbers.has(element))
    numbers.set(element, numbers.size);
return [numbers.get(element), element.outerHTML.slice(0, 80),
    getComputedStyle(element).outlineStyle !== 'none'];
"""


def check_document(browser, name):
    problems = browser.script(PROBLEMS)
    check(not problems, name + ": can be read by a screen reader", problems)


def check_widths(browser, name):
    for width in WIDTHS:
        browser.resize(width, 800)
        wide = browser.script("return document.documentElement.scrollWidth")
        check(wide <= width, f"{name}: fits {width} pixels", wide)


def check_tab(browser, name, most=400):
    """Tab leads from the first control to the last, each with a visible
    focus, and out."""
    browser.script("document.activeElement.blur(); scrollTo(0, 0)")
    met, hidden = set(), []
    for _ in range(most):
        browser.keys(webdriver.TAB)
        focus = browser.script(FOCUS)
        if focus is None or focus[0] in met and focus[0] == 0:
            break
        check(focus[0] not in met, name + ": Tab goes on", focus[1])
        if focus[0] in met:
            return
        met.add(focus[0])
        if not focus[2]:
            hidden.append(focus[1])
    check(len(met) > 5, name + ": Tab leads through the page", len(met))
    check(not hidden, name + ": the focus is visible", hidden)


def check_paper(browser, name):
    """A printed page has several sheets, and no part is cut off."""
    pdf = base64.b64decode(browser.devtools(
        "Page.printToPDF", printBackground=True)["data"])
    sheets = len(re.findall(rb"/Type\s*/Page\b", pdf))
    check(sheets > 1, name + ": prints on several sheets", sheets)
    browser.devtools("Emulation.setEmulatedMedia", media="print")
    browser.resize(720, 1000)
    cut = browser.script(
        "return [...document.querySelectorAll('table')].filter(table =>"
        "table.getBoundingClientRect().right > innerWidth + 1)"
        ".map(table => table.closest('section').id)")
    check(not cut, name + ": no table is cut off on paper", cut)
    browser.devtools("Emulation.setEmulatedMedia", media="")
