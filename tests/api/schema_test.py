"""Requests made of the server's own description: none may end in an error of the server's."""
import os

import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error

# The server of this module; a schema is read when tests are collected.
PATH = os.path.join(os.path.dirname(__file__), "../../src/api/openapi/openapi.json")
schema = schemathesis.openapi.from_path(PATH)


def tame(body):
    """Names a model that is here, and asks for few tokens, so that much can be tried."""
    if isinstance(body, dict):
        if "model" in body:
            body["model"] = "demo"
        for limit in ("max_tokens", "max_completion_tokens", "max_output_tokens"):
            if isinstance(body.get(limit), int) and not isinstance(body[limit], bool):
                body[limit] = min(body[limit], 4)
        if isinstance(body.get("n"), int) and body["n"] > 3:
            body["n"] = 3
        options = body.get("options")
        if isinstance(options, dict):
            options["num_predict"] = 2
        elif "options" not in body and "model" in body:
            body["options"] = {"num_predict": 2}
    return body


@schema.parametrize()
@settings(max_examples=25, deadline=None, derandomize=True,
          suppress_health_check=list(HealthCheck))
def test_no_request_breaks_the_server(case, server):
    if case.path not in ("/api/create", "/api/copy", "/api/delete"):
        case.body = tame(case.body)
    response = case.call(base_url=server.url, timeout=120)
    case.validate_response(response, checks=(not_a_server_error,))
