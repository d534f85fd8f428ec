# A FastAPI service with a parameter of each type. It answers with the value that its handler got, in a text that equal
# values share.
import base64
import datetime
import enum
import struct
import sys
import uuid
from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address
from typing import Annotated

import uvicorn
from fastapi import FastAPI
from pydantic import AfterValidator, WithJsonSchema

app = FastAPI()


class Choice(str, enum.Enum):
    red = "red"
    green = "Green"
    dark_blue = "dark_blue"


class Level(enum.IntEnum):
    one = 1
    two = 2
    thirty = 30


def single(value: float) -> float:
    return struct.unpack("f", struct.pack("f", value))[0]


def decoded(value: str) -> bytes:
    return base64.b64decode(value + "=" * (-len(value) % 4))


types = {
    "boolean": bool,
    "integer": int,
    "number": float,
    "float": Annotated[float, AfterValidator(single), WithJsonSchema({"type": "number", "format": "float"})],
    "date": datetime.date,
    "time": datetime.time,
    "date-time": datetime.datetime,
    "uuid": uuid.UUID,
    "ipv4": IPv4Address,
    "ipv6": IPv6Address,
    "byte": Annotated[str, AfterValidator(decoded), WithJsonSchema({"type": "string", "format": "byte"})],
    "choice": Choice,
    "level": Level,
    "text": str,
}
# Without one text for each value.
refused = {"duration": datetime.timedelta, "either": int | str, "decimal": Decimal}


def key(value: object) -> str:
    if isinstance(value, datetime.datetime) and value.tzinfo:
        value = value - datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
    if isinstance(value, datetime.time) and value.tzinfo:
        day = datetime.datetime.combine(datetime.date(2000, 1, 2), value)
        value = day.astimezone(datetime.timezone.utc).time()
    return repr(value + 0 if isinstance(value, float) else value)


def add(kind: str, kind_type: object, resource: str) -> None:
    permission = {"action": "values:read", "resource": resource}

    async def handle(value):  # type: ignore[no-untyped-def]
        return {"value": key(value)}

    handle.__annotations__ = {"value": kind_type}
    app.get(f"/{kind}/{{value}}", openapi_extra={"x-permission": permission}, name=kind)(handle)


for kind, kind_type in types.items():
    add(kind, kind_type, f"{kind}:{{value*}}")
for kind, kind_type in refused.items():
    add(kind, kind_type, f"{kind}:{{value*}}")

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
