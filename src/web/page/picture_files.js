// Files of pictures, as the browser has them.
import {typeOf} from "./pictures.js";

/**
 * A picture of a file: {id, blob, name, type, bytes, width, height}, or null where it is none. The bytes are
 * copied: the file may change before they are sent. Sizes are 0 where the browser does not know the format.
 */
export async function readPicture(file) {
  const bytes = await file.arrayBuffer();
  const type = typeOf(new Uint8Array(bytes));
  if (!type) return null;
  const blob = new Blob([bytes], {type});
  const size = await sizeOf(blob);
  const id = crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;
  return {id, blob, name: file.name || `picture.${type.slice(6)}`, type, bytes: blob.size, ...size};
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
