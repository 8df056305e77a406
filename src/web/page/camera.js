// A picture from the camera.
import {openDialog} from "./dialogs.js";
import {el} from "./dom.js";

/** Phones have a better one of their own, which a file field opens. */
export const hasOwnCamera = () => matchMedia("(pointer: coarse)").matches;

/** Whether the browser lets this page have one: not over plain HTTP from another machine. */
export const canAsk = () => Boolean(navigator.mediaDevices?.getUserMedia);

const WORDS = {
  NotAllowedError: "The browser did not allow it.",
  NotFoundError: "There is no camera.",
  NotReadableError: "Another program uses it.",
};

/** A File, or null where it was dismissed. Throws an Error in plain words. */
export async function takePicture() {
  let stream;
  try {
    stream = await navigator.mediaDevices.getUserMedia(
      {audio: false, video: {facingMode: "environment", width: {ideal: 1920}, height: {ideal: 1080}}});
  } catch (error) {
    throw new Error(`No picture from the camera: ${WORDS[error.name] ?? error.message}`);
  }
  const video = el("video", {autoplay: true, playsinline: true, "aria-label": "What the camera sees"});
  video.muted = true;
  video.srcObject = stream;
  return new Promise((resolve) => {
    let taken = null;
    const take = el("button", {type: "button", class: "main", disabled: true, onclick: async () => {
      take.disabled = true;
      taken = await frameOf(video);
      dialog.close();
    }}, "Take the picture");
    video.addEventListener("loadeddata", () => {
      take.disabled = false;
      take.focus();
    });
    const dialog = el("dialog", {class: "camera", "aria-label": "Camera"}, video,
      el("div", {class: "row"}, el("button", {type: "button", onclick: () => dialog.close()}, "Cancel"), take));
    openDialog(dialog, () => {
      for (const track of stream.getTracks()) track.stop();
      resolve(taken);
    });
  });
}

/** What the camera shows now, as it came: without another loss. */
async function frameOf(video) {
  const canvas = el("canvas", {width: video.videoWidth, height: video.videoHeight});
  canvas.getContext("2d").drawImage(video, 0, 0);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  return new File([blob], "camera.png", {type: "image/png"});
}
