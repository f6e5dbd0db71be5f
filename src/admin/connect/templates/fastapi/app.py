import logging
import os
import time
from html import escape
from urllib.parse import urlencode

from authlib.integrations.starlette_client import OAuth, OAuthError
from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse
from starlette.middleware.sessions import SessionMiddleware

ISSUER, CLIENT_ID = os.environ["ISSUER"], os.environ["CLIENT_ID"]
REDIRECT_URI = os.environ["REDIRECT_URI"]
# After this time redmint is asked again, and a user who is disabled there is out.
CHECK_EVERY = 3600

app = FastAPI()
app.add_middleware(
    SessionMiddleware,
    secret_key=os.environ["SECRET_KEY"],
    https_only=REDIRECT_URI.startswith("https:"),
)
redmint = OAuth().register(
    name="redmint",
    server_metadata_url=ISSUER + "{{path.openid_configuration}}",
    client_id=CLIENT_ID,
    client_secret=os.environ["CLIENT_SECRET"],
    client_kwargs={"scope": "{{scope}}", "code_challenge_method": "S256"},
)


@app.get("/")
async def home(request: Request):
    if "user" not in request.session:
        return HTMLResponse('<p>Nobody is signed in.</p><a href="/login">Sign in</a>')
    if time.time() > request.session["until"]:
        return RedirectResponse("/login")
    user = request.session["user"]
    name, email = escape(user.get("name", user["sub"])), escape(user.get("email", ""))
    return HTMLResponse(f'<p>{name} {email}</p><a href="/logout">Sign out</a>')


@app.get("/login")
async def login(request: Request):
    return await redmint.authorize_redirect(request, REDIRECT_URI)


@app.get("/callback")
async def callback(request: Request):
    try:
        token = await redmint.authorize_access_token(request)
    except OAuthError as error:
        # For example, the user pressed "Do not allow".
        logging.warning("No sign-in: %s", error)
        return HTMLResponse('<p>You are not signed in.</p><a href="/login">Try again</a>', 403)
    request.session["user"] = dict(token["userinfo"])
    request.session["id_token"] = token["id_token"]
    request.session["until"] = time.time() + CHECK_EVERY
    return RedirectResponse("/")


@app.get("/logout")
async def logout(request: Request):
    id_token = request.session.get("id_token", "")
    request.session.clear()
    query = {
        "client_id": CLIENT_ID,
        "post_logout_redirect_uri": os.environ["SIGNED_OUT_URI"],
        "id_token_hint": id_token,
    }
    return RedirectResponse(f"{ISSUER}{{path.end_session}}?{urlencode(query)}")
