"""What comes over connections: HTTP, JSON, forms with a sound, headers of downloads; and answers that quote."""



def http_seeds() -> dict[str, bytes]:
    host = "Host: localhost\r\n"

    def request(line: str, headers: str = host, body: bytes = b"") -> bytes:
        return f"{line} HTTP/1.1\r\n{headers}\r\n".encode() + body

    def post(headers: str, body: bytes = b"{}") -> bytes:
        return request("POST /api/chat", host + headers, body)

    return {
        "get": request("GET /"),
        "post": post("Content-Length: 2\r\n"),
        "chunked": post("Transfer-Encoding: chunked\r\n", b"2;a=b\r\n{}\r\n0\r\nLate: x\r\n\r\n"),
        "two_lengths": post("Content-Length: 2\r\nContent-Length: 3\r\n"),
        "length_and_chunked": post("Content-Length: 2\r\nTransfer-Encoding: chunked\r\n"),
        "length_list": post("Content-Length: 2, 2\r\n"),
        "length_overflow": post("Content-Length: 18446744073709551616\r\n"),
        "chunk_overflow": post("Transfer-Encoding: chunked\r\n", b"ffffffffffffffff1\r\n"),
        "folded": request("GET /", host + "A: b\r\n c\r\n"),
        "line_feeds": b"GET / HTTP/1.1\nHost: localhost\n\n",
        "nul_in_header": request("GET /", "Host: local\0host\r\n"),
        "many_headers": request("GET /", host + "A: b\r\n" * 50),
        "escapes": request("GET /v1/models/a%2Fb?c=%C3%A9&d=+&e"),
        "bad_escape": request("GET /v1/models/%zz%00"),
        "climbs": request("POST /api/blobs/..%2f..%2fetc"),
        "absolute": request("GET http://localhost/v1/models/a?b"),
        "options": request("OPTIONS /api/chat", host + "Origin: http://localhost:3000\r\n"
                           "Access-Control-Request-Method: POST\r\n"
                           "Access-Control-Request-Headers: authorization\r\n"),
        "foreign_host": request("GET /", "Host: evil.test:80\r\n"),
        "foreign_origin": request("GET /", host + "Origin: https://evil.test\r\n"),
        "allowed_origin": request("GET /", host + "Origin: https://a.example\r\n"),
        "address": request("GET /", "Host: [::ffff:127.0.0.1]:80\r\n"),
        "key": request("GET /v1/models/a", host + "Authorization: Bearer use\r\n"),
        "admin_key": request("POST /api/blobs/x", host + "x-api-key: admin\r\nContent-Length: 0\r\n"),
        "expect": post("Content-Length: 2\r\nExpect: 100-continue\r\n"),
        "tls": bytes.fromhex("16030102000100"),
        "http_1_0": b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    }  # fmt: skip


def json_seeds() -> dict[str, bytes]:
    keys = ",".join(f'"k{i % 20}":{i}' for i in range(40))
    return {
        "object": b'{"b":{"c":[1,-2.5e-3,true,null]},"a":"\\u00e9\\n"}',
        "repeated_keys": b'{"a":1,"b":{"a":{"x":[]}},"a":{"b":2}}',
        "many_repeated_keys": f"[{{{keys}}}]".encode(),
        "repeated_before_and_after_the_sixteenth": (
            "[{" + ",".join(f'"k{i}":{i}' for i in range(12))
            + ',"":20,"k1":21,"k3":22,"k3":23,"k4":249}]').encode(),
        "small_objects": b"[" + b",".join([b"{}"] * 50) + b"]",
        "deep_64": b"[" * 64 + b"]" * 64,
        "deep_65": b"[" * 65 + b"]" * 65,
        "cut_off": b'{"a":[{"b"',
        "two_values": b"{} {}",
        "not_utf8": b'"\xff"',
        "overflow": b"[1e400,123456789012345678901234567890]",
    }


def transcription_seeds() -> dict[str, bytes]:
    def form(files: list[tuple[str, str]], ending: str = "--x--\r\n", **fields: str) -> bytes:
        body = "".join(f'--x\r\nContent-Disposition: form-data; name="{name.replace("__", "[]")}"\r\n\r\n{value}\r\n'
                       for name, value in fields.items())
        body += "".join(f'--x\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
                        f"Content-Type: audio/wav\r\n\r\n{content}\r\n" for name, content in files)
        return b"multipart/form-data; boundary=x\n" + (body + ending).encode("latin-1")

    sound = [("a.wav", "RIFF\x24\0\0\0WAVE")]
    return {
        "all_fields": form(sound, model="demo", language="de", prompt="Guten Tag", response_format="verbose_json",
                           temperature="0.2", timestamp_granularities__="segment", stream="false"),
        "least": form(sound, model="demo"),
        "name_of_a_language": form(sound, model="demo", language="Portuguese", response_format="srt"),
        "arrows": form(sound, model="demo", prompt="a ----> b\n\n2\n00:00 --> 00:01\n<i>&", response_format="vtt"),
        "two_files": form(sound * 2, model="demo"),
        "empty_file": form([("a.wav", "")], model="demo"),
        "no_file": form([], model="demo", file="RIFF"),
        "no_model": form(sound),
        "words": form(sound, model="demo", timestamp_granularities__="word"),
        "unknown_language": form(sound, model="demo", language="tlh"),
        "no_number": form(sound, model="demo", temperature="nan"),
        "no_text": form(sound, model="demo", prompt="\xff\xfe"),
        "cut": form(sound, ending="", model="demo"),
    }


def download_headers_seeds() -> dict[str, bytes]:
    def headers(status: int, location: str = "", content_range: str = "", length: str = "", encoding: str = "",
                etag: str = "", retry_after: str = "", link: str = "") -> bytes:
        # The target tells the statuses apart by this byte.
        first = {200: "0", 206: "1", 416: "2"}[status]
        return "\n".join([first + location, content_range, length, encoding, etag, retry_after, link]).encode()

    return {
        "part": headers(206, "", "bytes 100-199/1000", "100", "identity", '"abc"', "120", '</v2/?n=2>; rel="next"'),
        "less": headers(206, "", "bytes 100-149/*", "50", "", 'W/"abc"'),
        "other_part": headers(206, "", "bytes 99-199/1000"),
        "backwards": headers(206, "", "bytes 199-100/1000"),
        "overflow": headers(206, "", "bytes 100-18446744073709551615/18446744073709551616"),
        "whole": headers(200, "", "", "1000"),
        "short": headers(200, "", "", "10"),
        "encoded": headers(200, "", "", "1000", "gzip"),
        "past_end": headers(416, "", "bytes */100"),
        "date": headers(200, retry_after="Sun, 06 Nov 1994 08:49:37 GMT"),
        "links": headers(200, link='<a>; title="; rel=next, <b>", <c>; rel="prev NEXT"'),
        "to_https": headers(206, "https://cdn.example/bytes?signature=1"),
        "to_http": headers(206, "http://cdn.example/"),
        "to_loopback": headers(206, "https://127.1/"),
        "to_metadata": headers(206, "https://169.254.169.254/latest"),
        "to_mapped": headers(206, "https://[::ffff:10.0.0.1]/"),
        "to_user": headers(206, "https://user:password@b.example/"),
        "no_proxy": headers(206, "10.0.0.0/8, .example.com,[2001:db8::]/32"),
    }


def passage_seeds() -> dict[str, bytes]:
    meadow = "The grass is green. The sky is blue, as far\nas one can see.".encode()
    return {
        "quoted": b"\3" + meadow + b"\0It says that the grass is green, the sky is blue!",
        "two_texts": b"\0one two three four\0five six seven eight\0one two three four five six seven eight",
        "again_and_again": b"\7" + b"la " * 60 + b"\0" + b"la " * 40 + b"lo la la la la",
        "signs": "\5„Grün“ – ist die Wiese…\0sagt: Grün“ – ist die Wiese…!".encode(),
        "not_utf8": b"\1a b \xff\xfe c d e\0a b \xff\xfe c d e",
        "no_text": b"\2one two three four",
        "nothing": b"\0\0\0",
    }
