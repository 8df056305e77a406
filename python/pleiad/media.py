"""Pictures, sounds, videos and documents as parts of messages."""

from __future__ import annotations

import base64
import mimetypes
import os
import pathlib
from typing import Any


def media(file: str | os.PathLike[str] | bytes, *, media_type: str | None = None) -> dict[str, Any]:
    """A file as a part of a message's content:

        model.chat([{"role": "user", "content": [pleiad.media("shapes.png"),
                                                 {"type": "text", "text": "What is in the picture?"}]}])

    A process that can do nothing else reads it.

    Args:
        file: its path, or its bytes.
        media_type: "image/png", "audio/wav", "video/mp4", "application/pdf" and so on; None: by the
            ending of the name. Bytes need it.

    Raises: OSError where the file cannot be read, ValueError where bytes come without a type.
    """
    if isinstance(file, bytes):
        if media_type is None:
            raise ValueError('media_type: bytes need one, as "image/png"')
        data, name = file, ""
    else:
        data, name = pathlib.Path(file).read_bytes(), pathlib.Path(file).name
    kind = media_type or mimetypes.guess_type(name)[0] or "application/octet-stream"
    url = f"data:{kind};base64,{base64.b64encode(data).decode('ascii')}"
    for what in ("image", "audio", "video"):
        if kind.startswith(what + "/"):
            return {"type": f"{what}_url", f"{what}_url": {"url": url}}
    return {"type": "file", "file": {"file_data": url, "filename": name or "document"}}


__all__ = ["media"]
