# What a program with python-arango does first: `driver.py <url>`. Ends with a traceback where the mock does not answer as a database.
import sys

from arango import ArangoClient
from arango.exceptions import ArangoServerError, ServerConnectionError
from arango.request import Request

client = ArangoClient(hosts=sys.argv[1])
for method in ("basic", "jwt"):
    db = client.db("shop", username="alice", password="pw", auth_method=method, verify=True)
    assert db.version() == "3.12.5"
    assert db.version(details=True)["details"]["mode"] == "server"
    assert db.properties()["name"] == "shop"
    assert db.databases_accessible_to_user() == ["_system"]
    assert db.collections() == []
    assert db.has_collection("orders") is False

def refuse_token():
    """Has the mock revoke the driver's token, and returns it."""
    refused = db.conn._token
    db.conn.send_request(Request(method="post", endpoint="/revoke"))
    return refused


# After a 401 the driver logs in again, unless the time of the token has passed; `exp_leeway` lifts that.
refused = refuse_token()
assert db.version() == "3.12.5" and db.conn._token != refused
refuse_token()
db.conn._token_exp = 1
try:
    db.version()
    raise AssertionError("a token past its time was renewed")
except ArangoServerError as error:
    assert error.http_code == 401, error
db.conn.exp_leeway = 10**10
assert db.version() == "3.12.5"

try:
    client.db("shop", username="alice", password="wrong", verify=True)
    raise AssertionError("a wrong password was accepted")
except ServerConnectionError:
    pass

try:
    db.collection("orders").count()
    raise AssertionError("there is no such collection")
except ArangoServerError as error:
    assert error.http_code == 404 and "this is a mock" in str(error), error
print("python-arango: ok")
