"""The caller's permission, asked of the platform: 401, 403, or 503 if no decision could be made.

Needs no package of the platform: a decision is one POST.
"""

import re
from typing import Sequence

import httpx2
from fastapi import HTTPException, Request

Question = tuple[str, str]
"""An action and a resource."""

BEARER = re.compile(r"bearer +([\w.~+/=-]+)", re.IGNORECASE | re.ASCII)
EVALUATE = "/_integration/authorization/v1/evaluate-token-many"


def challenge(error: str = "") -> HTTPException:
    return HTTPException(401, "Unauthenticated", {"WWW-Authenticate": f'Bearer realm="orders"{error}'})


def unavailable() -> HTTPException:
    return HTTPException(503, "No decision could be made", {"Retry-After": "5"})


def token_of(request: Request) -> str:
    """The caller's token; a 401 without one, or with two: services differ in which of them counts."""
    headers = request.headers.getlist("authorization")
    match = BEARER.fullmatch(headers[0]) if len(headers) == 1 else None
    if match is None:
        raise challenge()
    return match[1]


class Guard:
    """Asks the authorization service, which a sidecar serves beside this program."""

    def __init__(self, services: httpx2.AsyncClient) -> None:
        self.services = services

    async def decide(self, request: Request, questions: Sequence[Question]) -> list[bool]:
        """One decision for each question, in their order. Anything but an Allow is a denial, a failure is a 503."""
        items = [{"action": action, "resource": resource} for action, resource in questions]
        body = {"token": token_of(request), "items": items}
        try:
            answer = await self.services.post(EVALUATE, json=body)
            payload = answer.json()
        except (httpx2.HTTPError, ValueError) as error:
            raise unavailable() from error
        if answer.status_code == 400 and isinstance(payload, dict) and payload.get("code") == 9:
            raise challenge(', error="invalid_token"')
        try:
            decisions = [item["effect"] == "Allow" for item in payload["items"]]
        except (KeyError, TypeError) as error:
            raise unavailable() from error
        if answer.status_code != 200 or len(decisions) != len(items):
            raise unavailable()
        return decisions

    async def check(self, request: Request, action: str, resource: str) -> str:
        """The caller's token, for calls on the caller's behalf; a 403 without the permission."""
        if await self.decide(request, [(action, resource)]) != [True]:
            raise HTTPException(403, "Permission denied")
        return token_of(request)
