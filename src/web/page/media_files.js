// Files of pictures, sounds, videos and documents, as the browser has them.
import {kindOf, TEXT} from "./media_kinds.js";
import {bytes as inBytes} from "./figures.js";

/** The server's limits: of all files of one request together. */
export const MOST_BYTES = 48e6;
export const MOST_FILES = 100;

/** What is said of more. */
export const tooLarge = () => `The files of one conversation have ${inBytes(MOST_BYTES)} together at most.`;
export const tooMany = (n) => `One conversation has ${MOST_FILES} files at most; these are ${n}.`;

/**
 * An attachment of a file: {id, kind, blob, name, type, bytes}, of a picture with its width and height. The bytes are
 * copied: the file may change before they are sent. A picture's sizes are 0 where the browser does not know the format.
 * Throws an Error in plain words where it is nothing that the server reads, or has more than `room` bytes.
 */
export async function readFile(file, room = MOST_BYTES) {
  const name = file.name || "what was pasted";
  if (file.size > room) {
    throw new Error(`“${name}” has ${inBytes(file.size)}. ${tooLarge()}`);
  }
  const bytes = await file.arrayBuffer().catch(() => {
    throw new Error(`“${name}” cannot be read.`);
  });
  const known = kindOf(new Uint8Array(bytes));
  if (!known) throw new Error(`“${name}”: no picture, sound, video or document that is known here.`);
  const {kind, type} = known;
  if (type === TEXT && /^image\//.test(file.type)) throw new Error(`“${name}”: not a picture.`);
  const blob = new Blob([bytes], {type});
  const id = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
  const size = kind === "picture" ? await sizeOf(blob) : {};
  return {id, kind, blob, name: file.name || `${kind}.${type.replace(/.*\//, "")}`, type, bytes: blob.size, ...size};
}

/** Upright, as it is shown. */
function sizeOf(blob) {
  return new Promise((resolve) => {
    const address = URL.createObjectURL(blob);
    const image = new Image();
    const end = (size) => {
      URL.revokeObjectURL(address);
      resolve(size);
    };
    image.onload = () => end({width: image.naturalWidth, height: image.naturalHeight});
    image.onerror = () => end({width: 0, height: 0});
    image.src = address;
  });
}

export function base64Of(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}
