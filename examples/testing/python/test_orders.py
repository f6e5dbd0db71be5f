import pytest

from orders import create_app

API = "https://api.demo.test"
FAULTS = ["expired", "not_yet_valid", "wrong_aud", "wrong_iss", "wrong_typ", "wrong_signature", "alg_none"]


@pytest.fixture
def read(redmint):
    client = create_app(redmint.issuer, API).test_client()

    def read(**wanted):
        alice = {"client": "demo-spa", "user": "alice", "resource": API, "scope": "api.read"}
        token = redmint.token(**{**alice, **wanted})
        return client.get("/orders", headers={"Authorization": f"Bearer {token}"})

    return read


def test_who_has_a_token_reads(read):
    answer = read()
    assert (answer.status_code, answer.json) == (200, {"client": "demo-spa"})


@pytest.mark.parametrize("fault", FAULTS)
def test_a_token_is_refused(read, fault):
    assert read(fault=fault).status_code == 401


def test_a_token_for_another_scope_is_refused(read):
    assert read(scope="openid").status_code == 403
