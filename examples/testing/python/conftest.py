"""A server that all tests are run against. It is in memory, and ends with them."""

import json
import subprocess
import urllib.request

import pytest


class Redmint:
    def __init__(self, issuer, control, token):
        self.issuer = issuer
        self.control = control
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def post(self, path, body):
        request = urllib.request.Request(self.control + path, json.dumps(body).encode(), self.headers)
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or "null")

    def token(self, **wanted):
        return self.post("tokens", wanted)["access_token"]


@pytest.fixture(scope="session")
def redmint():
    command = ["npx", "--yes", "redmint", "dev", "--json", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield Redmint(**json.loads(process.stdout.readline()))
    finally:
        process.terminate()
        process.wait()
