"""What a Range header asks for, as servers of tests answer it."""
import re


def requested_part(header, length):
    """(status, begin, end) of so many bytes: 200 and all of them, 206 and a part, or 416 and nothing."""
    wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", header or "")
    if not wanted:
        return 200, 0, length
    begin = int(wanted[1])
    if begin >= length:
        return 416, 0, 0
    return 206, begin, min(int(wanted[2]) + 1 if wanted[2] else length, length)


def range_headers(status, begin, end, length):
    """Of such an answer."""
    if status == 416:
        return {"Content-Range": f"bytes */{length}", "Content-Length": "0"}
    part = {"Content-Range": f"bytes {begin}-{end - 1}/{length}"} if status == 206 else {}
    return {**part, "Accept-Ranges": "bytes", "Content-Length": str(end - begin)}
