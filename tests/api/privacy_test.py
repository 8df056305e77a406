"""What one key can learn of another: docs/security.md, seen from outside."""
import json
import re
import subprocess

import httpx
import pytest
from cache_test import words
from conftest import PROGRAM, Server, wait_for

MODEL = "demo"
OPTIONS = {"temperature": 0, "num_predict": 8}
KEYS = {"alice": "alice-key-4711", "bob": "bob-key-0815", "admin": "admin-key-1234"}
SECRET = "purple elephants count seven golden rivers"


class Clients(dict):
    """A client for each key, by its owner's name, and the server itself."""

    def __init__(self, server):
        super().__init__({
            who: httpx.Client(base_url=server.url, timeout=120, headers={"Authorization": f"Bearer {key}"})
            for who, key in KEYS.items()})
        self.server = server


def start(start_server, folder, *flags):
    (folder / "use").write_text(f"{KEYS['alice']}\n{KEYS['bob']}\n")
    (folder / "admin").write_text(f"{KEYS['admin']}\n")
    return Clients(start_server("--api-key-file", str(folder / "use"), "--admin-key-file",
                                str(folder / "admin"), *flags))


@pytest.fixture
def new_clients(start_server, tmp_path):
    """Of a server that nobody has asked anything."""
    return start(start_server, tmp_path)


@pytest.fixture(scope="module")
def clients(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    running = start(lambda *flags: Server(tmp_path_factory.mktemp("server"), *flags), folder)
    yield running
    assert running.server.stop() == 0, running.server.text()


def messages(seed, count):
    return [{"role": "user", "content": words(seed, count)}]


def ask(client, prompt, **fields):
    answer = client.post("/api/chat", json={"model": MODEL, "messages": prompt, "stream": False,
                                            "options": OPTIONS} | fields)
    assert answer.status_code == 200, answer.text
    return answer.json()


def openai_usage(client, prompt):
    answer = client.post("/v1/chat/completions", json={"model": MODEL, "messages": prompt, "max_tokens": 2})
    return answer.json()["usage"]["prompt_tokens_details"]["cached_tokens"]


def completion_usage(client, prompt):
    answer = client.post("/v1/completions", json={"model": MODEL, "prompt": prompt[0]["content"],
                                                  "max_tokens": 2})
    return answer.json()["usage"]["prompt_tokens_details"]["cached_tokens"]


def response_usage(client, prompt):
    answer = client.post("/v1/responses", json={"model": MODEL, "input": prompt, "max_output_tokens": 2})
    return answer.json()["usage"]["input_tokens_details"]["cached_tokens"]


def anthropic_usage(client, prompt):
    answer = client.post("/v1/messages", json={"model": MODEL, "messages": prompt, "max_tokens": 2})
    return answer.json()["usage"]["cache_read_input_tokens"]


def chat_usage(client, prompt):
    return ask(client, prompt)["prompt_eval_cached_count"]


def generate_usage(client, prompt):
    answer = client.post("/api/generate", json={"model": MODEL, "prompt": prompt[0]["content"],
                                                "stream": False, "options": OPTIONS})
    return answer.json()["prompt_eval_cached_count"]


@pytest.mark.parametrize("seed, cached", [(101, chat_usage), (102, generate_usage), (103, openai_usage),
                                          (104, completion_usage), (105, response_usage), (106, anthropic_usage)])
def test_a_prompt_is_cached_for_its_own_key_alone(clients, seed, cached):
    prompt = messages(seed, 400)
    assert cached(clients["alice"], prompt) == 0
    assert cached(clients["bob"], prompt) == 0
    assert cached(clients["admin"], prompt) == 0
    for who in KEYS:
        assert cached(clients[who], prompt) >= 64


def test_cache_debug_knows_nothing_of_other_keys(new_clients):
    base = words(2, 100)
    ask(new_clients["alice"], [{"role": "user", "content": f"{base} {SECRET} " + words(3, 200)}])
    probe = [{"role": "user", "content": f"{base} what?"}]
    debug = ask(new_clients["bob"], probe, cache_debug=True)["cache_debug"]
    assert debug["cached_tokens"] == debug["common_tokens"] == 0
    assert debug["cached_text"] == ""
    own = ask(new_clients["alice"], probe, cache_debug=True)["cache_debug"]
    assert own["common_tokens"] > 64
    assert own["cached_text"].strip() and own["cached_text"].strip().split()[0] in SECRET


def test_a_common_cache_gives_others_whole_pages_and_no_text(start_server, tmp_path):
    clients = start(start_server, tmp_path, "--cache-scope", "server")
    base = words(2, 103)
    ask(clients["alice"], [{"role": "user", "content": f"{base} {SECRET} " + words(3, 200)}])
    probe = [{"role": "user", "content": f"{base} what?"}]
    answer = ask(clients["bob"], probe, cache_debug=True)
    debug = answer["cache_debug"]
    assert set(debug) == {"cached_tokens", "common_tokens"}
    assert debug["cached_tokens"] == answer["prompt_eval_cached_count"] > 0
    assert debug["common_tokens"] % 64 == debug["cached_tokens"] % 64 == 0
    told = ask(clients["admin"], probe[:1], cache_debug=True, options=OPTIONS | {"seed": 1})["cache_debug"]
    assert "cached_text" in told and told["common_tokens"] % 64 != 0


def test_one_key_is_told_everything(start_server):
    running = start_server("--api-key", KEYS["alice"])
    with httpx.Client(base_url=running.url, timeout=120,
                      headers={"x-api-key": KEYS["alice"]}) as client:
        base = words(2, 100)
        ask(client, [{"role": "user", "content": f"{base} {SECRET} " + words(3, 200)}])
        debug = ask(client, [{"role": "user", "content": f"{base} what?"}], cache_debug=True)["cache_debug"]
        assert debug["cached_text"].strip().split()[0] in SECRET
        assert client.get("/metrics").status_code == 200


def stored(client, text="Hi", **fields):
    answer = client.post("/v1/responses", json={"model": MODEL, "input": text, "max_output_tokens": 4} | fields)
    assert answer.status_code == 200, answer.text
    return answer.json()


def without(answer, name):
    """An answer's status and text, with the name that it quotes taken out."""
    return answer.status_code, answer.text.replace(name, "ID")


def test_responses_of_another_key_are_as_unknown_ones(clients):
    alice, bob, admin = (clients[who] for who in KEYS)
    id, unknown = stored(alice, SECRET)["id"], "resp_" + "a" * 48
    for method, path in (("GET", ""), ("GET", "/input_items"), ("DELETE", ""), ("POST", "/cancel")):
        known = bob.request(method, f"/v1/responses/{id}{path}")
        assert without(known, id) == without(bob.request(method, f"/v1/responses/{unknown}{path}"), unknown)
        assert known.status_code == 404
    go_on = [bob.post("/v1/responses", json={"model": MODEL, "input": "And?", "previous_response_id": name})
             for name in (id, unknown)]
    assert go_on[0].status_code == 400
    assert without(go_on[0], id) == without(go_on[1], unknown)
    item = alice.get(f"/v1/responses/{id}/input_items").json()["data"][0]["id"]
    refer = [bob.post("/v1/responses", json={"model": MODEL, "input": [{"type": "item_reference", "id": name}]})
             for name in (item, "msg_" + "a" * 26)]
    assert refer[0].status_code == 400
    assert without(refer[0], item) == without(refer[1], "msg_" + "a" * 26)
    assert alice.get(f"/v1/responses/{id}").json()["id"] == id
    assert SECRET in admin.get(f"/v1/responses/{id}/input_items").text
    assert stored(admin, "And?", previous_response_id=id)["previous_response_id"] == id
    assert stored(alice, "And?", previous_response_id=id)["previous_response_id"] == id
    assert admin.delete(f"/v1/responses/{id}").json()["deleted"] is True
    assert alice.get(f"/v1/responses/{id}").status_code == 404


def test_background_responses_of_another_key_are_as_unknown_ones(clients):
    alice, bob, admin = (clients[who] for who in KEYS)
    id, unknown = stored(alice, SECRET, background=True, max_output_tokens=100_000, ignore_eos=True)["id"], "resp_" + "a" * 48
    for method, path in (("GET", ""), ("GET", "/input_items"), ("POST", "/cancel"), ("DELETE", "")):
        known = bob.request(method, f"/v1/responses/{id}{path}")
        assert without(known, id) == without(bob.request(method, f"/v1/responses/{unknown}{path}"), unknown)
    assert alice.get(f"/v1/responses/{id}").json()["status"] in ("queued", "in_progress")
    assert admin.post(f"/v1/responses/{id}/cancel").json()["status"] == "cancelled"
    assert alice.get(f"/v1/responses/{id}").json()["status"] == "cancelled"


def test_what_one_key_stores_takes_nothing_from_another(start_server, tmp_path):
    clients = start(start_server, tmp_path)
    id = stored(clients["alice"])["id"]
    # More than all keys together may keep: what the context has no room for is kept as well.
    bulk = "x" * 3_000_000
    ids = []
    for _ in range(24):
        answer = clients["bob"].post("/v1/responses", json={
            "model": MODEL, "max_output_tokens": 1, "truncation": "auto",
            "input": [{"role": "user", "content": bulk}, {"role": "user", "content": "Hi"}]})
        assert answer.status_code == 200, answer.text[:300]
        ids.append(answer.json()["id"])
    assert clients["bob"].get(f"/v1/responses/{ids[0]}").status_code == 404
    assert clients["bob"].get(f"/v1/responses/{ids[-1]}").status_code == 200
    assert clients["alice"].get(f"/v1/responses/{id}").status_code == 200


def test_ids_have_at_least_128_bits(clients):
    seen = set()
    for _ in range(20):
        body = stored(clients["alice"])
        for id in (body["id"], body["output"][0]["id"] if body["output"] else "msg_" + "a0" * 13):
            assert re.fullmatch(r"(resp|msg|rs)_[a-z0-9]{26,}", id), id
        seen.add(body["id"])
    assert len(seen) == 20


def test_metrics_of_several_keys_are_the_administrators(clients):
    assert clients["alice"].get("/metrics").status_code == 403
    assert httpx.get(clients.server.url + "/metrics").status_code == 401
    ask(clients["alice"], messages(5, 100))
    text = clients["admin"].get("/metrics").text
    assert "pleiad_tokens_total" in text
    assert not any(key in text for key in KEYS.values())


def test_without_an_admin_key_nobody_on_this_machine_sees_others(start_server, tmp_path):
    (tmp_path / "use").write_text(f"{KEYS['alice']}\n{KEYS['bob']}\n")
    clients = Clients(start_server("--api-key-file", str(tmp_path / "use"), "--cache-scope", "server"))
    alice, bob = clients["alice"], clients["bob"]
    id = stored(alice, SECRET)["id"]
    assert bob.get("/metrics").status_code == 200  # may administer from here
    assert bob.get(f"/v1/responses/{id}").status_code == bob.delete(f"/v1/responses/{id}").status_code == 404
    assert "cached_text" not in ask(bob, messages(8, 50), cache_debug=True)["cache_debug"]
    assert alice.get(f"/v1/responses/{id}").status_code == 200


def test_the_log_has_neither_prompts_nor_keys(new_clients):
    alice = new_clients["alice"]
    ask(alice, [{"role": "system", "content": SECRET}, {"role": "user", "content": SECRET}])
    stored(alice, SECRET)
    alice.post("/v1/messages", json={"model": MODEL, "max_tokens": 4,
                                     "messages": [{"role": "user", "content": SECRET}]})
    alice.post("/api/embed", json={"model": MODEL, "input": [SECRET]})
    alice.post("/api/chat", content=json.dumps({"model": MODEL, "messages": [{"content": SECRET}]})[:-1])
    alice.post("/api/chat", json={"model": MODEL, "messages": [{"role": SECRET, "content": SECRET}]})
    alice.post("/api/chat", json={"model": MODEL, "messages": [{"role": "user", "content": [SECRET]}]})
    for schema in ({"$ref": "#/$defs/" + SECRET}, {"type": "object", "properties": {SECRET: {"type": "text"}}}):
        refused = alice.post("/api/chat", json={"model": MODEL, "format": schema,
                                                "messages": [{"role": "user", "content": "x"}]})
        assert refused.status_code == 400 and SECRET in refused.text
    alice.post("/v1/chat/completions", json={
        "model": MODEL, "messages": [{"role": "user", "content": SECRET * 20_000}]})
    alice.get("/v1/models", params={"key": KEYS["bob"], "text": SECRET})
    httpx.get(new_clients.server.url + "/api/tags", headers={"Authorization": "Bearer wrong-key-99"})
    assert wait_for(lambda: new_clients.server.text().count('msg="request"') >= 12)
    log = new_clients.server.text()
    assert "purple" not in log and "golden rivers" not in log
    assert not any(key in log for key in [*KEYS.values(), "wrong-key-99"])


def test_the_scope_is_a_word_that_is_known(tmp_path):
    done = subprocess.run([PROGRAM, "serve", "--cache-scope", "world", "--print-config"],
                          capture_output=True, text=True, timeout=60, env={"HOME": str(tmp_path)})
    assert done.returncode == 2
    assert "--cache-scope: expected one of auto, key, server, found 'world'" in done.stderr


def test_keys_compute_together_and_apart_alike(clients):
    """What is found in no cache but one's own: the answers are the same to the last bit."""
    prompt = messages(7, 300)
    fields = {"logprobs": True, "options": OPTIONS | {"num_predict": 12}}
    answers = [ask(clients[who], prompt, **fields) for who in ("alice", "bob", "alice")]
    assert [answer["prompt_eval_cached_count"] > 0 for answer in answers] == [False, False, True]
    assert all(answer["logprobs"] == answers[0]["logprobs"] for answer in answers)
