# SPDX-License-Identifier: MIT
"""The colours of the page and of SVG pictures.

Texts have a contrast of at least 4.5 to 1, in light and dark. Both have the
same greys and the same scale of changes.

usage: page_palette.py PAGE_CSS FLAME_CSS

Source: WCAG 2.2, 1.4.3, and its definition of relative luminance.
"""
import colorsys
import re
import sys

from checks import check, finish

LEAST = 4.5
HUES = range(0, 360, 30)  # of hueOf() in page_format.js
LEVELS = range(1, 6)
PAIRS = [("--faint", "--page"), ("--on-accent", "--accent"),
         ("--bad", "--bad-soft"), ("--card", "--match"), ("--card", "--text"),
         *((text, ground) for text in ("--text", "--faint", "--accent", "--bad")
           for ground in ("--page", "--card", "--soft")),
         *(("--frame-text", ground) for ground in (
             "--other", *(f"--{way}-{level}" for way in ("slower", "faster")
                          for level in LEVELS)))]
# Selectors of the picture, and their colours on the page.
SAME = {"text": "--frame-text", ".bg": "--card", ".head .line": "--line",
        ".head .words": "--faint", ".same": "--other", ".other": "--other",
        **{f".more{level}": f"--slower-{level}" for level in LEVELS},
        **{f".less{level}": f"--faster-{level}" for level in LEVELS}}


def rgb(text):
    text = text.strip()
    if text.startswith("hsl"):
        hue, full, light = map(float, re.findall(r"[\d.]+", text))
        return colorsys.hls_to_rgb(hue / 360, light / 100, full / 100)
    digits = text[1:] if len(text) == 7 else "".join(c + c for c in text[1:])
    return tuple(int(digits[i:i + 2], 16) / 255 for i in (0, 2, 4))


def contrast(one, other):
    low, high = sorted(sum(
        share * (part / 12.92 if part <= 0.04045
                 else ((part + 0.055) / 1.055) ** 2.4)
        for share, part in zip((0.2126, 0.7152, 0.0722), colour))
        for colour in (one, other))
    return (high + 0.05) / (low + 0.05)


def pictures(css):
    """The colours of selectors, in light and dark."""
    light, dark = css.split("@media (prefers-color-scheme: dark)")
    for part in (light, dark):
        yield {selector.strip(): match[2]
               for match in re.finditer(
                   r"([^{}]+)\{[^{}]*?(?:fill|stroke): ([^;]+);",
                   re.sub(r"/\*.*?\*/", "", part, flags=re.S))
               for selector in match[1].split(",")}


def main(page_css, flame_css):
    with open(page_css, encoding="utf-8") as file:
        blocks = [dict(re.findall(r"(--[\w-]+):\s*([^;]+);", block))
                  for block in re.findall(r"\{([^{}]*--page:[^{}]*)\}",
                                          file.read())]
    check(len(blocks) == 3 and blocks[1] == blocks[2],
          "dark is the same by preference and by the button")
    with open(flame_css, encoding="utf-8") as file:
        svg = list(pictures(file.read()))
    for name, page, picture in zip(("light", "dark"), blocks, svg):
        for text, ground in PAIRS:
            ratio = contrast(rgb(page[text]), rgb(page[ground]))
            check(ratio >= LEAST, f"{name}: {text} on {ground}", ratio)
        for hue in HUES:
            ratio = contrast(rgb(page["--frame-text"]), rgb(
                f"hsl({hue} {page['--frame-colour']} {page['--frame-light']})"))
            check(ratio >= LEAST, f"{name}: frames of hue {hue}", ratio)
        for selector, colour in picture.items():
            if re.match(r"\.(c\d|kernel|copy|set|more|less|same)", selector):
                ratio = contrast(rgb(picture["text"]), rgb(colour))
                check(ratio >= LEAST, f"{name}: picture: {selector}", ratio)
        for selector, key in SAME.items():
            check(rgb(picture[selector]) == rgb(page[key]),
                  f"{name}: {selector} is {key}",
                  (picture[selector], page[key]))
    finish()


main(*sys.argv[1:])
