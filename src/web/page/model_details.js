// What the server knows of a model, for whoever asks.
import {el} from "./dom.js";
import {bytes, number} from "./figures.js";

const LONGEST = 600;  // characters of a text

/** A list of what /api/show and /api/tags say. */
export function detailsNode(model, shown) {
  const {details = {}, capabilities = [], parameters, system, license, warnings = []} = shown;
  const rows = [
    ["Size", model.size ? bytes(model.size) : null],
    ["Parameters", details.parameter_size],
    ["Stored as", [details.quantization_level, details.format].filter(Boolean).join(", ")],
    ["Context", details.context_length ? `${number(details.context_length)} tokens` : null],
    ["Can", capabilities.join(", ")],
    ["Found in", model.source],
    ["Digest", model.digest?.slice(0, 12)],
    ["Made of", details.parent_model],
    ["System prompt", system],
    ["Settings", parameters?.replace(/ +/g, " ")],
    ["License", license],
    ["Not used", warnings.join("\n")],
  ];
  return el("dl", {class: "details"}, rows.filter(([, value]) => value).flatMap(([name, value]) => [
    el("dt", {}, name), el("dd", {}, value.length > LONGEST ? `${value.slice(0, LONGEST)} …` : value)]));
}
