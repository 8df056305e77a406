#!/usr/bin/env python3
"""https before a server of plain http: tls_proxy.py CERTIFICATE KEY PORT. Prints its own port, and serves
127.0.0.1 until it is ended."""
import asyncio
import contextlib
import ssl
import sys


async def copy(source, sink):
    with contextlib.suppress(OSError):
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
    sink.close()


async def main(certificate, key, port):
    async def connect(reader, writer):
        try:
            server_reader, server_writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(copy(reader, server_writer), copy(server_reader, writer))

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = await asyncio.start_server(connect, "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
