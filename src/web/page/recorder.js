// Sound from the microphone, as a WAV file.
import {streamOf} from "./devices.js";
import {encodeSamples, levelOf, wavBytes, wavParts} from "./wav.js";

const RATE = 16000;  // samples a second, as models hear
const PATIENCE = 500;  // milliseconds, for the last of them

/**
 * A recording under way. `onSound()` is called as it comes, `onEnd(why)` where it ends by itself: "full", once it has
 * `room` bytes, or "lost" with its microphone.
 */
export class Recorder {
  /** Throws an Error in plain words. */
  static async start({room, onSound, onEnd}) {
    const stream = await streamOf("microphone", {audio: {channelCount: {ideal: 1}}, video: false});
    const recorder = new Recorder(stream, room, onSound, onEnd);
    try {
      await recorder.connect();
    } catch (error) {
      recorder.close();
      throw new Error(`No sound from the microphone: ${error.message}`);
    }
    return recorder;
  }

  constructor(stream, room, onSound, onEnd) {
    this.stream = stream;
    this.room = room;
    this.onSound = onSound;
    this.onEnd = onEnd;
    this.encoded = [];
    this.samples = 0;
    this.level = 0;  // from 0 to 1
    this.full = false;
    this.ending = false;
  }

  get seconds() { return this.context ? this.samples / this.context.sampleRate : 0; }

  async connect() {
    const [track] = this.stream.getAudioTracks();
    track.addEventListener("ended", () => this.end("lost"));
    const source = this.sourceAt(RATE) ?? this.sourceAt(undefined);
    await this.context.audioWorklet.addModule("/assets/recorder_worklet.js");
    const node = this.node = new AudioWorkletNode(this.context, "recorder", {
      channelCount: 1, channelCountMode: "explicit", channelInterpretation: "speakers"});
    node.port.onmessage = ({data}) => (data ? this.take(data) : this.onRest());
    source.connect(node);
    node.connect(this.context.destination);  // silence: what is not connected may not run
    await this.context.resume();
    if (track.readyState === "ended") throw new Error("it is gone.");
  }

  /** Some browsers have no other rate than the microphone's: the server resamples then. */
  sourceAt(sampleRate) {
    try {
      this.context = new AudioContext({sampleRate});
      return this.context.createMediaStreamSource(this.stream);
    } catch (error) {
      this.context?.close();
      this.context = null;
      if (sampleRate === undefined) throw error;
      return null;
    }
  }

  take(samples) {
    if (!this.context) return;
    this.full ||= wavBytes(this.samples + samples.length) > this.room;  // what is shorter would fit later: with a gap
    if (this.full) return this.end("full");
    this.encoded.push(encodeSamples(samples));
    this.samples += samples.length;
    // Falls slowly, so that it can be seen.
    this.level = Math.max(levelOf(samples), this.level - samples.length / this.context.sampleRate);
    this.onSound();
  }

  end(why) {
    if (this.context) this.onEnd(why);
  }

  /** What came so far, as a File; null where nothing did. The microphone is let go. */
  async stop() {
    const rate = this.context.sampleRate;
    this.ending = true;
    await new Promise((resolve) => {
      this.onRest = resolve;
      this.node.port.postMessage("the rest");
      setTimeout(resolve, PATIENCE);  // its context may stand still
    });
    this.close();
    if (!this.samples) return null;
    return new File(wavParts(this.encoded, rate), "recording.wav", {type: "audio/wav"});
  }

  close() {
    for (const track of this.stream.getTracks()) track.stop();
    this.context?.close();
    this.context = null;
  }
}
