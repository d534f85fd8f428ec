# A FastAPI service: the calls of scripts/check-fastapi.ts are typed by its own document.
import sys
from typing import Annotated, Optional

import uvicorn
from fastapi import FastAPI, Header, HTTPException, Query, Response, UploadFile
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field


class NewItem(BaseModel):
    name: str
    price: float = Field(gt=0)
    tags: list[str] = []


class Item(NewItem):
    id: int


class Problem(BaseModel):
    detail: str


class Echo(BaseModel):
    one: str
    two: str
    text: Optional[str]
    many: list[str]


app = FastAPI(title="Items", version="1.0.0")
items: dict[int, Item] = {}
missing = {404: {"model": Problem}}


def find(item_id: int) -> Item:
    if item_id not in items:
        raise HTTPException(404, "no such item")
    return items[item_id]


@app.get("/items/")
def list_items(
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
    tag: Annotated[list[str], Query()] = [],
    x_tenant: Annotated[Optional[str], Header()] = None,
) -> list[Item]:
    found = [item for item in items.values() if all(one in item.tags for one in tag)]
    return found[:limit]


@app.post("/items/", status_code=201)
def create_item(item: NewItem) -> Item:
    created = Item(id=len(items) + 1, **item.model_dump())
    items[created.id] = created
    return created


@app.get("/items/{item_id}", responses=missing)
def read_item(item_id: int, expand: bool = False) -> Item:
    return find(item_id)


@app.put("/items/{item_id}", responses=missing)
def replace_item(item_id: int, item: NewItem) -> Item:
    find(item_id)
    items[item_id] = Item(id=item_id, **item.model_dump())
    return items[item_id]


@app.delete("/items/{item_id}", status_code=204, responses=missing)
def delete_item(item_id: int) -> None:
    find(item_id)
    del items[item_id]


@app.get("/items/{item_id}/label", response_class=PlainTextResponse)
def read_label(item_id: int) -> str:
    return f"label of {item_id}"


@app.get("/items/{item_id}/photo", response_class=Response, responses={200: {"content": {"image/png": {}}}})
def read_photo(item_id: int) -> Response:
    return Response(bytes([137, 80, 78, 71, item_id]), media_type="image/png")


@app.post("/upload")
async def upload(file: UploadFile) -> int:
    return len(await file.read())


# Starlette decodes a path before it splits it, so only the last segment may hold a slash.
@app.get("/echo/{one}/{two:path}")
def echo(one: str, two: str, text: Optional[str] = None, many: Annotated[list[str], Query()] = []) -> Echo:
    return Echo(one=one, two=two, text=text, many=many)


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
