import os
import time
from urllib.parse import urlencode

from authlib.integrations.flask_client import OAuth, OAuthError
from flask import Flask, redirect, session
from markupsafe import escape

ISSUER, CLIENT_ID = os.environ["ISSUER"], os.environ["CLIENT_ID"]
REDIRECT_URI = os.environ["REDIRECT_URI"]
# After this time redmint is asked again, and a user who is disabled there is out.
CHECK_EVERY = 3600

app = Flask(__name__)
app.secret_key = os.environ["SECRET_KEY"]
app.config["SESSION_COOKIE_SECURE"] = REDIRECT_URI.startswith("https:")
app.config["SESSION_COOKIE_SAMESITE"] = "Lax"
redmint = OAuth(app).register(
    name="redmint",
    server_metadata_url=ISSUER + "{{path.openid_configuration}}",
    client_id=CLIENT_ID,
    client_secret=os.environ["CLIENT_SECRET"],
    client_kwargs={"scope": "{{scope}}", "code_challenge_method": "S256"},
)


@app.get("/")
def home():
    if "user" not in session:
        return '<p>Nobody is signed in.</p><a href="/login">Sign in</a>'
    if time.time() > session["until"]:
        return redirect("/login")
    user = session["user"]
    name, email = escape(user.get("name", user["sub"])), escape(user.get("email", ""))
    return f'<p>{name} {email}</p><a href="/logout">Sign out</a>'


@app.get("/login")
def login():
    return redmint.authorize_redirect(REDIRECT_URI)


@app.get("/callback")
def callback():
    try:
        token = redmint.authorize_access_token()
    except OAuthError as error:
        # For example, the user pressed "Do not allow".
        app.logger.warning("No sign-in: %s", error)
        return '<p>You are not signed in.</p><a href="/login">Try again</a>', 403
    session["user"] = dict(token["userinfo"])
    session["id_token"] = token["id_token"]
    session["until"] = time.time() + CHECK_EVERY
    return redirect("/")


@app.get("/logout")
def logout():
    id_token = session.get("id_token", "")
    session.clear()
    query = {
        "client_id": CLIENT_ID,
        "post_logout_redirect_uri": os.environ["SIGNED_OUT_URI"],
        "id_token_hint": id_token,
    }
    return redirect(f"{ISSUER}{{path.end_session}}?{urlencode(query)}")
