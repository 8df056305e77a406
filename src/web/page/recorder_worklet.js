// Hands the microphone's samples to the page as they come.
registerProcessor("recorder", class extends AudioWorkletProcessor {
  process([channels]) {
    if (channels.length) this.port.postMessage(channels[0].slice());
    return true;
  }
});
