import { PATHS } from '../../src/core/paths.ts'
import { type Preset, READS_ID_TOKEN, type SettingsFile, type SettingsValues, SIGN_IN } from './preset.ts'

export const django: Preset = {
  title: 'mozilla-django-oidc',
  needs: 'origin',
  redirect_path: '/oidc/callback/',
  fields: { is_public: false, allowed_scopes: SIGN_IN, id_token_signed_response_alg: 'RS256' },
  settings: ({ issuer, client_id, client_secret, scope }) => [
    {
      file: 'settings.py',
      language: 'python',
      text: `INSTALLED_APPS += ["mozilla_django_oidc"]
AUTHENTICATION_BACKENDS = ["mozilla_django_oidc.auth.OIDCAuthenticationBackend"]
LOGIN_URL = "oidc_authentication_init"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
OIDC_RP_CLIENT_ID = "${client_id}"
OIDC_RP_CLIENT_SECRET = "${client_secret}"
OIDC_RP_SCOPES = "${scope}"
OIDC_RP_SIGN_ALGO = "RS256"
OIDC_USE_PKCE = True
OIDC_OP_AUTHORIZATION_ENDPOINT = "${issuer}${PATHS.authorize}"
OIDC_OP_TOKEN_ENDPOINT = "${issuer}${PATHS.token}"
OIDC_OP_USER_ENDPOINT = "${issuer}${PATHS.userinfo}"
OIDC_OP_JWKS_ENDPOINT = "${issuer}${PATHS.jwks}"
`,
    },
    {
      file: 'urls.py',
      language: 'python',
      text: `urlpatterns += [path("oidc/", include("mozilla_django_oidc.urls"))]
`,
    },
  ],
}

export const flask: Preset = {
  title: 'Authlib in Flask',
  needs: 'origin',
  redirect_path: '/callback',
  fields: { is_public: false, allowed_scopes: SIGN_IN, ...READS_ID_TOKEN },
  settings: (values) => [
    authlibEnvironment(values),
    {
      file: 'app.py',
      run: 'flask run',
      language: 'python',
      text: `import os

from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session

app = Flask(__name__)
app.secret_key = os.environ["SECRET_KEY"]
redmint = OAuth(app).register(
    name="redmint",
    server_metadata_url=os.environ["ISSUER"] + "${PATHS.openid_configuration}",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    client_kwargs={"scope": "${values.scope}", "code_challenge_method": "S256"},
)


@app.get("/")
def home():
    return session["user"] if "user" in session else redirect("/login")


@app.get("/login")
def login():
    return redmint.authorize_redirect(os.environ["REDIRECT_URI"])


@app.get("/callback")
def callback():
    session["user"] = redmint.authorize_access_token()["userinfo"]
    return redirect("/")
`,
    },
  ],
}

export const fastapi: Preset = {
  title: 'Authlib in FastAPI',
  needs: 'origin',
  redirect_path: '/callback',
  fields: { is_public: false, allowed_scopes: SIGN_IN, ...READS_ID_TOKEN },
  settings: (values) => [
    authlibEnvironment(values),
    {
      file: 'app.py',
      run: 'uvicorn --env-file .env app:app',
      language: 'python',
      text: `import os

from authlib.integrations.starlette_client import OAuth
from fastapi import FastAPI, Request
from fastapi.responses import RedirectResponse
from starlette.middleware.sessions import SessionMiddleware

app = FastAPI()
app.add_middleware(SessionMiddleware, secret_key=os.environ["SECRET_KEY"])
redmint = OAuth().register(
    name="redmint",
    server_metadata_url=os.environ["ISSUER"] + "${PATHS.openid_configuration}",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    client_kwargs={"scope": "${values.scope}", "code_challenge_method": "S256"},
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
`,
    },
  ],
}

function authlibEnvironment(values: SettingsValues): SettingsFile {
  const { issuer, client_id, client_secret, redirect_uri } = values
  return {
    file: '.env',
    language: 'sh',
    text: `ISSUER="${issuer}"
CLIENT_ID="${client_id}"
CLIENT_SECRET="${client_secret}"
REDIRECT_URI="${redirect_uri}"
SECRET_KEY="<the output of: openssl rand -base64 33>"
`,
  }
}
