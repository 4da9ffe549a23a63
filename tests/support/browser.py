# SPDX-License-Identifier: MIT
"""Opens a page in a headless browser, and waits for snakeviz to draw on it.
Fails if nothing is drawn, if a script complains, or if the page looks like an
empty one.

usage: browser.py BROWSER DIRECTORY URL NAME...   NAME must be on the page
"""
import asyncio
import base64
import itertools
import json
import os
import subprocess
import sys
import time

from tornado.httpclient import AsyncHTTPClient
from tornado.websocket import websocket_connect

PATIENCE = 60
# Two parts wait for a worker of the page: the drawing, and the table of
# functions.
DRAWN = "document.querySelectorAll('#chart path, #chart rect').length"
TEXT = "document.body.innerText"


class Page:
    """A page of the browser, by the DevTools protocol."""

    def __init__(self, socket):
        self.socket = socket
        self.numbers = itertools.count(1)
        self.complaints = []

    def take(self, message):
        method, params = message.get("method"), message.get("params")
        if method == "Runtime.exceptionThrown":
            self.complaints.append(params["exceptionDetails"]["text"])
        elif method == "Runtime.consoleAPICalled" \
                and params["type"] in ("error", "assert"):
            self.complaints.append(json.dumps(params["args"]))
        elif method == "Log.entryAdded" \
                and params["entry"]["level"] == "error":
            self.complaints.append("%s %s" % (
                params["entry"]["text"], params["entry"].get("url")))

    async def call(self, method, **params):
        number = next(self.numbers)
        await self.socket.write_message(json.dumps(
            {"id": number, "method": method, "params": params}))
        while True:
            message = await asyncio.wait_for(self.socket.read_message(),
                                             PATIENCE)
            if message is None:
                sys.exit("the browser has gone")
            message = json.loads(message)
            if message.get("id") == number:
                return message["result"]
            self.take(message)

    async def value(self, expression):
        result = await self.call("Runtime.evaluate", expression=expression,
                                 returnByValue=True)
        return result["result"].get("value")

    async def picture(self):
        result = await self.call("Page.captureScreenshot", format="png")
        return base64.b64decode(result["data"])


async def connect(directory):
    """Connects to the browser's only page; a file has its address."""
    path = os.path.join(directory, "DevToolsActivePort")
    end = time.monotonic() + PATIENCE
    while not (os.path.exists(path) and os.path.getsize(path)):
        if time.monotonic() > end:
            sys.exit("the browser does not start")
        await asyncio.sleep(0.1)
    with open(path, encoding="ascii") as file:
        port = file.readline().strip()
    reply = await AsyncHTTPClient().fetch("http://127.0.0.1:%s/json" % port)
    target = next(target for target in json.loads(reply.body)
                  if target["type"] == "page")
    return Page(await websocket_connect(target["webSocketDebuggerUrl"],
                                        max_message_size=1 << 28))


async def check(directory, url, names):
    page = await connect(directory)
    for domain in ("Page", "Runtime", "Log"):
        await page.call(domain + ".enable")
    blank = await page.picture()
    await page.call("Page.navigate", url=url)
    end = time.monotonic() + PATIENCE
    drawn, missing = 0, names
    while not drawn or missing:
        if time.monotonic() > end:
            break
        await asyncio.sleep(0.1)
        drawn = await page.value(DRAWN)
        text = await page.value(TEXT) or ""
        missing = [name for name in names if name not in text]
    if not drawn:
        page.complaints.append("nothing is drawn")
    page.complaints += [name + " is not on the page" for name in missing]
    picture = await page.picture()
    with open(os.path.join(directory, "page.png"), "wb") as file:
        file.write(picture)
    if len(picture) < 3 * len(blank):
        page.complaints.append("its picture is that of an empty page")
    return page.complaints


def main(browser, directory, url, *names):
    process = subprocess.Popen(
        [browser, "--headless", "--no-sandbox", "--disable-gpu",
         "--disable-dev-shm-usage", "--user-data-dir=" + directory,
         "--window-size=1200,1000", "--remote-debugging-port=0",
         "about:blank"], stderr=subprocess.DEVNULL)
    try:
        complaints = asyncio.run(check(directory, url, names))
    finally:
        process.terminate()
        process.wait()
    for complaint in complaints:
        print(complaint)
    sys.exit(bool(complaints))


main(*sys.argv[1:])
