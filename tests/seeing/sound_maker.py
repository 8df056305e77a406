"""Sounds for tests, made of nothing but the standard library."""
import io
import math
import struct
import wave


def wav(samples, rate=16_000, bits=16):
    """A WAV file of one channel; `samples` are its bytes."""
    data = io.BytesIO()
    with wave.open(data, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(bits // 8)
        out.setframerate(rate)
        out.writeframes(samples)
    return data.getvalue()


def memo(seconds=2.0, rate=16_000):
    """A WAV file with a tone; 25 tokens a second."""
    tone = (int(9000 * math.sin(2 * math.pi * 440 * i / rate)) for i in range(int(seconds * rate)))
    return wav(b"".join(struct.pack("<h", sample) for sample in tone), rate)
