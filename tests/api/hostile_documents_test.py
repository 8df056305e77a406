"""Documents that are made to hurt the server, and programs that read PDF and crash, hang, or write without end."""
import base64
import contextlib
import http.server
import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import threading
import urllib.parse

import httpx
import pytest
from conftest import MODEL, PROGRAM, Server, wait_for
from documents import ACTING_TEXT, acting_pdf, docx, endless_pdf, hostile, paragraphs, pdf

PROGRAMS = ("pdfinfo", "pdftotext", "pdftoppm")
# What media_test builds to stand in for them: it does what the first line of a document says.
STAND_IN = pathlib.Path(PROGRAM).parent / "src/media/media_test_poppler"
QUESTION = {"model": MODEL, "messages": [{"role": "user", "content": "Tell me of the sea."}], "temperature": 0,
            "max_tokens": 60, "logprobs": True, "top_logprobs": 3, "cache": False}


def request_about(document, **wishes):
    data = base64.b64encode(document).decode()
    part = {"type": "file", "file": {"file_data": data, "filename": "a"}} | wishes
    return {"model": MODEL, "max_tokens": 2, "messages": [
        {"role": "user", "content": [part, {"type": "text", "text": "?"}]}]}


def ask(client, document):
    return client.post("/v1/chat/completions", json=request_about(document))


def question(client):
    """An answer about no document, with the numbers that chose its tokens."""
    answered = client.post("/v1/chat/completions", json=QUESTION)
    assert answered.status_code == 200, answered.text
    choice = answered.json()["choices"][0]
    assert len(choice["logprobs"]["content"]) > 10
    return choice


@contextlib.contextmanager
def answers_meanwhile(server):
    """While what stands within is done, the server answers others all the time, with the same bits as alone."""
    done = threading.Event()
    answers = []

    def go_on():
        with httpx.Client(base_url=server.url, timeout=120) as own:
            while not answers or not done.is_set():
                answers.append(question(own))

    with httpx.Client(base_url=server.url, timeout=120) as client:
        alone = question(client)
    others = threading.Thread(target=go_on)
    others.start()
    try:
        yield
    finally:
        done.set()
        others.join()
    assert all(answer == alone for answer in answers)


def readers(server, names=(b"document-converter", b"/pdf")):
    """Processes that read a document now: by their names, the server's own file and poppler's programs."""
    found = []
    for child, state in server.children().items():
        with contextlib.suppress(OSError):
            words = pathlib.Path(f"/proc/{child}/cmdline").read_bytes()
            if state != "Z" and any(name in words for name in names):
                found.append(child)
    return found


def poppler_of(server):
    """Poppler's programs that run now: what prepares to become one has its name among its words, and is still ours."""
    found = []
    for child in readers(server, names=[b"/pdf"]):
        with contextlib.suppress(OSError):
            if not os.path.samefile(f"/proc/{child}/exe", PROGRAM):
                found.append(child)
    return found


def nothing_is_left(server):
    return wait_for(lambda: not readers(server) and "Z" not in server.children().values())


def gives_up(server, document, seconds):
    """Whether a client that waits so long and no longer goes without an answer."""
    with httpx.Client(base_url=server.url, timeout=seconds) as impatient:
        try:
            ask(impatient, document)
        except httpx.ReadTimeout:
            return True
    return False


@pytest.fixture
def client(server):
    with httpx.Client(base_url=server.url, timeout=120) as one:
        yield one


def test_they_cost_their_own_requests_alone(server, client):
    with answers_meanwhile(server):
        for what, (document, why) in hostile().items():
            answered = ask(client, document)
            if why is None and answered.status_code == 200:
                continue
            assert answered.status_code == 400, (what, answered.text)
            error = answered.json()["error"]["message"]
            assert error.startswith("messages[0].content[0]") and (why or "") in error, (what, error)
    assert ask(client, pdf()).json()["media"][0]["pages"] == 1
    assert ask(client, docx(paragraphs("Words."))).status_code == 200
    assert nothing_is_left(server)


def test_what_nobody_waits_for_is_not_read_on(server, client):
    with answers_meanwhile(server):
        assert gives_up(server, endless_pdf(), seconds=1)
        assert nothing_is_left(server)
    assert ask(client, pdf()).status_code == 200


def test_a_body_without_end_is_refused(server, client):
    beginning = b'{"model": "demo", "messages": [{"role": "user", "content": [{"type": "file", "file": {"file_data": "'
    head = (b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(beginning), beginning))
    more = b"JVBERi0xLjcK" * 100_000
    where = urllib.parse.urlsplit(server.url)
    with answers_meanwhile(server), socket.create_connection((where.hostname, where.port)) as connection:
        connection.sendall(head)
        for _ in range(1_000):  # the limit comes after 56
            if select.select([connection], [], [], 0)[0]:
                break
            connection.sendall(b"%x\r\n%s\r\n" % (len(more), more))
        assert connection.recv(1_000).startswith(b"HTTP/1.1 413 ")
    assert ask(client, pdf()).status_code == 200


def test_a_pdf_that_would_act_does_nothing(server, client, tmp_path):
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

        do_POST = do_GET

        def log_message(self, *_):
            pass

    made = tmp_path / "made"
    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as outside:
        thread = threading.Thread(target=outside.serve_forever)
        thread.start()
        url = f"http://127.0.0.1:{outside.server_port}"
        document = acting_pdf(url.encode(), str(made).encode())
        for pages_as in ("text", "image"):
            found = []
            for one in (document, pdf(ACTING_TEXT)):
                answered = client.post("/v1/chat/completions", json=request_about(one, pages_as=pages_as)
                                       | {"temperature": 0, "max_tokens": 8, "logprobs": True})
                assert answered.status_code == 200, answered.text
                assert answered.json()["media"][0]["picture_pages"] == (pages_as == "image")
                found.append((answered.json()["choices"], answered.json()["usage"]["prompt_tokens"]))
            assert found[0] == found[1], "nothing but the page is shown"
        outside.shutdown()
        thread.join()
    assert asked == [] and not made.exists()


@pytest.fixture(scope="module")
def other_programs():
    """Words to put before a command, which then finds the stand-in where poppler's programs are."""
    found = [shutil.which(name, path="/usr/bin:/usr/local/bin") for name in PROGRAMS]
    if None in found or not STAND_IN.exists():
        pytest.skip(f"needs poppler's programs and {STAND_IN}")
    mounts = " && ".join(f"mount --bind '{STAND_IN}' {path}" for path in found)
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        words = ["unshare", "--mount", "sh", "-c", f'{mounts} && exec "$@"', "sh"]
    else:  # who may mount, and then who he was
        back = f"exec unshare --user --map-user={user} --map-group={group}"
        words = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", f'{mounts} && {back} "$@"', "sh"]
    if subprocess.run([*words, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("the system allows no namespaces of mounts")
    return words


@pytest.fixture(scope="module")
def misled(tmp_path_factory, other_programs):
    running = Server(tmp_path_factory.mktemp("misled"), wrapper=other_programs)
    yield running
    assert running.stop() == 0, running.text()


@pytest.fixture
def misled_client(misled):
    with httpx.Client(base_url=misled.url, timeout=120) as one:
        yield one


def test_programs_that_crash_or_flood_cost_their_own_documents(misled, misled_client):
    reasons = {"crash": "is a PDF that made poppler crash", "flood": "is a PDF that is read as more than it may be",
               "no pages told": "nonsense", "status": "is a PDF that cannot be read: Syntax Error: \\x1b[31mred\\x07",
               "flood of pixels": "is a PDF that is read as more than it may be"}
    with answers_meanwhile(misled):
        for what, why in reasons.items():
            answered = ask(misled_client, f"%PDF-{what}\n".encode())
            assert answered.status_code == 400, (what, answered.text)
            assert why in answered.json()["error"]["message"], (what, answered.text)
        for what in ("well", "lies", "flood of errors"):
            answered = ask(misled_client, f"%PDF-{what}\n".encode())
            assert answered.status_code == 200, (what, answered.text)
    assert nothing_is_left(misled)


def test_a_program_that_is_killed_costs_its_own_document(misled, misled_client):
    answered = []
    asking = threading.Thread(target=lambda: answered.append(ask(misled_client, b"%PDF-hang\n")))
    with answers_meanwhile(misled):
        asking.start()
        assert wait_for(lambda: poppler_of(misled))
        for program in poppler_of(misled):
            os.kill(program, signal.SIGKILL)
        asking.join()
    assert answered[0].status_code == 400, answered[0].text
    assert "the system ended poppler" in answered[0].json()["error"]["message"]
    assert ask(misled_client, b"%PDF-well\n").status_code == 200


def test_programs_that_hang_hold_up_nobody_but_who_waits_for_them(misled, misled_client):
    # As many as are read at a time.
    hanging = [f"%PDF-{what}\n".encode() for what in ("hang", "closes and hangs") * 2]
    gone = []
    waiting = [threading.Thread(target=lambda document=document: gone.append(gives_up(misled, document, seconds=20)))
               for document in hanging]
    with answers_meanwhile(misled):
        for one in waiting:
            one.start()
        assert wait_for(lambda: len(readers(misled)) == len(hanging))
        # Text is read by the server itself, a further PDF once there is a place.
        assert ask(misled_client, b"Plain words.").status_code == 200
        assert ask(misled_client, b"%PDF-well\n").status_code == 200
        for one in waiting:
            one.join()
    assert gone == [True] * len(hanging)
    assert nothing_is_left(misled)
