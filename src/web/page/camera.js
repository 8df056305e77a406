// A picture from the camera.
import {streamOf} from "./devices.js";
import {openDialog} from "./dialogs.js";
import {el} from "./dom.js";

/** Phones have a better one of their own, which a file field opens. */
export const hasOwnCamera = () => matchMedia("(pointer: coarse)").matches;

/** A File, or null where it was dismissed. Throws an Error in plain words. */
export async function takePicture() {
  const stream = await streamOf(
    "camera", {audio: false, video: {facingMode: "environment", width: {ideal: 1920}, height: {ideal: 1080}}});
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
