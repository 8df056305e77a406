// The camera and the microphone, as far as the browser gives them.

/** Whether the browser lets this page have one: not over plain HTTP from another machine. */
export const canAsk = () => Boolean(navigator.mediaDevices?.getUserMedia);

/** Why not, of "camera" or "microphone"; "" where it does. */
export function problemWith(device) {
  return canAsk() ? "" : `Browsers give a page the ${device} over HTTPS or on this machine alone.`;
}

const WORDS = {
  NotAllowedError: (device) => `the browser did not allow it. The page's settings, beside its address, can allow the ${device}.`,
  NotFoundError: (device) => `there is no ${device}.`,
  NotReadableError: () => "another program uses it.",
};

/** A MediaStream of what is `wanted`; throws an Error in plain words. */
export async function streamOf(device, wanted) {
  try {
    return await navigator.mediaDevices.getUserMedia(wanted);
  } catch (error) {
    const said = device === "camera" ? "No picture from the camera" : "No sound from the microphone";
    throw new Error(`${said}: ${WORDS[error.name]?.(device) ?? error.message}`);
  }
}
