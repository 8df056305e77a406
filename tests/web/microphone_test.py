#!/usr/bin/env python3
"""Recording on the page: from the browser's own microphone of tests, which beeps, to the file that is sent."""
import array
import base64
import io
import unittest
import wave

from harness import FilesTest


class MicrophoneTest(FilesTest):
    FLAGS = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream", "--autoplay-policy=user-gesture-required")

    def setUp(self):
        super().setUp()
        self.open_page()
        self.wait("return !document.querySelector('#microphone').disabled", "the button stays off")

    def watch(self):
        """Keeps what the page asks the browser for."""
        self.browser.run("const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);"
                         "navigator.mediaDevices.getUserMedia = async (wanted) => window.stream = await ask(wanted)")

    def refuse(self, name):
        self.browser.run("navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', arguments[0]))", name)

    def record(self, seconds=1):
        self.browser.click("#microphone")
        self.wait("return document.querySelector('.recording').checkVisibility() && "
                  f"document.querySelector('.recording .time').innerText >= '0:0{seconds}'", "nothing is recorded")

    def states(self):
        return self.browser.run("return stream.getTracks().map(({kind, readyState}) => `${kind} ${readyState}`)")

    def heard(self):
        """(rate, samples) of the one file that was sent."""
        [message] = self.server.chats[-1]["messages"]
        [sound] = message["images"]
        with wave.open(io.BytesIO(base64.b64decode(sound))) as file:
            self.assertEqual((file.getnchannels(), file.getsampwidth()), (1, 2))
            return file.getframerate(), array.array("h", file.readframes(file.getnframes()))


class RecordingTest(MicrophoneTest):
    def test_what_is_said_is_sent_as_a_wav_file_that_models_hear_as_it_is(self):
        self.watch()
        self.record(2)
        self.assertEqual(self.browser.run("return document.querySelector('#microphone').title"), "End the recording")
        self.browser.run("window.louder = 0; setInterval(() => { louder = Math.max(louder, document.querySelector('.recording meter').value); }, 5)")
        self.wait("return louder > 0.3", "the meter shows nothing")
        self.browser.click(".recording .main")
        self.wait("return document.querySelector('#attachments audio')?.duration >= 2", "it cannot be played")
        self.assertFalse(self.browser.shown(".recording"))
        self.assertEqual(self.states(), ["audio ended"])
        self.assertEqual(self.browser.run("return document.activeElement.id"), "question")
        self.wait_costs(["0:02 · 50 tokens"])
        self.converse("What did I say?")
        rate, samples = self.heard()
        self.assertEqual(rate, 16000)
        self.assertGreaterEqual(len(samples), 2 * rate)
        self.assertLess(len(samples), 30 * rate)
        self.assertGreater(max(map(abs, samples)), 1000)
        self.wait("return document.querySelector('.question audio')?.duration >= 2", "the conversation does not show it")
        self.assertEqual([line for line in self.browser.log() if line["level"] in ("SEVERE", "WARNING")], [])

    def test_the_button_ends_it_as_well(self):
        self.record()
        self.browser.click("#microphone")
        self.wait("return document.querySelectorAll('#attachments li').length === 1", "no sound")
        self.assertEqual(self.browser.run("return document.querySelector('#microphone').title"), "Record with the microphone")

    def test_a_recording_that_is_discarded_lets_the_microphone_go(self):
        def escape_in_the_question():
            self.browser.click("#question")
            self.browser.press("Escape")

        for leave in (lambda: self.browser.press("Escape"), escape_in_the_question, lambda: self.browser.click("[aria-label='Discard the recording']")):
            self.watch()
            self.record()
            leave()
            self.wait("return !document.querySelector('.recording').checkVisibility()", "it goes on")
            self.assertEqual(self.states(), ["audio ended"])
            self.assertEqual(self.browser.count("#attachments li"), 0)
            self.assertEqual(self.browser.run("return document.activeElement.id"), "question")

    def test_a_recording_ends_where_the_chat_is_left(self):
        self.watch()
        self.record()
        self.browser.click("#models-link")
        self.wait("return stream.getTracks().every(({readyState}) => readyState === 'ended')", "it goes on unseen")
        self.browser.run("history.back()")
        self.wait("return document.querySelectorAll('#attachments audio').length === 1", "what was said is lost")
        self.assertFalse(self.browser.shown(".recording"))

    def test_questions_are_sent_while_the_browser_asks(self):
        self.browser.run("const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);"
                         "navigator.mediaDevices.getUserMedia = (wanted) => new Promise((allow) => {"
                         "  window.allow = async () => allow(window.stream = await ask(wanted)); })")
        self.browser.click("#microphone")
        self.wait("return Boolean(window.allow) && document.querySelector('#microphone').disabled", "it does not ask")
        self.converse("meanwhile")
        self.assertEqual(len(self.server.chats), 1)
        # Whoever has left is not recorded.
        self.browser.click("#models-link")
        self.wait("return document.querySelector('#chat').hidden", "the chat is still shown")
        self.browser.run("allow()")
        self.wait("return window.stream?.getTracks().every(({readyState}) => readyState === 'ended')", "the microphone stays on")
        self.browser.run("history.back()")
        self.wait("return !document.querySelector('#microphone').disabled", "it cannot be asked for again")
        self.assertFalse(self.browser.shown(".recording"))

    def test_a_microphone_that_is_gone_before_it_is_heard_is_told(self):
        self.browser.run("const ask = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);"
                         "navigator.mediaDevices.getUserMedia = async (wanted) => { const stream = await ask(wanted);"
                         "  for (const track of stream.getTracks()) track.stop(); return stream; }")
        self.browser.click("#microphone")
        self.wait_text("#attachments .note", "No sound from the microphone: it is gone.")
        self.assertFalse(self.browser.shown(".recording"))

    def test_nothing_is_sent_while_it_goes_on(self):
        self.browser.type("#question", "early")
        self.record()
        self.assertTrue(self.browser.run("return document.querySelector('#send').disabled"))
        self.browser.click("#question")
        self.browser.press("Enter")
        self.browser.click(".recording .main")
        self.wait("return !document.querySelector('#send').disabled", "it cannot be sent afterwards")
        self.assertEqual(self.server.chats, [])

    def test_what_was_recorded_stays_where_the_microphone_is_lost(self):
        self.watch()
        self.record()
        self.browser.run("stream.getAudioTracks()[0].dispatchEvent(new Event('ended'))")
        self.wait_text("#attachments .note", "The recording was ended: the microphone is gone.")
        self.wait("return document.querySelectorAll('#attachments audio').length === 1", "what was said is lost")

    def test_it_ends_where_the_files_have_no_room_for_more(self):
        self.paste_file(b"text", "a.txt", "text/plain")
        self.wait("return document.querySelectorAll('#attachments li').length === 1", "not attached")
        self.browser.run("""return (async () => {
            const {Recorder} = await import("/assets/recorder.js");
            const start = Recorder.start;
            Recorder.start = ({room, ...others}) => { window.room = room; return start.call(Recorder, {room: 20000, ...others}); };
          })()""")
        self.browser.click("#microphone")
        self.wait_text("#attachments .note", "The recording was ended: the files of one conversation have no room for more.")
        self.assertEqual(self.browser.run("return room"), 48_000_000 - 4)
        self.wait("return document.querySelectorAll('#attachments audio').length === 1", "what came is lost")
        self.converse("?")
        rate, samples = self.sound_beside_text()
        self.assertLessEqual(44 + 2 * len(samples), 20000)
        self.assertGreater(len(samples), 0.5 * rate)

    def test_a_recording_is_kept_where_there_is_no_room_for_it_any_more(self):
        self.record()
        self.browser.run("""const data = new DataTransfer();
            data.items.add(new File([new Uint8Array(47_999_000).fill(65)], "long.txt", {type: "text/plain"}));
            document.querySelector("#question").dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true}));""")
        self.wait("return document.querySelectorAll('#attachments li').length === 1", "not attached")
        self.browser.click(".recording .main")
        self.wait_text("#attachments .note", "The files of one conversation have 48.0 MB together at most.")
        self.assertEqual(self.browser.count("#attachments audio"), 1)
        self.browser.type("#question", "?")
        self.assertTrue(self.browser.run("return document.querySelector('#send').disabled"))
        self.browser.click("[aria-label='Remove long.txt']")
        self.wait("return !document.querySelector('#send').disabled", "it cannot be sent without")

    def sound_beside_text(self):
        self.server.chats[-1]["messages"][0].pop("documents")
        return self.heard()


class RefusedTest(MicrophoneTest):
    def test_why_there_is_no_sound_is_told(self):
        for name, words in {"NotAllowedError": "the browser did not allow it. The page's settings, beside its address, can allow the microphone.",
                            "NotFoundError": "there is no microphone.", "NotReadableError": "another program uses it."}.items():
            self.refuse(name)
            self.browser.click("#microphone")
            self.wait_text("#attachments .note", f"No sound from the microphone: {words}")
            self.assertFalse(self.browser.shown(".recording"))
            self.assertFalse(self.browser.run("return document.querySelector('#microphone').disabled"))

    def test_a_recording_is_not_lost_with_a_model_that_hears_nothing(self):
        self.record()
        self.choose("demo:latest")
        self.browser.click(".recording .main")
        self.wait_text("#attachments .note", "demo hears no sound.")
        self.assertEqual(self.browser.count("#attachments audio"), 1)
        self.assertEqual(self.server.counts, [])
        self.choose("gemma4:e2b")
        self.wait_costs(["0:02 · 50 tokens"])
        self.converse("?")
        self.assertEqual(len(self.server.chats), 1)


class DeniedTest(FilesTest):
    """A browser that was told to keep its microphone to itself."""
    FLAGS = ("--use-fake-device-for-media-stream",)

    def test_a_browser_that_does_not_allow_it_is_told(self):
        self.browser.devtools("Browser.setPermission", permission={"name": "microphone"}, setting="denied")
        self.open_page()
        self.wait("return !document.querySelector('#microphone').disabled", "the button stays off")
        self.browser.click("#microphone")
        self.wait_text("#attachments .note", "No sound from the microphone: the browser did not allow it.")
        self.assertFalse(self.browser.shown(".recording"))


class EncoderTest(MicrophoneTest):
    def test_samples_are_those_that_were_heard(self):
        encoded = self.browser.run("""return (async () => {
            const {encodeSamples, wavParts, wavBytes} = await import("/assets/wav.js");
            const parts = wavParts([encodeSamples(Float32Array.of(0, 0.5, -0.5, 1)), encodeSamples(Float32Array.of(-1, -2, 1 / 32768))], 22050);
            const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
            return [...bytes, wavBytes(7)];
          })()""")
        self.assertEqual(encoded.pop(), len(encoded))
        with wave.open(io.BytesIO(bytes(encoded))) as file:
            self.assertEqual((file.getnchannels(), file.getsampwidth(), file.getframerate()), (1, 2, 22050))
            self.assertEqual(list(array.array("h", file.readframes(9))), [0, 16384, -16384, 32767, -32768, -32768, 1])

    def test_levels_are_decibels(self):
        levels = self.browser.run("""return (async () => {
            const {levelOf} = await import("/assets/wav.js");
            return [1, 0.1, 0.001, 0.00001, 0].map((sample) => levelOf(Float32Array.of(sample, -sample)));
          })()""")
        for level, expected in zip(levels, [1, 2 / 3, 0, 0, 0]):
            self.assertAlmostEqual(level, expected, 6)

    def test_every_sample_is_handed_over_in_order(self):
        handed = self.browser.run("""return (async () => {
            const context = new OfflineAudioContext(1, 2560, 16000);  // 20 blocks of 128
            await context.audioWorklet.addModule("/assets/recorder_worklet.js");
            const node = new AudioWorkletNode(context, "recorder");
            const buffer = context.createBuffer(1, 2560, 16000);
            buffer.getChannelData(0).forEach((_, i, samples) => { samples[i] = i / 4096; });
            const source = new AudioBufferSourceNode(context, {buffer});
            source.connect(node).connect(context.destination);
            source.start();
            const parts = [];
            const rest = new Promise((done) => {
              node.port.onmessage = ({data}) => (data ? parts.push(data) : done());
            });
            await context.startRendering();
            node.port.postMessage("the rest");
            await rest;
            return [parts.map((part) => part.length), parts.flatMap((part) => [...part]).map((sample) => sample * 4096)];
          })()""")
        self.assertEqual(handed, [[1024, 1024, 512], list(range(2560))])

    def test_another_rate_is_recorded_where_the_browser_has_no_choice(self):
        self.browser.run("const create = AudioContext.prototype.createMediaStreamSource;"
                         "AudioContext.prototype.createMediaStreamSource = function (stream) {"
                         "  if (this.sampleRate === 16000) throw new DOMException('', 'NotSupportedError');"
                         "  return create.call(this, stream); }")
        self.record()
        self.browser.click(".recording .main")
        self.wait_costs(["0:02 · 50 tokens"])
        self.converse("?")
        rate, samples = self.heard()
        self.assertIn(rate, (44100, 48000))
        self.assertGreaterEqual(len(samples), rate)


if __name__ == "__main__":
    unittest.main()
