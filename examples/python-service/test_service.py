import asyncio
import os

import httpx2
import pytest
from fastapi import HTTPException, Request
from fastapi.testclient import TestClient

from guard import Guard
from service import create_app

PLATFORM = os.environ["ARANGO_DEPLOYMENT_ENDPOINT"]


def token_of(user: str) -> str:
    answer = httpx2.post(f"{PLATFORM}/_open/auth", json={"username": user, "password": "pw"}, trust_env=False)
    return answer.raise_for_status().json()["jwt"]


def as_user(user: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token_of(user)}"}


@pytest.fixture
def orders():
    with TestClient(create_app()) as client:
        yield client


def test_a_list_has_what_its_reader_may_see(orders):
    assert len(orders.get("/orders", headers=as_user("alice")).json()) == 2
    assert [order["id"] for order in orders.get("/orders", headers=as_user("bob")).json()] == ["1"]


def test_a_granted_write_calls_billing_as_its_caller(orders):
    answer = orders.post("/orders", json={"total": 5}, headers=as_user("alice"))
    assert (answer.status_code, answer.json()) == (201, {"id": "3", "total": 5.0})


def test_a_denied_caller_is_403(orders):
    assert orders.get("/orders/2", headers=as_user("bob")).status_code == 403
    assert orders.post("/orders", json={"total": 5}, headers=as_user("bob")).status_code == 403


@pytest.mark.parametrize(("method", "path"), [("GET", "/orders"), ("GET", "/orders/1"), ("POST", "/orders")])
def test_without_a_valid_token_it_is_401_whatever_the_body_is(orders, method, path):
    absent = orders.request(method, path, content=b"no JSON")
    assert (absent.status_code, absent.headers["www-authenticate"]) == (401, 'Bearer realm="orders"')
    forged = orders.request(method, path, headers={"Authorization": f"bearer {token_of('alice')}x"})
    assert (forged.status_code, forged.headers["www-authenticate"]) == (
        401,
        'Bearer realm="orders", error="invalid_token"',
    )


def test_a_request_with_two_tokens_is_401(orders):
    headers = [("Authorization", as_user(user)["Authorization"]) for user in ("bob", "alice")]
    assert orders.get("/orders/2", headers=headers).status_code == 401


def test_an_invalid_order_is_400_for_a_caller_who_may_write(orders):
    assert orders.post("/orders", content=b"no JSON", headers=as_user("alice")).status_code == 400


@pytest.mark.parametrize("services", ["http://127.0.0.1:9", f"{PLATFORM}/_elsewhere"])
def test_without_a_decision_it_is_503(services):
    with TestClient(create_app(services_url=services)) as client:
        answer = client.get("/orders/1", headers=as_user("alice"))
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(200, text="<p>maintenance</p>"),
        httpx2.Response(200, json={"effect": "Allow"}),
        httpx2.Response(200, json={"items": []}),
        httpx2.Response(200, json=[]),
        httpx2.Response(500, json={"items": [{"effect": "Allow"}]}),
        httpx2.Response(302, headers={"location": "/login"}, json={"items": [{"effect": "Allow"}]}),
    ],
)
def test_an_answer_without_a_decision_is_503(answer):
    services = httpx2.AsyncClient(base_url="http://services", transport=httpx2.MockTransport(lambda _: answer))
    request = Request({"type": "http", "headers": [(b"authorization", b"Bearer a")]})
    with pytest.raises(HTTPException) as raised:
        asyncio.run(Guard(services).decide(request, [("orders:read", "order:1")]))
    assert raised.value.status_code == 503


def test_a_failure_of_billing_is_502(orders):
    with TestClient(create_app(deployment_url=f"{PLATFORM}/_elsewhere")) as client:
        assert client.post("/orders", json={"total": 5}, headers=as_user("alice")).status_code == 502
