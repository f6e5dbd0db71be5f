"""An application with accounts and a sign-in page of its own, in front of redmint: set LOGIN_URL of redmint to its /login,
and CONSENT_URL to its /consent.

Python 3.9 or newer, and nothing but its standard library.
"""

import base64
import hmac
import html
import json
import os
import secrets
import threading
import time
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.error import HTTPError
from urllib.parse import parse_qs, quote, urlencode, urlsplit
from urllib.request import Request, urlopen

ISSUER = os.environ.get("ISSUER", "http://localhost:3000")
CLIENT_ID = os.environ.get("CLIENT_ID", "own-login")
CLIENT_SECRET = os.environ.get("CLIENT_SECRET", "")
PORT = int(os.environ.get("PORT", "4000"))
ADMIN = ISSUER + "/admin/v1"

# Yours are in a database, and of passwords it has hashes.
ACCOUNTS = {
    "ann": {"id": "u-1001", "password": "correct horse", "name": "Ann Example", "email": "ann@example.org"},
}

# Who is signed in here: the value of a cookie, who it is, and since when. Yours end, and are in a database.
SESSIONS = {}

_token = {"text": "", "ends_at": 0.0}
_token_lock = threading.Lock()


def access_token():
    """Returns an access token for the admin API, which lasts for many sign-ins."""
    with _token_lock:
        if _token["ends_at"] < time.time():
            credentials = quote(CLIENT_ID, "") + ":" + quote(CLIENT_SECRET, "")
            form = urlencode({"grant_type": "client_credentials", "resource": ADMIN})
            headers = {"Authorization": "Basic " + base64.b64encode(credentials.encode()).decode()}
            with urlopen(Request(ISSUER + "/oauth2/token", form.encode(), headers), timeout=10) as response:
                answer = json.load(response)
            _token["text"] = answer["access_token"]
            _token["ends_at"] = time.time() + answer["expires_in"] - 30
        return _token["text"]


def ask(challenge, answer="", body=None, kind="logins"):
    """Asks redmint about a challenge, or answers it; None: the challenge is over."""
    headers = {"Authorization": "Bearer " + access_token()}
    data = None
    if answer:
        data = b"" if body is None else json.dumps(body).encode()
        if body is not None:
            headers["Content-Type"] = "application/json"
    url = ADMIN + "/" + kind + "/" + quote(challenge, "") + answer
    request = Request(url, data, headers, method="POST" if answer else "GET")
    if data == b"":
        # urllib would call an empty body a form.
        request.data = None
        request.add_header("Content-Length", "0")
    try:
        with urlopen(request, timeout=10) as response:
            return json.load(response)
    except HTTPError as error:
        if error.code in (404, 409):
            return None
        raise


class Handler(BaseHTTPRequestHandler):
    def send_page(self, status, body):
        page = '<!doctype html><html lang="en"><title>The shop</title>' + body
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(page.encode())

    def over(self):
        self.send_page(400, "<h1>Start again</h1><p>Go back to the application, and sign in there.</p>")

    def show_form(self, challenge, login, alert=""):
        name = login.get("client", {}).get("client_name", "your account")
        self.send_page(
            401 if alert else 200,
            f"""<h1>Sign in to the shop</h1><p>You go on to {html.escape(name)}.</p><p role="alert">{alert}</p>
<form method="post" action="/login"><input type="hidden" name="login_challenge" value="{html.escape(challenge)}">
<label>Name <input name="login" autocomplete="username" value="{html.escape(login.get("login_hint", ""))}"></label>
<label>Password <input name="password" type="password" autocomplete="current-password"></label>
<button name="do" value="accept">Sign in</button><button name="do" value="refuse">Cancel</button></form>""",
        )

    def show_consent(self, challenge):
        asked = ask(challenge, kind="consents") if challenge else None
        if asked is None:
            return self.over()
        name = asked["client"].get("client_name", "An application")
        boxes = "".join(
            f'<p><label><input type="checkbox" name="scope" value="{html.escape(scope)}" checked> {html.escape(scope)}</label></p>'
            for scope in asked["scope"].split()
            if scope not in asked["required"].split()
        )
        self.send_page(
            200,
            f"""<h1>{html.escape(name)} asks</h1><form method="post" action="/consent">
<input type="hidden" name="consent_challenge" value="{html.escape(challenge)}">{boxes}
<button name="do" value="accept">Allow</button><button name="do" value="refuse">Refuse</button></form>""",
        )

    def take_consent(self, form):
        challenge = form.get("consent_challenge", [""])[0]
        if form.get("do") == ["refuse"]:
            return self.go_on(ask(challenge, "/refuse", kind="consents"))
        asked = ask(challenge, kind="consents")
        if asked is None:
            return self.over()
        scope = " ".join(asked["required"].split() + form.get("scope", []))
        return self.go_on(ask(challenge, "/accept", {"scope": scope}, "consents"))

    def do_GET(self):
        url = urlsplit(self.path)
        if url.path == "/consent":
            return self.show_consent(parse_qs(url.query).get("consent_challenge", [""])[0])
        if url.path != "/login":
            return self.send_page(404, "<h1>Nothing is here</h1>")
        challenge = parse_qs(url.query).get("login_challenge", [""])[0]
        login = ask(challenge) if challenge else None
        if login is None:
            return self.over()
        session = SESSIONS.get(self.session_cookie())
        # A session of ours answers only if redmint does not ask anew, or its age will do: we say when it began.
        age = time.time() - session["auth_time"] if session else None
        if session and (not login["is_again"] or age <= login.get("max_age", -1)):
            return self.go_on(self.accept(challenge, session))
        return self.show_form(challenge, login)

    def do_POST(self):
        length = int(self.headers.get("Content-Length", "0"))
        path = urlsplit(self.path).path
        if path not in ("/login", "/consent") or not 0 < length <= 65536:
            return self.send_page(404, "<h1>Nothing is here</h1>")
        fields = parse_qs(self.rfile.read(length).decode())
        if path == "/consent":
            return self.take_consent(fields)
        form = {name: values[0] for name, values in fields.items()}
        challenge = form.get("login_challenge", "")
        if form.get("do") == "refuse":
            return self.go_on(ask(challenge, "/refuse"))
        login = form.get("login", "")
        account = ACCOUNTS.get(login)
        password = form.get("password", "").encode()
        if account is None or not hmac.compare_digest(password, account["password"].encode()):
            asked = ask(challenge)
            return self.over() if asked is None else self.show_form(challenge, asked, "That is not right.")
        session = {"login": login, "auth_time": int(time.time())}
        cookie = secrets.token_urlsafe(32)
        SESSIONS[cookie] = session
        return self.go_on(self.accept(challenge, session), cookie)

    def accept(self, challenge, session):
        account = ACCOUNTS[session["login"]]
        claims = {"name": account["name"], "email": account["email"], "email_verified": True}
        body = {"sub": account["id"], "username": session["login"], "amr": ["pwd"], "claims": claims}
        return ask(challenge, "/accept", {**body, "auth_time": session["auth_time"]})

    def session_cookie(self):
        cookies = SimpleCookie(self.headers.get("Cookie", ""))
        return cookies["shop"].value if "shop" in cookies else ""

    def go_on(self, answer, cookie=None):
        if answer is None:
            return self.over()
        self.send_response(303)
        if cookie:
            self.send_header("Set-Cookie", f"shop={cookie}; Path=/login; HttpOnly; SameSite=Lax")
        self.send_header("Location", answer["redirect_to"])
        self.send_header("Cache-Control", "no-store")
        self.end_headers()

    def log_message(self, *_):
        """A challenge is in the address: it belongs into no log."""


if __name__ == "__main__":
    print(f"The sign-in page is http://localhost:{PORT}/login", flush=True)
    ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()
