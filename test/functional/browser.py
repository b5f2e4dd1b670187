# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Pages in headless Chromium, over its debugging pipe: what they show, what keys do, and what they ask for or complain of.

As a program, it takes pictures:  browser.py PAGE PICTURE.png [--width 1200] [--height 900] [--dark] [--full]
"""

import argparse
import base64
import fcntl
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

PROGRAM = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium"))), None)
OPTIONS = ["--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
           "--disable-background-networking", "--disable-component-update"]
KEYS = {"End": 35, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39}


class Browser:
    """One page at a time. `requests` are its URLs but for data:, `problems` what its console has, since it was opened."""

    def __init__(self):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_browser, ours = os.pipe()
        theirs, from_browser = os.pipe()
        self._in, self._out = os.fdopen(theirs, "rb"), os.fdopen(ours, "wb")
        # Its ends of the pipes are 3 and 4 by definition.
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in (to_browser, from_browser)]
        none = subprocess.DEVNULL
        self._process = subprocess.Popen(
            [PROGRAM, *OPTIONS, f"--user-data-dir={self._folder.name}", "about:blank"], stdin=none, stdout=none, stderr=none,
            pass_fds=(3, 4), preexec_fn=lambda: [os.dup2(end, 3 + i) for i, end in enumerate(ends)])
        for end in ends:
            os.close(end)
        os.close(to_browser)
        os.close(from_browser)
        self._id, self._session = 0, None
        self.requests, self.problems = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._out.close()  # which ends it
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._in.close()
        self._folder.cleanup()

    def _read(self):
        message = bytearray()
        while (byte := self._in.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("Chromium ended")
            message += byte
        message = json.loads(message)
        params = message.get("params", {})
        if message.get("method") == "Network.requestWillBeSent":
            url = params["request"]["url"]
            self.requests += [] if url.startswith("data:") else [url]
        if message.get("method") == "Runtime.exceptionThrown":
            self.problems.append(params["exceptionDetails"].get("exception", {}).get("description", params["exceptionDetails"]["text"]))
        if message.get("method") == "Log.entryAdded":
            self.problems.append(params["entry"]["text"])
        if message.get("method") == "Runtime.consoleAPICalled":
            self.problems.append(str(params["args"]))
        return message

    def call(self, method, **params):
        """A method of the protocol, and its result."""
        self._id += 1
        message = {"id": self._id, "method": method, "params": params, **({"sessionId": self._session} if self._session else {})}
        self._out.write(json.dumps(message).encode() + b"\0")
        self._out.flush()
        while (answer := self._read()).get("id") != self._id:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, path, fragment="", width=1200, height=900, dark=False):
        """Load a file, or what has an address, until it is complete."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url="about:blank")  # else a fragment alone would load nothing
        self.requests, self.problems = [], []
        url = (path if str(path).startswith("http:") else Path(path).resolve().as_uri()) + fragment
        if error := self.call("Page.navigate", url=url).get("errorText"):
            raise RuntimeError(f"{path}: {error}")
        self.wait(f"location.href === {json.dumps(url)} && document.readyState === 'complete'")

    def wait(self, expression):
        """Until it is true, for half a minute."""
        for _ in range(3000):
            try:
                if self.value(expression):
                    return True
            except RuntimeError as error:
                if "navigated" not in str(error):  # to another page, which is asked next
                    raise
            time.sleep(0.01)
        return False

    def value(self, expression):
        """Of an expression of JavaScript."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def press(self, key):
        """A key, as a person presses it."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=KEYS[key])

    def picture(self, path, full=False):
        """Of what is seen, or of all that there is."""
        options = {}
        if full:
            height = min(16000, self.value("document.documentElement.scrollHeight"))
            options["clip"] = {"x": 0, "y": 0, "width": self.value("innerWidth"), "height": height, "scale": 1}
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=full, **options)
        Path(path).write_bytes(base64.b64decode(picture["data"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page")
    parser.add_argument("picture")
    parser.add_argument("--width", type=int, default=1200)
    parser.add_argument("--height", type=int, default=900)
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--full", action="store_true")
    options = parser.parse_args()
    page, _, fragment = options.page.partition("#")
    with Browser() as browser:
        browser.open(page, f"#{fragment}" if fragment else "", options.width, options.height, options.dark)
        browser.picture(options.picture, options.full)
        print("\n".join(browser.problems + browser.requests))


if __name__ == "__main__":
    main()
