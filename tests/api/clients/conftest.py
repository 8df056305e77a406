"""What the frameworks' tests share."""
import httpx
import pytest


@pytest.fixture(scope="session")
def greedy(server):
    """The demo model with temperature 0 as its default, for clients that send none of their own."""
    body = {"model": "greedy", "from": "demo", "parameters": {"temperature": 0}, "stream": False}
    assert httpx.post(server.url + "/api/create", json=body).status_code == 200
    yield "greedy"
    httpx.request("DELETE", server.url + "/api/delete", json={"model": "greedy"})
