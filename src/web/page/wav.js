// WAV files of one channel. Pure.

const HEADER = 44;  // bytes
const BYTES = 2;    // of a sample

/** How many bytes the file of so many samples has. */
export const wavBytes = (samples) => HEADER + BYTES * samples;

/** Samples from -1 to 1 as those of a WAV file, 16 bits each; what is louder is cut off. */
export function encodeSamples(samples) {
  const bytes = new DataView(new ArrayBuffer(BYTES * samples.length));
  samples.forEach((sample, index) => {
    const whole = Math.round(sample * 32768);
    bytes.setInt16(BYTES * index, Math.max(-32768, Math.min(32767, whole)), true);
  });
  return bytes.buffer;
}

/** The file's bytes, as parts of a Blob. `encoded`: buffers of encodeSamples(); `rate`: samples a second. */
export function wavParts(encoded, rate) {
  const size = encoded.reduce((sum, {byteLength}) => sum + byteLength, 0);
  const header = new DataView(new ArrayBuffer(HEADER));
  const text = (at, letters) => [...letters].forEach((letter, i) => header.setUint8(at + i, letter.charCodeAt(0)));
  text(0, "RIFF");
  header.setUint32(4, HEADER - 8 + size, true);
  text(8, "WAVEfmt ");
  header.setUint32(16, 16, true);  // bytes of the format
  header.setUint16(20, 1, true);   // PCM
  header.setUint16(22, 1, true);   // channels
  header.setUint32(24, rate, true);
  header.setUint32(28, rate * BYTES, true);
  header.setUint16(32, BYTES, true);
  header.setUint16(34, 8 * BYTES, true);
  text(36, "data");
  header.setUint32(40, size, true);
  return [header.buffer, ...encoded];
}

/** How loud samples are, from 0 (60 dB below full scale, or less) to 1. */
export function levelOf(samples) {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  return power > 0 ? Math.max(0, Math.min(1, 1 + Math.log10(power) / 6)) : 0;
}
