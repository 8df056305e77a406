"""What a grammar's schemas have that a reply never shows is told as of a schema that is the format itself."""
import json

import pytest
from questions import COUNT

SCHEMA = {"type": "object", "properties": {"a": {"type": "string", "minLength": 2, "maxLength": 1}},
          "additionalProperties": False}
NEVER = ('.properties.a: no value can satisfy it ("minLength" is greater than "maxLength"), so none is written')
TAG = {"type": "structural_tag", "format": {"type": "json_schema", "json_schema": SCHEMA}}
OLD_TAG = {"type": "structural_tag", "structures": [{"begin": "<", "schema": SCHEMA, "end": ">"}], "triggers": ["<"]}
LARK = "start: %json " + json.dumps(SCHEMA)
FORMS = {
    "response_format": (TAG, "response_format.format.json_schema"),
    "structural_tag": ({"structural_tag": json.dumps(OLD_TAG)}, "structured_outputs.structural_tag.structures[0].schema"),
    "lark": ({"grammar": LARK}, "structured_outputs.grammar: line 1, column 14: %json"),
    "json": ({"json": SCHEMA}, "structured_outputs.json"),
}


@pytest.mark.parametrize("form", FORMS)
def test_parts_that_are_never_written_are_told(http, form):
    value, path = FORMS[form]
    field = "response_format" if form == "response_format" else "structured_outputs"
    for _ in range(2):  # the second time the form is kept
        answer = http.post("/v1/chat/completions", json={"model": "demo", "messages": COUNT, "max_tokens": 20,
                                                         "temperature": 0, field: value})
        assert answer.status_code == 200, answer.text
        assert answer.json()["warnings"] == [path + NEVER]


def test_the_grammar_of_a_tool_tells_too(http):
    tool = {"type": "custom", "name": "patch", "format": {"type": "grammar", "syntax": "lark", "definition": LARK}}
    answer = http.post("/v1/responses", json={"model": "demo", "input": "Count", "max_output_tokens": 20,
                                              "temperature": 0, "tools": [tool]})
    assert answer.status_code == 200, answer.text
    assert answer.json()["warnings"] == ["tools[0].format.definition: line 1, column 14: %json" + NEVER]
