"""An orders service that guards itself, and calls another service as its caller."""

import os
from contextlib import asynccontextmanager

import httpx2
from fastapi import FastAPI, HTTPException, Request
from pydantic import BaseModel, ValidationError

from guard import Guard


class NewOrder(BaseModel):
    total: float


def create_app(services_url: str | None = None, deployment_url: str | None = None) -> FastAPI:
    """The variables are those of a program beside a sidecar; `arango-services mock -- <program>` sets them, too."""
    services_url = services_url or os.environ["INTEGRATION_HTTP_ADDRESS_FULL"]
    deployment_url = deployment_url or os.environ["ARANGO_DEPLOYMENT_ENDPOINT"]
    # No proxy of the environment is between this program and its sidecar.
    services = httpx2.AsyncClient(base_url=services_url, timeout=2, trust_env=False)
    # A deployment with a private authority: verify=ssl.create_default_context(cafile=…).
    deployment = httpx2.AsyncClient(base_url=deployment_url, timeout=10, trust_env=False)
    guard = Guard(services)
    orders = {"1": {"id": "1", "total": 12.0}, "2": {"id": "2", "total": 80.0}}

    @asynccontextmanager
    async def lifespan(_app: FastAPI):
        async with services, deployment:
            yield

    app = FastAPI(lifespan=lifespan)

    @app.get("/orders")
    async def list_orders(request: Request):
        stored = list(orders.values())
        allowed = await guard.decide(request, [("orders:read", f"order:{order['id']}") for order in stored])
        return [order for order, may_read in zip(stored, allowed) if may_read]

    @app.get("/orders/{order_id}")
    async def read_order(request: Request, order_id: str):
        # Before the lookup: only callers who may read the order learn whether it exists.
        await guard.check(request, "orders:read", f"order:{order_id}")
        if order_id not in orders:
            raise HTTPException(404, "no such order")
        return orders[order_id]

    @app.post("/orders", status_code=201)
    async def add_order(request: Request):
        # No parameter has the body: FastAPI would read and judge it before the caller is checked.
        token = await guard.check(request, "orders:write", "orders")
        try:
            order = NewOrder.model_validate_json(await request.body())
        except ValidationError as error:
            raise HTTPException(400, "total is not a number") from error
        number = str(len(orders) + 1)
        sent = {"order": number, "total": order.total}
        try:
            answer = await deployment.post(
                "/_db/shop/billing/invoices", json=sent, headers={"Authorization": f"Bearer {token}"}
            )
            answer.raise_for_status()
        except httpx2.HTTPError as error:
            # Never billing's own status: its 401 is not this service's.
            raise HTTPException(502, "Bad gateway") from error
        orders[number] = {"id": number, "total": order.total}
        return orders[number]

    return app
