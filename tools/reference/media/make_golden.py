"""Builds the tiny checkpoints with vision towers, the unified model with its embedder of sounds too, and what the
reference computes with them.

    python media/make_golden.py --out ../../tests/golden/media

Everything is a function of --seed; see ../README.md for what is written.
"""

import argparse
import ast
import dataclasses
import hashlib
import importlib.util
import math
import shutil
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageSequence

from tower_families import PICTURE_IDS, VIDEO_ID, VISION_FAMILIES  # first: it finds the modules of ../
import checkpoint
import gguf_export
import pictures
import projector_export
import reference
import sounds
import tower_weights
from transformers.image_utils import load_image
from transformers.models.gemma4.image_processing_pil_gemma4 import Gemma4ImageProcessorPil
from transformers.models.gemma4.modeling_gemma4 import Gemma4TextRouter
from transformers.models.gemma4_unified.feature_extraction_gemma4_unified import Gemma4UnifiedAudioFeatureExtractor
import weights as text_weights

# By budget: sizes that fill it and are not resized.
SIZES = {70: (480, 336), 140: (672, 480), 280: (960, 672), 560: (1344, 960), 1120: (1920, 1344)}
# Smaller ones, which no budget leaves as they are.
SMALL = {"one": (48, 48), "column": (48, 192), "row": (240, 48)}
BUDGETS_OF_FILES = {
    "wide.png": (70, 140, 280),
    "tall.png": (70, 280),
    "tiny.png": (70,),
    "photo.jpg": (70, 280),
    "turned.jpg": (70,),
    "lossy.webp": (70,),
}


def reference_merge():
    """patches_merge of the unified model's processor, whose module cannot be imported without torchvision."""
    source = Path(importlib.util.find_spec("transformers").origin).parent
    source = source / "models" / "gemma4_unified" / "image_processing_gemma4_unified.py"
    tree = ast.parse(source.read_text())
    function = next(node for node in tree.body if getattr(node, "name", None) == "patches_merge")
    scope = dict(math=math, torch=torch)
    exec(compile(ast.Module([function], []), str(source), "exec"), scope)
    return scope["patches_merge"]


def patches_of(picture: np.ndarray, family) -> tuple:
    """float32 [1, patches, 768] and positions [1, patches, 2], not padded; of the unified model merged ones."""
    height, width, _ = picture.shape
    grid = picture.reshape(height // 16, 16, width // 16, 16, 3).transpose(0, 2, 1, 3, 4)
    values = (grid.reshape(1, -1, 768).astype(np.float64) * (1 / 255)).astype(np.float32)
    x, y = np.meshgrid(np.arange(width // 16), np.arange(height // 16), indexing="xy")
    pixels, positions = torch.from_numpy(values), torch.from_numpy(np.stack([x, y], axis=-1).reshape(1, -1, 2))
    return reference_merge()(pixels, positions, pixels.shape[1] // 9) if family.unified else (pixels, positions)


@torch.no_grad()
def embeddings(model, family, picture: np.ndarray) -> np.ndarray:
    pixels, positions = patches_of(picture, family)
    features = model.model.get_image_features(pixels, positions, return_dict=True)
    return features.pooler_output[0].numpy()


@torch.no_grad()
def processed(model, family, picture: Path | Image.Image, budget: int) -> tuple:
    """The resized pixels, and the embeddings of the padded patches that the processor makes."""
    processor = Gemma4ImageProcessorPil(max_soft_tokens=budget)
    image = load_image(str(picture) if isinstance(picture, Path) else picture)
    made = processor(image, return_tensors="pt")
    positions = made["image_position_ids"][0]
    real = (positions >= 0).all(dim=-1)
    columns, rows = (positions[real].max(dim=0).values + 1).tolist()
    levels = (made["pixel_values"][0][real] * 255).round().numpy().astype(np.uint8)
    pixels = levels.reshape(rows, columns, 16, 16, 3).transpose(0, 2, 1, 3, 4).reshape(rows * 16, columns * 16, 3)
    if family.unified:  # whose processor resizes alike
        return pixels, embeddings(model, family, pixels)
    features = model.model.get_image_features(made["pixel_values"], made["image_position_ids"], return_dict=True)
    return pixels, features.pooler_output[0].numpy()


def write_embeddings(model, family, folder: Path, budgets: list) -> dict:
    cases, files = [], []
    sizes = [(f"budget-{budget}", SIZES[budget]) for budget in budgets] + list(SMALL.items())
    for seed, (name, (width, height)) in enumerate(sizes):
        result = embeddings(model, family, pictures.pattern(width, height, seed))
        np.save(folder / f"embeddings-{name}.npy", result)
        cases.append(dict(name=name, width=width, height=height, seed=seed, file=f"embeddings-{name}.npy"))
    for file, budgets in BUDGETS_OF_FILES.items():
        name, ending = file.split(".")
        for budget in budgets:
            pixels, result = processed(model, family, folder.parent / "pictures" / file, budget)
            np.save(folder / f"embeddings-{name}-{budget}.npy", result)
            files.append(
                dict(
                    name=f"{name}-{budget}",
                    picture=f"../pictures/{file}",
                    lossy=ending != "png",
                    budget=budget,
                    width=pixels.shape[1],
                    height=pixels.shape[0],
                    pixels_sha256=hashlib.sha256(pixels.tobytes()).hexdigest(),
                    file=f"embeddings-{name}-{budget}.npy",
                )
            )
    return dict(embeddings=cases, files=files)


VIDEO_BUDGETS = (70, 140)


def write_watched(model, family, folder: Path) -> dict:
    """Soft tokens of a video in a file, whose frames are pictures to Pillow too: [all frames' tokens, width]."""
    cases = []
    with Image.open(folder.parent / "videos" / "three_frames.gif") as video:
        frames = [frame.convert("RGB") for frame in ImageSequence.Iterator(video)]
    for budget in VIDEO_BUDGETS:
        file = f"watched-{budget}.npy"
        np.save(folder / file, np.concatenate([processed(model, family, frame, budget)[1] for frame in frames]))
        cases.append(dict(video="../videos/three_frames.gif", frames=len(frames), budget=budget, file=file))
    return dict(video_files=cases)


def frames_of(samples: np.ndarray) -> torch.Tensor:
    """float32 [1, frames, 640]."""
    made = Gemma4UnifiedAudioFeatureExtractor()([samples], sampling_rate=16_000, return_tensors="pt")
    assert bool(made["input_features_mask"].all())
    return made["input_features"]


@torch.no_grad()
def heard(model, samples: np.ndarray) -> np.ndarray:
    """Soft tokens [frames, width]."""
    return model.model.get_audio_features(frames_of(samples), return_dict=True).pooler_output[0].numpy()


# One sample, ends of frames, more frames than a pass has rows.
SOUND_LENGTHS = {"sample": 1, "frame": 640, "over-a-frame": 641, "odd": 4321, "seconds": 49_999}
# Files of tests/golden/media/sounds, heard as what NAME.f32 there holds.
SOUND_FILES = ("s16_16000_mono.wav", "s16_44100_stereo.flac", "vbr_22050_mono.mp3")


def write_sounds(model, folder: Path) -> dict:
    cases, files = [], []
    for seed, (name, n) in enumerate(SOUND_LENGTHS.items()):
        np.save(folder / f"heard-{name}.npy", heard(model, sounds.pattern(n, seed)))
        cases.append(dict(name=name, samples=n, seed=seed, file=f"heard-{name}.npy"))
    for file in SOUND_FILES:
        samples = np.fromfile(folder.parent / "sounds" / f"{file}.f32", dtype=np.float32)
        np.save(folder / f"heard-{file}.npy", heard(model, samples))
        files.append(dict(sound=f"../sounds/{file}", file=f"heard-{file}.npy"))
    return dict(sounds=cases, sound_files=files)


def padded_patches(shown: list, family) -> tuple:
    """float32 [pictures, patches of the largest, 768], and their positions."""
    made = [patches_of(picture, family) for picture in shown]
    longest = max(pixels.shape[1] for pixels, _ in made)
    pad = torch.nn.functional.pad
    return (
        torch.cat([pad(p, (0, 0, 0, longest - p.shape[1])) for p, _ in made]),
        torch.cat([pad(q, (0, 0, 0, longest - q.shape[1]), value=-1) for _, q in made]),
    )


@torch.no_grad()
def prompt_logits(model, family, tokens: list, shown: list, frames: list = (), played: list = ()) -> tuple:
    """Logits [tokens, vocabulary], and the smallest gap between an argmax and the second best or
    between the last expert chosen and the first that was not. `frames`: of each video."""
    gaps = []

    def record(module, _inputs, output):
        best = output[0].sort(dim=-1, descending=True).values
        k = module.config.top_k_experts
        gaps.append(float((best[:, k - 1] - best[:, k]).min()))

    hooks = [m.register_forward_hook(record) for m in model.modules() if isinstance(m, Gemma4TextRouter)]
    padded = {}
    if shown:
        padded["pixel_values"], padded["image_position_ids"] = padded_patches(shown, family)
    if frames:
        all_frames = [frame for video in frames for frame in video]
        padded["pixel_values_videos"], padded["video_position_ids"] = padded_patches(all_frames, family)
        padded["num_frames_per_video"] = torch.tensor([len(video) for video in frames])
    ids = torch.tensor([tokens])
    kinds = (ids == PICTURE_IDS["image_token_id"]).long()
    if frames:
        kinds += 2 * (ids == VIDEO_ID).long()
    if played:
        kinds[ids == family.sound_ids()["audio_token_id"]] = 3  # as the processor tells them
        heard_frames = [frames_of(samples)[0] for samples in played]
        padded["input_features"] = torch.nn.utils.rnn.pad_sequence(heard_frames, batch_first=True)
        lengths = torch.tensor([len(one) for one in heard_frames])
        padded["input_features_mask"] = torch.arange(max(lengths))[None] < lengths[:, None]
    result = model(input_ids=ids, mm_token_type_ids=kinds, use_cache=False, **padded).logits[0]
    for hook in hooks:
        hook.remove()
    best = result.topk(2, dim=-1).values
    gaps.append(float((best[:, 0] - best[:, 1]).min()))
    return result.numpy(), min(gaps)


@dataclasses.dataclass(frozen=True)
class Video:
    """Frames of the pattern, of consecutive seeds, so many of them a second."""

    frames: int
    fps: float
    size: tuple = (96, 48)
    seed: int = 20


# Each part is a number of tokens of text, a picture (width, height, seed of the pattern), a sound
# (samples, seed of the pattern), or a video.
PROMPTS = {
    "text": [40],
    "one": [9, (240, 96, 5), 12],
    "one-of-one-token": [5, (48, 48, 6), 20],
    "first-and-last": [(192, 96, 7), 6, (96, 96, 8)],
    "two": [7, (144, 192, 9), 4, (192, 144, 10), 11],
    "repeated": [6, (192, 96, 11), 5, (192, 96, 11), 3, (192, 96, 11), 8],
    "adjacent": [4, (96, 144, 12), (144, 96, 13), 9],
    "longer-than-the-window": [21, (480, 336, 0), 7],
}
VIDEO_PROMPTS = {
    "video-of-1": [5, Video(1, 24), 9],
    "video-of-10": [8, (144, 96, 14), 3, Video(10, 0.125), 12],
    "video-of-32": [4, Video(32, 0.5, seed=30), 7],
}

SOUND_PROMPTS = {
    "sound": [9, (5000, 1), 12],
    "sound-longer-than-the-window": [5, (20_000, 2), 6],
    "sounds-and-pictures": [6, (96, 144, 12), (3000, 3), 5, (1200, 4), (192, 96, 11), 7],
}


def find_media_prompt(model, family, name: str, parts: list, seed: int) -> tuple:
    """Random text around the pictures with safe margins; see ../reference.py."""
    rng = text_weights.generator(seed, f"media prompt/{family.name}/{name}")
    best = None
    for _ in range(200):
        tokens, placed, shown, frames, played = [reference.BOS], [], [], [], []

        def place(width: int, height: int, pattern_seed: int, soft: int) -> np.ndarray:
            n = (width // 48) * (height // 48)
            tokens.append(PICTURE_IDS["boi_token_id"])
            placed.append(dict(first=len(tokens), n=n, width=width, height=height, seed=pattern_seed))
            tokens.extend([soft] * n + [PICTURE_IDS["eoi_token_id"]])
            return pictures.pattern(width, height, pattern_seed)

        for part in parts:
            if isinstance(part, int):
                tokens += rng.integers(4, 260, part).tolist()
            elif isinstance(part, Video):
                frames.append([])
                for index in range(part.frames):
                    tokens += spelled((" " if index else "") + frame_time(index / part.fps) + " ")
                    frames[-1].append(place(*part.size, part.seed + index, VIDEO_ID))
            elif len(part) == 2:
                played.append(sounds.pattern(*part))
                n, ids = frames_of(played[-1]).shape[1], family.sound_ids()
                tokens.append(ids["boa_token_id"])
                placed.append(dict(first=len(tokens), n=n, samples=part[0], seed=part[1]))
                tokens += [ids["audio_token_id"]] * n + [ids["eoa_token_index"]]
            else:
                shown.append(place(*part, PICTURE_IDS["image_token_id"]))
        result, margin = prompt_logits(model, family, tokens, shown, frames, played)
        if best is None or margin > best[0]:
            best = (margin, tokens, placed, result)
        if margin > reference.MIN_MARGIN:
            break
    return best


def soft_tokens(model, family, part: dict) -> np.ndarray:
    if "samples" in part:
        return heard(model, sounds.pattern(part["samples"], part["seed"]))
    return embeddings(model, family, pictures.pattern(part["width"], part["height"], part["seed"]))


def write_prompts(model, family, folder: Path, seed: int, prompts: dict) -> list:
    cases = []
    for name, parts in prompts.items():
        margin, tokens, placed, result = find_media_prompt(model, family, name, parts, seed)
        np.save(folder / f"logits-{name}.npy", result.astype(np.float32))
        if placed:
            np.save(folder / f"soft-{name}.npy", np.concatenate([soft_tokens(model, family, one) for one in placed]))
        print(f"{family.name}/{name}: {len(tokens)} tokens, smallest gap {margin:.1e}")
        case = dict(name=name, tokens=tokens, pictures=placed, logits_file=f"logits-{name}.npy", margin=margin)
        cases.append(case | (dict(soft_file=f"soft-{name}.npy") if placed else {}))
    return cases


# Prompts with a picture file of a large budget. Some rows of their logits are kept: those of the
# text before and behind, and a few of the picture's.
LARGE_BUDGETS = {280: "photo.jpg", 560: "wide.png", 1120: "photo.jpg"}
TEXT_AROUND = (6, 9)


def write_budget_prompts(model, family, folder: Path, options) -> list:
    cases = []
    for budget, file in LARGE_BUDGETS.items():
        if options.quick and budget == max(LARGE_BUDGETS):
            continue
        pixels, _ = processed(model, family, folder.parent / "pictures" / file, budget)
        n = (pixels.shape[0] // 48) * (pixels.shape[1] // 48)
        rng = text_weights.generator(options.seed, f"budget prompt/{family.name}/{budget}")
        first = TEXT_AROUND[0] + 2
        best = None
        for _ in range(3 if budget < max(LARGE_BUDGETS) else 1):  # some choice of experts is close
            tokens = [reference.BOS] + rng.integers(4, 260, TEXT_AROUND[0]).tolist()
            tokens += [PICTURE_IDS["boi_token_id"]] + [PICTURE_IDS["image_token_id"]] * n
            tokens += [PICTURE_IDS["eoi_token_id"]] + rng.integers(4, 260, TEXT_AROUND[1]).tolist()
            result, margin = prompt_logits(model, family, tokens, [pixels])
            if best is None or margin > best[0]:
                best = (margin, tokens, result)
            if margin > reference.MIN_MARGIN:
                break
        margin, tokens, result = best
        rows = [0, first - 2, first - 1, first, first + n // 3, first + n // 2, first + n - 1]
        rows += range(first + n, len(tokens))
        np.save(folder / f"logits-budget-{budget}.npy", result[rows].astype(np.float32))
        print(f"{family.name}/budget-{budget}: {len(tokens)} tokens, smallest gap {margin:.1e}")
        cases.append(
            dict(
                name=f"budget-{budget}",
                picture=f"../pictures/{file}",
                budget=budget,
                before=tokens[:first],
                n=n,
                behind=tokens[first + n :],
                rows=rows,
                logits_file=f"logits-budget-{budget}.npy",
                margin=margin,
            )
        )
    return cases


# Conversations in files: the parts of one message, as the official templates print them (texts are
# trimmed, nothing stands between parts). A picture has its budget; a video is a list of its frames'
# files and how many of them stand for a second.
PROMPT_FILES = {
    "e2b": ["see", ("wide", 70), "and", ("tiny", 140), "and", ("wide", 70), "this"],
    "26b-a4b": ["see", ("tall", 70), "this"],
    "12b": ["see", ("wide", 70), "and", ("tall", 140), "this"],
}
VIDEO_FILES = {
    "e2b": ["watch", (["wide", "wide"], 0.4), "and see", ("tiny", 70), "now"],
    "26b-a4b": ["look", (["tall", "tall"], 25), "now"],
    "12b": ["look", (["wide", "wide", "wide"], 0.02), "and", ("tiny", 70), "now"],
}
# Of the unified model, which alone hears here.
LISTEN_FILE = ["hear", "s16_44100_stereo.flac", "and see", ("tall", 70), "and", (["wide", "wide"], 0.4), "now"]
GENERATION_PROMPT = {"e2b": "<|turn>model\n", "26b-a4b": "<|turn>model\n<|channel>thought\n<channel|>"}
GENERATION_PROMPT["12b"] = GENERATION_PROMPT["26b-a4b"]


SPACE = "\u2581"  # as vocabularies have it


def frame_time(seconds: float) -> str:
    return f"{int(seconds // 60):02d}:{int(seconds % 60):02d}"


def spelled(text: str) -> list:
    """The tokens of a rendered prompt: bytes, and the control tokens that it spells."""
    tokens = []
    while text:
        control = next(((id, piece) for id, piece in CONTROL.items() if text.startswith(piece)), None)
        if control:
            tokens.append(control[0])
            text = text.removeprefix(control[1])
        else:
            tokens += [4 + byte for byte in text[0].encode()]
            text = text[1:]
    return tokens


def write_prompt_file(model, family, folder: Path, file: str, given: list) -> dict:
    """A conversation with pictures, videos and sounds in files, and its logits. The first text is lengthened
    until no choice of experts is close."""
    for attempt in range(50):
        parts = [given[0] + "!" * attempt] + given[1:]
        tokens, content, shown, frames, played = spelled("<bos><|turn>user\n"), [], [], [], []

        def place(name: str, budget: int, soft: int) -> np.ndarray:
            pixels, _ = processed(model, family, folder.parent / "pictures" / f"{name}.png", budget)
            n = (pixels.shape[0] // 48) * (pixels.shape[1] // 48)
            tokens.append(PICTURE_IDS["boi_token_id"])
            tokens.extend([soft] * n + [PICTURE_IDS["eoi_token_id"]])
            return pixels

        for part in parts:
            if part in SOUND_FILES:
                played.append(np.fromfile(folder.parent / "sounds" / f"{part}.f32", dtype=np.float32))
                n, ids = frames_of(played[-1]).shape[1], family.sound_ids()
                tokens += [ids["boa_token_id"]] + [ids["audio_token_id"]] * n + [ids["eoa_token_index"]]
                content.append(dict(type="audio", audio=f"../sounds/{part}"))
            elif isinstance(part, str):
                tokens += spelled(part.replace(" ", SPACE))
                content.append(dict(type="text", text=part))
            elif isinstance(part[0], list):
                names, fps = part
                frames.append([])
                for index, name in enumerate(names):
                    tokens += spelled((SPACE if index else "") + frame_time(index / fps) + SPACE)
                    frames[-1].append(place(name, 70, VIDEO_ID))
                content.append(dict(type="video", video=[f"../pictures/{name}.png" for name in names], fps=fps))
            else:
                shown.append(place(*part, PICTURE_IDS["image_token_id"]))
                content.append(dict(type="image", image=f"../pictures/{part[0]}.png", budget=part[1]))
        tokens += spelled("<turn|>\n" + GENERATION_PROMPT[family.name])
        result, margin = prompt_logits(model, family, tokens, shown, frames, played)
        if margin > 3e-4:
            break
    checkpoint.write_json(folder / f"{file}.json", dict(messages=[dict(role="user", content=content)]))
    np.save(folder / f"logits-{file}.npy", result.astype(np.float32))
    print(f"{family.name}/{file}.json: {len(tokens)} tokens, smallest gap {margin:.1e}")
    return dict(input=f"{file}.json", tokens=tokens, logits_file=f"logits-{file}.npy", margin=margin)


def make_family(family, out: Path, options) -> None:
    folder = out / family.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    config = family.config()
    config._attn_implementation = "sdpa"
    model = family.model_class(config).eval()
    tower_weights.randomize(model, family, options.seed)
    model.to(torch.bfloat16).save_pretrained(folder)
    path = folder / "config.json"
    checkpoint.write_json(path, checkpoint.released_style(checkpoint.json.loads(path.read_text()), family))
    checkpoint.write_json(folder / "generation_config.json", checkpoint.generation_config(family))
    checkpoint.write_json(
        folder / "processor_config.json",
        dict(image_processor=dict(max_soft_tokens=family.default_budget, patch_size=16, pooling_kernel_size=3)),
    )
    model = family.model_class.from_pretrained(folder, dtype=torch.float32, attn_implementation="sdpa").eval()
    pieces = dict(PIECES)
    if family.unified:
        pieces |= {family.sound_ids()[id]: piece for id, piece in SOUND_PIECES.items()}
    gguf_export.export(model, family, folder / f"{family.name}.gguf", pieces=pieces)
    projector_export.export(model, family, folder / f"mmproj-{family.name}.gguf")
    budgets = [budget for budget in SIZES if budget < 1120 or (family.name != "26b-a4b" and not options.quick)]
    said = write_embeddings(model, family, folder, budgets) | write_watched(model, family, folder)
    said["prompts"] = write_prompts(model, family, folder, options.seed, PROMPTS | VIDEO_PROMPTS)
    if family.unified:
        said |= write_sounds(model, folder)
        said["sound_prompts"] = write_prompts(model, family, folder, options.seed, SOUND_PROMPTS)
    said["budget_prompts"] = write_budget_prompts(model, family, folder, options)
    said["prompt_file"] = write_prompt_file(model, family, folder, "prompt", PROMPT_FILES[family.name])
    said["tokens"] = {name.removesuffix("_token_id"): id for name, id in PICTURE_IDS.items()}
    said["video_file"] = write_prompt_file(model, family, folder, "video", VIDEO_FILES[family.name])
    said["tokens"] |= dict(video=VIDEO_ID)
    if family.unified:
        said["listen_file"] = write_prompt_file(model, family, folder, "listen", LISTEN_FILE)
        said["tokens"] |= {name[: name.index("_token")]: id for name, id in family.sound_ids().items()}
    checkpoint.write_json(folder / "media.json", said)
    (folder / "model.safetensors").chmod(0o644)


PIECES = {
    VIDEO_ID: "<|video|>",
    PICTURE_IDS["boi_token_id"]: "<|image>",
    PICTURE_IDS["image_token_id"]: "<|image|>",
    PICTURE_IDS["eoi_token_id"]: "<image|>",
    266: "<|channel>",
    267: "<|turn>",
    268: "<turn|>",
    269: "<channel|>",
}
SOUND_PIECES = {"boa_token_id": "<|audio>", "audio_token_id": "<|audio|>", "eoa_token_index": "<audio|>"}
CONTROL = PIECES | {2: "<bos>"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(__file__).resolve().parents[3] / "tests" / "golden" / "media"
    parser.add_argument("--out", type=Path, default=default)
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--family", help="this one alone")
    parser.add_argument("--quick", action="store_true", help="leaves the budget of 1120 out")
    options = parser.parse_args()
    torch.set_default_dtype(torch.float32)
    torch.set_num_threads(1)
    pictures.save_files(options.out / "pictures")
    for family in VISION_FAMILIES:
        if options.family not in (None, family.name):
            continue
        make_family(family, options.out, options)


if __name__ == "__main__":
    main()
