// What a file is, told by its content as the server tells it (src/media): names and types count for nothing. Pure.
import {typeOf} from "./pictures.js";

/**
 * {kind, type} of a whole file: "picture", "sound", "video" or "document", and the type of its bytes; null where it is
 * none of these. Text has nothing to be known by: what has no zeros is taken for it.
 */
export function kindOf(bytes) {
  if (begins(bytes, "%PDF-")) return {kind: "document", type: PDF};
  const picture = typeOf(bytes);
  // "BM" alone may be a word; a picture's header has zeros.
  if (picture && !(picture === "image/bmp" && isText(bytes))) return {kind: "picture", type: picture};
  return streamOf(bytes) ?? documentOf(bytes);
}

export const PDF = "application/pdf";
export const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
/** Of pages of the web too: nothing that was given is ever opened as one. */
export const TEXT = "text/plain";

const sound = (type) => ({kind: "sound", type: `audio/${type}`});
const video = (type) => ({kind: "video", type: `video/${type}`});
const either = (isVideo, type) => (isVideo ? video(type) : sound(type));

function begins(bytes, magic, at = 0) {
  for (let i = 0; i < magic.length; ++i) {
    if (bytes[at + i] !== magic.charCodeAt(i)) return false;
  }
  return true;
}

function streamOf(bytes) {
  if (begins(bytes, "RIFF") || begins(bytes, "RF64")) {
    return begins(bytes, "WAVE", 8) ? sound("wav") : begins(bytes, "AVI ", 8) ? video("x-msvideo") : null;
  }
  if (begins(bytes, "FORM") && (begins(bytes, "AIFF", 8) || begins(bytes, "AIFC", 8))) return sound("aiff");
  if (begins(bytes, "OggS")) return either(oggHasVideo(bytes), "ogg");
  if (["ftyp", "moov", "mdat", "wide"].some((box) => begins(bytes, box, 4))) return either(mp4HasVideo(bytes), "mp4");
  if (begins(bytes, "\x1a\x45\xdf\xa3")) return either(matroskaHasVideo(bytes), "webm");
  if (isTransportStream(bytes)) return video("mp2t");
  const frames = bytes.subarray(id3Size(bytes));
  if (begins(frames, "fLaC")) return sound("flac");
  if (findsFrames(frames, mpegFrameSize)) return sound("mpeg");
  if (findsFrames(frames, adtsFrameSize)) return sound("aac");
  return null;
}

const LOOKS_AT = 65536;  // bytes of a text's beginning

function documentOf(bytes) {
  const beginning = String.fromCharCode(...bytes.subarray(0, 1024));
  if (beginning.includes("%PDF-")) return {kind: "document", type: PDF};
  if (begins(bytes, "PK\x03\x04")) return {kind: "document", type: DOCX};
  return isText(bytes) ? {kind: "document", type: TEXT} : null;
}

function isText(bytes) {
  if (!bytes.length) return false;
  const hasMark = begins(bytes, "\xff\xfe") || begins(bytes, "\xfe\xff");  // of UTF-16
  return hasMark || !bytes.subarray(0, LOOKS_AT).includes(0);
}

/** Packets of 188 bytes, each of which begins with 0x47. */
function isTransportStream(bytes) {
  return bytes.length >= 5 * 188 && [0, 1, 2, 3, 4].every((packet) => bytes[188 * packet] === 0x47);
}

const u32 = (bytes, at) => ((bytes[at] << 24 | bytes[at + 1] << 16 | bytes[at + 2] << 8 | bytes[at + 3]) >>> 0) || 0;

/** The boxes of ISO/IEC 14496-12 in `bytes`, one by one: [type, content]. */
function* boxesOf(bytes) {
  for (let at = 0; at + 8 <= bytes.length;) {
    let size = u32(bytes, at), header = 8;
    if (size === 1) {
      size = u32(bytes, at + 8) * 2 ** 32 + u32(bytes, at + 12);
      header = 16;
    } else if (size === 0) {
      size = bytes.length - at;  // to the end of the file
    }
    if (size < header) return;
    yield [String.fromCharCode(...bytes.subarray(at + 4, at + 8)), bytes.subarray(at + header, at + size)];
    at += size;
  }
}

function boxIn(bytes, wanted) {
  for (const [type, content] of bytes ? boxesOf(bytes) : []) {
    if (type === wanted) return content;
  }
  return null;
}

function mp4HasVideo(bytes) {
  if (begins(bytes, "ftypM4A ", 4) || begins(bytes, "ftypM4B ", 4)) return false;
  const movie = boxIn(bytes, "moov");
  if (!movie) return true;
  for (const [type, track] of boxesOf(movie)) {
    const handler = type === "trak" ? boxIn(boxIn(track, "mdia"), "hdlr") : null;
    if (handler && begins(handler, "vide", 8)) return true;
  }
  return false;
}

/** The elements of EBML (RFC 8794) in `bytes`, one by one: [id, content]. */
function* elementsOf(bytes) {
  for (let at = 0; at < bytes.length;) {
    const id = ebmlNumber(bytes, at, true);
    const size = id && ebmlNumber(bytes, at + id.length, false);
    if (!size) return;
    const from = at + id.length + size.length;
    const isUnknown = size.value === 2 ** (7 * size.length) - 1;
    const end = isUnknown ? bytes.length : Math.min(bytes.length, from + size.value);
    yield [id.value, bytes.subarray(from, end)];
    at = end;
  }
}

/** Its first byte tells its length by the zeros before its first one, which ids keep. */
function ebmlNumber(bytes, at, keepsMarker) {
  const length = Math.clz32(bytes[at]) - 23;
  if (!(bytes[at] > 0) || at + length > bytes.length) return null;
  const first = keepsMarker ? bytes[at] : bytes[at] & 0xff >> length;
  return {length, value: bytes.subarray(at + 1, at + length).reduce((value, byte) => value * 256 + byte, first)};
}

function elementIn(bytes, wanted) {
  for (const [id, content] of bytes ? elementsOf(bytes) : []) {
    if (id === wanted) return content;
  }
  return null;
}

function matroskaHasVideo(bytes) {
  const tracks = elementIn(elementIn(bytes, 0x18538067), 0x1654AE6B);
  if (!tracks) return true;
  for (const [id, entry] of elementsOf(tracks)) {
    const type = id === 0xAE ? elementIn(entry, 0x83) : null;
    if (type?.at(-1) === 1) return true;
  }
  return false;
}

/** By the pages that begin a stream, which come first (RFC 3533). */
function oggHasVideo(bytes) {
  for (let at = 0; begins(bytes, "OggS", at) && bytes[at + 5] & 2;) {
    const header = 27 + bytes[at + 26];
    const content = at + header;
    if (begins(bytes, "\x80theora", content) || begins(bytes, "OVP80", content)) return true;
    at = bytes.subarray(at + 27, content).reduce((sum, size) => sum + size, content);
  }
  return false;
}

function id3Size(bytes) {
  let at = 0;
  while (begins(bytes, "ID3", at) && at + 10 <= bytes.length) {
    const size = [6, 7, 8, 9].reduce((sum, i) => sum * 128 + (bytes[at + i] & 0x7f), 0);
    at += 10 + size + (bytes[at + 5] & 0x10 ? 10 : 0);
  }
  return Math.min(at, bytes.length);
}

/** Two frames that agree with each other are no chance at the very beginning, and four are none anywhere. */
function findsFrames(bytes, frameSize) {
  if (countFrames(bytes, 0, frameSize, 2) === 2) return true;
  for (let at = 1; at < Math.min(bytes.length, 4096); ++at) {
    if (countFrames(bytes, at, frameSize, 4) === 4) return true;
  }
  return false;
}

function countFrames(bytes, at, frameSize, most) {
  for (let n = 0; n < most; ++n) {
    const size = at < bytes.length ? frameSize(bytes, at) : 0;
    if (!size) return n;
    at += size;
  }
  return most;
}

const KILOBITS = {
  first2: [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  first3: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  later: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};

/** Of layers II and III; 0: no header of a frame. */
function mpegFrameSize(bytes, at) {
  const [first, second, third] = bytes.subarray(at, at + 3);
  if (at + 4 > bytes.length || first !== 0xff || (second & 0xe0) !== 0xe0) return 0;
  const version = second >> 3 & 3, layer = second >> 1 & 3, bitrate = third >> 4, rate = third >> 2 & 3;
  if (version === 1 || layer !== 1 && layer !== 2 || bitrate === 0 || bitrate === 15 || rate === 3) return 0;
  const table = version !== 3 ? KILOBITS.later : layer === 1 ? KILOBITS.first3 : KILOBITS.first2;
  const perSecond = [44100, 48000, 32000][rate] >> (version === 3 ? 0 : version === 2 ? 1 : 2);
  const samples = layer === 1 && version !== 3 ? 576 : 1152;
  return Math.floor(samples / 8 * table[bitrate] * 1000 / perSecond) + (third >> 1 & 1);
}

function adtsFrameSize(bytes, at) {
  if (at + 7 > bytes.length || bytes[at] !== 0xff || (bytes[at + 1] & 0xf6) !== 0xf0) return 0;
  const size = (bytes[at + 3] & 3) << 11 | bytes[at + 4] << 3 | bytes[at + 5] >> 5;
  return (bytes[at + 2] >> 2 & 15) > 12 || size < 7 ? 0 : size;
}
