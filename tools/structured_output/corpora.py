"""The two public corpora: real schemas with instances, and the standard's own tests.

Neither is kept here. A corpus is a folder, the checkout of its repository.
"""
import json
import pathlib

SUITE_DRAFTS = {"draft7": "http://json-schema.org/draft-07/schema#",
                "draft2020-12": "https://json-schema.org/draft/2020-12/schema"}


class Case:
    """A schema, and instances that are valid under it or not."""

    def __init__(self, name, group, schema, tests):
        self.name, self.group, self.schema = name, group, schema
        self.texts = [json.dumps(data, ensure_ascii=False, separators=(",", ":")) for data, _ in tests]
        self.valid = [valid for _, valid in tests]


def mask_bench(folder, least_tests=1):
    """guidance-ai/jsonschemabench: the folder maskbench/data of a checkout."""
    for path in sorted(pathlib.Path(folder).glob("*.json")):
        content = json.loads(path.read_text())
        tests = [(test["data"], test["valid"]) for test in content.get("tests") or []]
        if len(tests) >= least_tests:
            group = path.name.split("---")[0].split("_")[0]
            yield Case(path.name, group, content["schema"], tests)


def test_suite(folder, draft):
    """json-schema-org/JSON-Schema-Test-Suite: its required tests of a draft."""
    for path in sorted((pathlib.Path(folder) / "tests" / draft).glob("*.json")):
        for number, group in enumerate(json.loads(path.read_text())):
            tests = [(test["data"], test["valid"]) for test in group["tests"]]
            yield Case(f"{path.stem}/{number}: {group['description']}", path.stem, group["schema"], tests)
