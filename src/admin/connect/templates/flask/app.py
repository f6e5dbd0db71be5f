import os

from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session

app = Flask(__name__)
app.secret_key = os.environ["SECRET_KEY"]
redmint = OAuth(app).register(
    name="redmint",
    server_metadata_url=os.environ["ISSUER"] + "{{path.openid_configuration}}",
    client_id=os.environ["CLIENT_ID"],
    client_secret=os.environ["CLIENT_SECRET"],
    client_kwargs={"scope": "{{scope}}", "code_challenge_method": "S256"},
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
