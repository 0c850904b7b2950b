"""A browser without a window: opens an address of the hub, signs in, decides on the consent page, and follows the way back.

Usage: URL, with PERSON, PASSWORD and DECISION (the label of a button) in the environment. Appends the heading of each page
to PAGES. It waits for the client to listen at the way back, as people do by reading.
"""

import html.parser
import http.cookiejar
import os
import socket
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

LONGEST = 30.0
MOST_PAGES = 6


class Form(html.parser.HTMLParser):
    """The heading of a page, and the form on it that has a field or a button of a name."""

    def __init__(self, page: str, name: str):
        super().__init__()
        self.wanted, self.heading, self.inside, self.fields, self.label = name, "", "", [], ""
        self.buttons, self.forms = {}, []
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.inside = tag if tag in ("h1", "button") else self.inside
        if tag == "form":
            self.forms.append((given.get("action"), [], {}))
        elif tag == "input" and self.forms and given.get("name"):
            self.forms[-1][1].append((given["name"], given.get("value") or ""))
        elif tag == "button" and self.forms:
            self.button = given

    def handle_endtag(self, tag):
        self.inside = "" if tag == self.inside else self.inside

    def handle_data(self, words):
        if self.inside == "h1":
            self.heading += words
        elif self.inside == "button" and self.forms and words.strip():
            self.forms[-1][2][words.strip()] = (self.button.get("name"), self.button.get("value"))

    def found(self):
        for action, fields, buttons in self.forms:
            if self.wanted in dict(fields) or self.wanted in buttons:
                return action, fields, buttons
        return None


class Stay(urllib.request.HTTPRedirectHandler):
    """Leaves redirects to the caller."""

    def redirect_request(self, *_):
        return None


class Browser:
    def __init__(self):
        jar = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(jar, Stay)

    def visit(self, url: str, fields: list | None = None) -> tuple[str, str]:
        """The address of the last page and the page, after all redirects. A page of an error is a page."""
        for _ in range(MOST_PAGES):
            origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(url))
            request = urllib.request.Request(url)
            if fields is not None:
                request.data = urllib.parse.urlencode(fields).encode()
                request.add_header("Origin", origin)
                request.add_header("Sec-Fetch-Site", "same-origin")
            try:
                with self.opener.open(request, timeout=LONGEST) as answer:
                    return url, answer.read().decode()
            except urllib.error.HTTPError as other:
                if other.code not in (302, 303, 307):
                    return url, other.read().decode()
                url, fields = urllib.parse.urljoin(url, other.headers["Location"]), None
                await_listener(url)
        raise RuntimeError("too many redirects")


def await_listener(url: str) -> None:
    place = urllib.parse.urlsplit(url)
    deadline = time.monotonic() + LONGEST
    while True:
        try:
            return socket.create_connection((place.hostname, place.port), 2).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def main(url: str) -> None:
    decision = os.environ["DECISION"]
    browser = Browser()
    at, page = browser.visit(url)
    for wanted in ("password", decision):
        form = Form(page, wanted)
        note(form.heading)
        action, fields, buttons = form.found() or sys.exit(f"no form with {wanted} at {at}: {page}")
        own = {"name": os.environ["PERSON"], "password": os.environ["PASSWORD"]} if wanted == "password" else {}
        sent = [(name, own.get(name, value)) for name, value in fields]
        sent += [buttons[wanted]] if wanted in buttons else []
        at, page = browser.visit(urllib.parse.urljoin(at, action), sent)
    note(f"returned to {urllib.parse.urlsplit(at).path}")


def note(words: str) -> None:
    with open(os.environ["PAGES"], "a") as pages:
        pages.write(words.strip() + "\n")


main(sys.argv[1])
