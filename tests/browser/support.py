# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A browser and the library, side by side: what the tests of a page share."""

import json
import os
import subprocess
import tempfile

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

CHROMIUM = os.environ.get("AXE_CHROMIUM", "/usr/bin/chromium")
DRIVER = os.environ.get("AXE_CHROMEDRIVER", "/usr/bin/chromedriver")

# What a page shows: for each view its panels, for each cell [row, column, name, label, classes].
READ = """
const read = (section) => [...section.querySelectorAll('.panel')].map((panel) => ({
    title: panel.querySelector('.head').firstChild.textContent.trim(),
    name: panel.querySelector('[role=grid]').getAttribute('aria-label'),
    columns: [...panel.querySelectorAll('.heads [role=columnheader]')].slice(1).map((e) => e.getAttribute('aria-label')),
    cells: [...panel.querySelectorAll('[role=row]:not(.heads):not(.tally)')].flatMap((row) => {
        const [head, ...cells] = row.children;
        const row_name = head.getAttribute('aria-label');
        return cells.map((cell, i) => [row_name, i, cell.getAttribute('aria-label'), cell.textContent, cell.className]);
    }),
    tallies: [...panel.querySelectorAll('.tally')].map((row) => [...row.children].slice(1).map((cell) => Number(cell.textContent))),
    small: panel.querySelector('.small') !== null,
    verdict: panel.querySelector('.verdict')?.textContent,
}));
return Object.fromEntries(['logical', 'hardware', 'banks'].map((id) => [id, read(document.getElementById(id))]));
"""


class Library:
    """The program `answers`; each question is one line, and so is each answer."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def ask(self, *fields):
        assert not any(c in str(field) for field in fields for c in "\t\n")
        self.process.stdin.write("\t".join(str(field) for field in fields) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Browser:
    """Headless Chromium. Every page it shows must be quiet: no message on the console, and no request but for the page itself."""

    def __init__(self):
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1280,900"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        self.driver.set_script_timeout(60)
        self.folder = tempfile.TemporaryDirectory()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def open(self, name, fragment=""):
        self.driver.get("about:blank")
        self.driver.get("file://" + self.path(name) + fragment)

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def read(self):
        return self.js(READ)

    def fill(self, **fields):
        """Puts texts into fields, all of them as one edit."""
        self.js(
            "for (const [name, text] of Object.entries(arguments[0])) document.getElementById(name).value = text;"
            "document.getElementById('layout').dispatchEvent(new Event('input', {bubbles: true}));",
            fields,
        )

    def screen(self, width=1280, height=900, dark=False):
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        )
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]}
        )

    def complaints(self):
        """Messages on the console, and addresses asked for other than files of ours, since the last call."""
        found = [entry["message"] for entry in self.driver.get_log("browser")]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
                address = message["params"].get("request", message["params"])["url"]
                if not address.startswith(("file://" + self.folder.name, "about:")):
                    found.append("asked for " + address)
        return found

    def close(self):
        self.driver.quit()
        self.folder.cleanup()


library = None
browser = None


def start(program):
    global library, browser
    library, browser = Library(program), Browser()


def stop():
    library.close()
    browser.close()
