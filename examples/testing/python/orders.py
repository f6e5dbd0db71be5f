"""An API that answers who has a token for it, and the scope api.read."""

import jwt
from flask import Flask, request


def create_app(issuer, audience):
    app = Flask(__name__)
    keys = jwt.PyJWKClient(f"{issuer}/.well-known/jwks.json")
    checks = {"algorithms": ["ES256"], "issuer": issuer, "audience": audience, "options": {"require": ["exp"]}}

    @app.get("/orders")
    def orders():
        _, _, token = request.headers.get("Authorization", "").partition(" ")
        try:
            verified = jwt.decode_complete(token, keys.get_signing_key_from_jwt(token), **checks)
        except jwt.PyJWTError:
            return {"error": "invalid_token"}, 401
        claims = verified["payload"]
        if verified["header"].get("typ") != "at+jwt":
            return {"error": "invalid_token"}, 401
        if "api.read" not in claims.get("scope", "").split():
            return {"error": "insufficient_scope"}, 403
        return {"client": claims["client_id"]}

    return app
