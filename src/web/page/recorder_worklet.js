// Hands the microphone's samples to the page, some at a time; on any word of the page the rest, and then null.
const MANY = 1024;  // at 16 kHz a sixteenth of a second

registerProcessor("recorder", class extends AudioWorkletProcessor {
  constructor() {
    super();
    this.samples = new Float32Array(MANY);
    this.filled = 0;
    this.port.onmessage = () => {
      this.post();
      this.port.postMessage(null);
    };
  }

  process([channels]) {
    if (!channels.length) return true;
    const [samples] = channels;
    if (this.filled + samples.length > MANY) this.post();
    this.samples.set(samples, this.filled);
    this.filled += samples.length;
    return true;
  }

  post() {
    if (this.filled) this.port.postMessage(this.samples.slice(0, this.filled));
    this.filled = 0;
  }
});
