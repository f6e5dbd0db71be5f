import os

from authlib.integrations.starlette_client import OAuth
from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse
from starlette.middleware.sessions import SessionMiddleware

app = FastAPI()
app.add_middleware(SessionMiddleware, secret_key=os.environ["SECRET_KEY"])
redmint = OAuth().register(
    name="redmint",
    server_metadata_url=os.environ["ISSUER"] + "{{path.openid_configuration}}",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    client_kwargs={"scope": "{{scope}}", "code_challenge_method": "S256"},
)


@app.get("/")
async def home(request: Request):
    return request.session["user"] if "user" in request.session else RedirectResponse("/login")


@app.get("/login")
async def login(request: Request):
    return await redmint.authorize_redirect(request, os.environ["REDIRECT_URI"])


@app.get("/callback")
async def callback(request: Request):
    request.session["user"] = (await redmint.authorize_access_token(request))["userinfo"]
    return RedirectResponse("/")
