// Pictures before they are sent: which files are some, and what a model sees of each. Pure.

/** Soft tokens that a picture may take at most; a model has one of these by itself. */
export const BUDGETS = [70, 140, 280, 560, 1120];

/** That of a document's page where nobody chose one, by the server. */
export const PAGE_BUDGET = 1120;

const PATCH_AREA = 16 * 16;  // pixels; nine patches make a soft token
const SIDE = 48;             // pixels of a soft token's side

/** The size that the server makes of a picture, by the rule of docs/media.md and src/media. */
export function targetSize({width, height}, budget) {
  const scale = Math.sqrt(budget * 9 * PATCH_AREA / (width * height));
  const sides = (length) => Math.floor(scale * length / SIDE) * SIDE;
  const target = {width: sides(width), height: sides(height)};
  const longest = budget * SIDE;
  if (target.height === 0) return {width: Math.min(Math.floor(width / height) * SIDE, longest), height: SIDE};
  if (target.width === 0) return {width: SIDE, height: Math.min(Math.floor(height / width) * SIDE, longest)};
  return target;
}

export function softTokens({width, height}) {
  return width / SIDE * (height / SIDE);
}

/** The least budget that loses none of the picture's pixels, else the largest. */
export function automaticBudget(size) {
  const keepsAll = (budget) => {
    const {width, height} = targetSize(size, budget);
    return width >= size.width && height >= size.height;
  };
  return BUDGETS.find(keepsAll) ?? BUDGETS.at(-1);
}

/**
 * The tokens of a picture; null where its size is not known. `detail`: a budget or "auto"; null: `usual`, the model's own.
 */
export function costOf({width, height}, detail, usual) {
  if (!width || !height) return null;
  const size = {width, height};
  const budget = detail === "auto" ? automaticBudget(size) : detail ?? usual;
  return softTokens(targetSize(size, budget));
}

/** The type by the first bytes, as the server tells it, never by the name; null: not a picture. */
export function typeOf(bytes) {
  const text = String.fromCharCode(...bytes.subarray(0, 64));
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("RIFF") && text.startsWith("WEBP", 8)) return "image/webp";
  if (/^GIF8[79]a/.test(text)) return "image/gif";
  if (text.startsWith("BM")) return "image/bmp";
  if (/^(II[*+]\0|MM\0[*+])/.test(text)) return "image/tiff";  // + is BigTIFF's
  return text.startsWith("ftyp", 4) ? typeByBrands(bytes) : null;
}

/** Of a file of ISO/IEC 14496-12: its box `ftyp` has brands of four bytes each, the second place being a version. */
function typeByBrands(bytes) {
  const boxSize = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  const box = bytes.subarray(0, Math.min(boxSize, 1024));
  const brands = [];
  for (let at = 8; at + 4 <= box.length; at += 4) {
    if (at !== 12) brands.push(String.fromCharCode(...box.subarray(at, at + 4)));
  }
  if (brands.some((brand) => /^avi[fs]$/.test(brand))) return "image/avif";
  return brands.some((brand) => /^(hei[cxms]|hev[cx]|mif1|msf1)$/.test(brand)) ? "image/heic" : null;
}
