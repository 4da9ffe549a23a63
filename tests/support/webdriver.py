# SPDX-License-Identifier: MIT
"""A headless browser for tests: chromium, driven by chromedriver.

    reason = webdriver.missing()     # not None: why there is no browser
    with webdriver.Browser(directory) as browser:
        browser.open("file:///...")
        browser.click("#button")

Needs only Python's standard library. The browser writes only below `directory`,
which the caller removes. Anything that takes too long is an error.

Source: W3C, WebDriver; and chromedriver's own commands below /goog.
"""
import base64
import json
import os
import re
import shutil
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

PATIENCE_S = 60
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ("--headless=new", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--disable-crash-reporter",
             "--disable-background-networking", "--disable-extensions",
             "--no-first-run", "--hide-scrollbars",
             "--force-color-profile=srgb")

# Special keys for keys().
ENTER, ESCAPE, TAB, BACKSPACE = "\ue007", "\ue00c", "\ue004", "\ue003"
LEFT, UP, RIGHT, DOWN = "\ue012", "\ue013", "\ue014", "\ue015"
HOME, END, DELETE = "\ue011", "\ue010", "\ue017"
SHIFT, CONTROL = "\ue008", "\ue009"


class Error(Exception):
    """The browser or its driver failed."""


def _program():
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def missing():
    """The reason why no browser can be driven; None if one can."""
    if _program() is None:
        return "chromium is not installed"
    if shutil.which("chromedriver") is None:
        return "chromedriver is not installed"
    return None


class Browser:
    """One page of one browser."""

    def __init__(self, directory, width=1280, height=900):
        self.directory = os.path.abspath(directory)
        self.session = None
        self.driver = self._start_driver()
        try:
            self.port = self._read_port()
            self._start_session(width, height)
        except BaseException:
            self.quit()
            raise
        self.resize(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.quit()

    def _start_driver(self):
        os.makedirs(self.directory, exist_ok=True)
        own = {name: self.directory for name in (
            "HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
        # A separate session, so that quit() ends the browser with it.
        return subprocess.Popen(
            ["chromedriver", "--port=0"], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, **own}, start_new_session=True)

    def _read_port(self):
        """It prints its port, or exits."""
        timer = threading.Timer(PATIENCE_S, self._kill)
        timer.start()
        try:
            for line in self.driver.stdout:
                found = re.search(rb"successfully on port (\d+)", line)
                if found:
                    return int(found[1])
        finally:
            timer.cancel()
        raise Error("chromedriver does not start")

    def _start_session(self, width, height):
        options = {
            "binary": _program(),
            "args": [*ARGUMENTS, f"--window-size={width},{height}",
                     f"--user-data-dir={self.directory}/browser"]}
        reply = self._call("POST", "/session", {"capabilities": {
            "alwaysMatch": {"goog:chromeOptions": options,
                            "goog:loggingPrefs": {"browser": "ALL"},
                            "timeouts": {"script": PATIENCE_S * 1000,
                                         "pageLoad": PATIENCE_S * 1000}}}})
        self.session = reply["sessionId"]

    def _call(self, method, path, body=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"})
        # It is on this machine, whatever proxy is set for others.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=PATIENCE_S) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise Error(f"{path}: {value['message']}") from None

    def _post(self, path, **body):
        return self._call("POST", f"/session/{self.session}{path}", body)

    def devtools(self, command, **params):
        """A command of the browser's own protocol, DevTools."""
        return self._post("/goog/cdp/execute", cmd=command, params=params)

    def open(self, url):
        self._post("/url", url=url)

    def script(self, text, *args):
        """The return value of the text, a function's body."""
        return self._post("/execute/sync", script=text, args=list(args))

    def wait(self, expression, *args):
        """Waits until this is true, and returns its value."""
        end = time.monotonic() + PATIENCE_S
        while True:
            value = self.script("return " + expression, *args)
            if value:
                return value
            if time.monotonic() > end:
                raise Error("in vain waited for " + expression)
            time.sleep(0.02)

    def find(self, selector):
        """The first element of a CSS selector, for click() and others."""
        return self._post("/element", using="css selector",
                          value=selector)[ELEMENT]

    def click(self, selector):
        # The driver's own scrolling ignores the page's scroll-padding.
        self.script("document.querySelector(arguments[0])"
                    ".scrollIntoView({block: 'nearest'})", selector)
        self._post(f"/element/{self.find(selector)}/click")

    def move(self, selector, x=0, y=0):
        """Moves the mouse to this offset from the middle of an element."""
        self._pointer(selector, x, y, [])

    def click_at(self, selector, x=0, y=0):
        self._pointer(selector, x, y, [
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0}])

    def _pointer(self, selector, x, y, then):
        there = {"type": "pointerMove", "duration": 0, "x": x, "y": y,
                 "origin": {ELEMENT: self.find(selector)}}
        self._post("/actions", actions=[
            {"type": "pointer", "id": "mouse", "actions": [there, *then]}])

    def keys(self, text):
        """Types into the focused element; modifiers hold until the end."""
        down = [{"type": "keyDown", "value": key} for key in text]
        up = [{"type": "keyUp", "value": key} for key in text]
        held = [key for key in text if key in (SHIFT, CONTROL)]
        pairs = [action for pair in zip(down, up) for action in (
            pair[:1] if pair[0]["value"] in held else pair)]
        pairs += [{"type": "keyUp", "value": key} for key in held]
        self._post("/actions", actions=[
            {"type": "key", "id": "keyboard", "actions": pairs}])

    def complaints(self):
        """Complaints of scripts and of the browser since the last call."""
        log = self._post("/se/log", type="browser")
        return [entry["message"] for entry in log
                if entry["level"] in ("SEVERE", "WARNING")]

    def prefer(self, scheme):
        """Sets the user's preferred color scheme: "light" or "dark"."""
        self.devtools("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme}])

    def resize(self, width, height):
        """Sets the size of the page; windows have a least width, but the page
        may be narrower."""
        self.devtools("Emulation.setDeviceMetricsOverride", width=width,
                      height=height, deviceScaleFactor=1, mobile=False)

    def screenshot(self, path, whole=False):
        """A PNG of the visible part, or of the whole page."""
        shot = self.devtools("Page.captureScreenshot", format="png",
                             captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    def _kill(self):
        try:
            os.killpg(self.driver.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def quit(self):
        try:
            if self.session is not None:
                self._call("DELETE", f"/session/{self.session}")
                self.session = None
        except (Error, OSError):
            pass
        finally:
            self._kill()
            self.driver.wait()
            self.driver.stdout.close()
