import os
from typing import Annotated

import httpx
from fastapi import Depends, FastAPI, HTTPException
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

ISSUER, RESOURCE = os.environ["ISSUER"], os.environ["RESOURCE"]
redmint = httpx.AsyncClient(auth=(os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"]), timeout=5)
bearer = HTTPBearer(auto_error=False)
app = FastAPI()


def refused(status: int, challenge: str) -> HTTPException:
    return HTTPException(status, headers={"WWW-Authenticate": challenge})


def needs(scope: str):
    """Returns what a route depends on: a token for this API, with the scope."""

    async def check(sent: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]) -> dict:
        if sent is None:
            raise refused(401, "Bearer")
        try:
            answer = await redmint.post(ISSUER + "{{path.introspect}}", data={"token": sent.credentials})
            answer.raise_for_status()
        except httpx.HTTPError as error:
            raise HTTPException(503) from error
        token = answer.json()
        audience = token.get("aud", [])
        # A token that is bound to a key (cnf) is worth nothing without the proof, which is not looked at here.
        if (
            not token["active"]
            or RESOURCE not in ([audience] if isinstance(audience, str) else audience)
            or "cnf" in token
        ):
            raise refused(401, 'Bearer error="invalid_token"')
        if scope not in token["scope"].split():
            raise refused(403, f'Bearer error="insufficient_scope", scope="{scope}"')
        return token

    return check


@app.get("/orders")
async def orders(token: Annotated[dict, Depends(needs("orders.read"))]):
    return {"user": token.get("sub", ""), "client": token["client_id"]}
