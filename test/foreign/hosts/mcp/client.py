"""An MCP client: at each request to /call it calls a tool and prints the answer, or first where its user signs in."""

import asyncio
import os
from urllib.parse import parse_qs, urlsplit

from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared import auth
from mcp.shared._httpx_utils import create_mcp_http_client

REDIRECT_URI = f"http://localhost:{os.environ['PORT']}/callback"


class Kept:
    """What the SDK keeps, for as long as this program runs."""

    tokens = None
    client = auth.OAuthClientInformationFull(
        client_id=os.environ["CLIENT_ID"],
        redirect_uris=[REDIRECT_URI],
        grant_types=["authorization_code", "refresh_token"],
        token_endpoint_auth_method="none",
    )

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


called, answered = asyncio.Queue(), asyncio.Queue()


async def listen(reader, writer):
    line = (await reader.readline()).decode()
    # A probe whether it listens.
    if not line:
        return writer.close()
    query = {name: value for name, [value] in parse_qs(urlsplit(line.split()[1]).query).items()}
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n<h1>Signed in</h1>")
    await writer.drain()
    writer.close()
    await (answered if "state" in query else called).put(query)


async def redirect(url):
    print(url, flush=True)


async def callback():
    query = await answered.get()
    if hasattr(auth, "AuthorizationCodeResult"):
        return auth.AuthorizationCodeResult(code=query["code"], state=query["state"], iss=query["iss"])
    return query["code"], query["state"]


async def main():
    await asyncio.start_server(listen, "localhost", int(os.environ["PORT"]))
    metadata = auth.OAuthClientMetadata(
        client_name="Notes",
        redirect_uris=[REDIRECT_URI],
        grant_types=["authorization_code", "refresh_token"],
        token_endpoint_auth_method="none",
    )
    provider = OAuthClientProvider(os.environ["MCP_URL"], metadata, Kept(), redirect, callback)
    while True:
        await called.get()
        async with (
            create_mcp_http_client(auth=provider) as http,
            streamable_http_client(os.environ["MCP_URL"], http_client=http) as (read, write, *_),
            ClientSession(read, write) as session,
        ):
            await session.initialize()
            answer = await session.call_tool("list_notes", {})
            print(answer.content[0].text, flush=True)


asyncio.run(main())
