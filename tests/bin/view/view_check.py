# SPDX-License-Identifier: MIT
"""Follows a file with `ctprof view --follow`: requests of all kinds, and a page
that changes with its file.

usage: view_check.py CTPROF DIRECTORY
"""
import glob
import os
import re
import signal
import socket
import subprocess
import sys
import time

from checks import check, finish
import webdriver

PATIENCE_S = 60


def ask(port, text, parts=1):
    """The status and the body of an answer to raw bytes."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as link:
        size = -(-len(text) // parts)
        for at in range(0, len(text), size):
            link.sendall(text[at:at + size])
            if parts > 1:
                time.sleep(0.01)
        answer = b""
        while True:
            try:
                more = link.recv(65536)
            except ConnectionResetError:
                break
            if not more:
                break
            answer += more
    head, _, body = answer.partition(b"\r\n\r\n")
    found = re.match(rb"HTTP/1.1 (\d+) ", head)
    return int(found[1]) if found else None, body, head


def get(port, path, host=None, method=b"GET", parts=1):
    host = host or b"127.0.0.1:%d" % port
    return ask(port, b"%s %s HTTP/1.1\r\nHost: %s\r\n\r\n" %
               (method, path, host), parts)


def check_requests(port, token):
    site = b"/" + token
    for path in (b"/", b"/page.html", b"/version"):
        status, body, head = get(port, site + path)
        check(status == 200 and body, f"{path}: served")
        check(b"Content-Length: %d\r\n" % len(body) in head + b"\r\n",
              f"{path}: its length")
        check(get(port, site + path, parts=7)[0] == 200, f"{path}: in parts")
    check(get(port, site + b"/", host=b"localhost:%d" % port)[0] == 200,
          "localhost: served")
    wrong = bytes([token[0] ^ 1]) + token[1:]
    for path in (b"/", b"/" + wrong + b"/", site, site + b"/x", b"",
                 site[:-1] + b"/", b"http://127.0.0.1" + site + b"/"):
        check(get(port, path)[0] in (400, 404), f"{path}: not served")
    for host in (b"evil.example", b"evil.example:%d" % port, b"127.0.0.1",
                 b"127.0.0.1:1"):
        check(get(port, site + b"/", host=host)[0] == 403,
              f"{host}: not served")
    for method in (b"POST", b"HEAD", b"get", b"PUT"):
        check(get(port, site + b"/", method=method)[0] == 405,
              f"{method}: not served")
    line = b"GET " + site + b"/ HTTP/1.1\r\n"
    here = b"Host: 127.0.0.1:%d\r\n" % port
    for text, wanted in ((line + b"\r\n", 400), (line + here * 2 + b"\r\n", 400),
                         (b"\0" + line + here + b"\r\n", 400),
                         (b"GET\r\n\r\n", 400), (b"\r\n\r\n", 400),
                         (line + b"x" * 9000, 431),
                         (line + here + b"\xff: \x01\r\n\r\n", 200)):
        check(ask(port, text)[0] == wanted, f"{text[-30:]}: {wanted}")
    # Clients that say nothing delay nobody.
    silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(20)]
    check(get(port, site + b"/version")[0] == 200, "served beside silent ones")
    for link in silent:
        link.close()


def wait_for(found):
    end = time.monotonic() + PATIENCE_S
    while not found():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def write(path, text):
    """Replaces the file at once, as the server may read it at any time."""
    with open(path + ".new", "w", encoding="utf-8") as out:
        out.write(text)
    os.replace(path + ".new", path)


def check_changes(port, token, path):
    def page():
        return get(port, b"/" + token + b"/page.html")[1]

    def version():
        return int(get(port, b"/" + token + b"/version")[1])

    first = version()
    check(b"leaf" in page() and b"zebra" not in page(), "the first page")
    write(path, "main 10\nmain;zebra 30\n")
    check(wait_for(lambda: version() > first), "another version")
    check(b"zebra" in page(), "with the new names")
    second = version()
    write(path, "")
    time.sleep(2)
    write(path, "main 10\nmain;third 30\n")
    check(wait_for(lambda: b"third" in page()), "a page after an empty file")
    check(version() > second, "has a number of its own")


def check_number(port, token, path):
    """A page whose inode was the input's, before that was replaced, is not an
    input: file systems use such numbers again."""
    made, = glob.glob(os.path.join(os.environ["XDG_RUNTIME_DIR"], "ctprof-*.html"))
    os.unlink(made)
    os.link(path, made)
    write(path, "main 10\nmain;number 30\n")
    check(wait_for(lambda: b"number" in
                   get(port, b"/" + token + b"/page.html")[1]),
          "a page with the number of a replaced input")


def check_browser(url, directory, path):
    if webdriver.missing() is not None:
        print("not run:", webdriver.missing())
        return
    with webdriver.Browser(os.path.join(directory, "browser")) as browser:
        inner = ("document.getElementById('page').contentDocument"
                 ".getElementById('functions')")
        browser.open(url + "#functions")
        browser.wait(f"{inner} && {inner}.innerText.includes('number')")
        write(path, "main 10\nmain;fourth 30\n")
        browser.wait(f"{inner} && {inner}.innerText.includes('fourth')")
        check(browser.script("return document.getElementById('page')"
                             ".contentWindow.location.hash") == "#functions",
              "the new page opens at the same place")
        check(not browser.complaints(), "no script complains")


def main(ctprof, directory):
    path = os.path.join(directory, "followed.folded")
    write(path, "main 10\nmain;leaf 20\n")
    with subprocess.Popen([ctprof, "view", "--follow", "-q", path],
                          stdout=subprocess.PIPE) as viewer:
        try:
            url = viewer.stdout.readline().decode().strip()
            found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", url)
            check(found, "an address with a token", url)
            port, token = int(found[1]), found[2].encode()
            check_requests(port, token)
            check_changes(port, token, path)
            check_number(port, token, path)
            check_browser(url, directory, path)
            viewer.send_signal(signal.SIGINT)
            check(viewer.wait(PATIENCE_S) == 0, "Ctrl-C ends it")
        finally:
            viewer.kill()
    finish()


main(*sys.argv[1:])
