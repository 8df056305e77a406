"""What registries say: manifests, configs and recipes of models, and how one is let in."""
import base64
import json

DIGEST = "sha256:" + "0123456789abcdef" * 4


def descriptor(kind: str, size: object = 100, digest: str = DIGEST) -> dict:
    return {"mediaType": kind, "digest": digest, "size": size}


def ollama(kind: str, size: object = 100, digest: str = DIGEST) -> dict:
    return descriptor("application/vnd.ollama.image." + kind, size, digest)


def image(*layers: dict, **other: object) -> bytes:
    manifest = {"schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
                "config": descriptor("application/vnd.docker.container.image.v1+json"), "layers": list(layers)}
    return json.dumps(manifest | other).encode()


def manifest_seeds() -> dict[str, bytes]:
    index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [
        descriptor("application/vnd.oci.image.manifest.v1+json") | {"platform": {"os": "linux", "architecture": "amd64"}},
        descriptor("x") | {"annotations": {"vnd.docker.reference.type": "attestation-manifest"}}]}
    texts = ("projector", "template", "license", "params", "system", "messages")
    return {
        "ollama": image(ollama("model", 7162394016), *(ollama(kind) for kind in texts)),
        "docker": image(descriptor("application/vnd.docker.ai.gguf.v3"), descriptor("application/vnd.docker.ai.mmproj")),
        "index": json.dumps(index).encode(),
        "two_models": image(ollama("model"), ollama("model")),
        "adapter": image(ollama("model"), ollama("adapter")),
        "tensors": image(ollama("tensor"), ollama("json")),
        "long_text": image(ollama("model"), ollama("license", 1 << 30)),
        "negative_size": image(ollama("model", -1)),
        "path_as_digest": image(ollama("model", 1, "sha256:../../../../etc/passwd")),
        "other_hash": image(ollama("model", 1, "md5:d41d8cd98f00b204e9800998ecf8427e")),
        "layers_of_layers": image(layers=[[[]]]),
        "config": b'{"model_format":"gguf","model_family":"gemma4","model_type":"5.1B","file_type":"Q4_K_M"}',
        "docker_config": b'{"config":{"format":"gguf","architecture":"gemma4","quantization":"Q4_0"}}',
        "params": b'{"temperature":1,"top_k":64,"stop":["<turn|>"],"num_gpu":99}',
        "messages": b'[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello."}]',
        "text": "Apache License\n".encode() * 20 + b"\xff",
    }


def login_seeds() -> dict[str, bytes]:
    password = base64.b64encode(b"ann:secret").decode()
    return {
        "bearer": b'Bearer realm="https://auth.example/token",service="registry",scope="repository:a/b:pull,push"',
        "several": b'Negotiate abc==, Basic realm="a \\"b\\"", Bearer realm=https://a.example/t?x=1,service=s',
        "open_quotes": b'Bearer realm="https://',
        "token": b'{"token":"abc.def-ghi","access_token":"x","expires_in":300,"issued_at":"2026-01-01T00:00:00Z"}',
        "token_with_lines": b'{"token":"a\\r\\nHost: b","expires_in":1e999}',
        "docker": json.dumps({"auths": {"https://index.docker.io/v1/": {"auth": password}, "a:5000": {}},
                              "credHelpers": {"gcr.io": "gcloud"}, "credsStore": "desktop"}).encode(),
        "range": b"0-1023",
        "location": b"/v2/a/b/blobs/uploads/0c3a?_state=a%2Bb%3D",
        "other_host": b"https://storage.example:8443/x?X-Amz-Signature=abc#part",
        "user_in_url": b"https://ann:secret@a.example/",
        "errors": b'{"errors":[{"code":"DENIED","message":"not yours","detail":null}]}',
    }
