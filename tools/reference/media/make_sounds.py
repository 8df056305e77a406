"""Builds the tiny checkpoint with an audio tower and what the reference computes with it.

    python media/make_sounds.py --out ../../tests/golden/audio

Everything is a function of --seed; see ../README.md for what is written.
"""

import argparse
import shutil
from pathlib import Path

import numpy as np
import torch

from tower_families import PICTURE_IDS, POSITIONS, VISION_FAMILIES, VisionFamily  # first: it finds ../
import audio_export
import checkpoint
import gguf_export
import sounds
import tower_weights
from transformers import Gemma4AudioConfig, Gemma4Config, Gemma4VisionConfig
from transformers.models.gemma4.feature_extraction_gemma4 import Gemma4AudioFeatureExtractor

# Unlike Gemma's in value and in order.
SOUND_IDS = dict(boa_token_id=268, eoa_token_index=262, audio_token_id=271)
PIECES = {
    PICTURE_IDS["boi_token_id"]: "<|image>",
    PICTURE_IDS["image_token_id"]: "<|image|>",
    PICTURE_IDS["eoi_token_id"]: "<image|>",
    SOUND_IDS["boa_token_id"]: "<|audio>",
    SOUND_IDS["audio_token_id"]: "<|audio|>",
    SOUND_IDS["eoa_token_index"]: "<audio|>",
}
# One sample over no frame, ends of frames, odd numbers of frames and of halves, whole clips.
LENGTHS = {
    "shortest": 161,
    "two-frames": 321,
    "within-a-frame": 1000,
    "odd": 4321,
    "a-second": 16_000,
    "longer": 49_999,
    "longest": 480_000,
}
# Files of tests/golden/media/sounds, heard as what NAME.f32 there holds.
FILES = ("s16_16000_mono.wav", "s16_44100_stereo.flac", "vbr_22050_mono.mp3")
FEATURES = ("shortest", "within-a-frame", "odd")


class SoundFamily(VisionFamily):
    """The text model and the vision tower of e2b, and an audio tower of E2B's shape: 8 heads, chunks
    of 12, a context of 13, clipped matrices."""

    def config(self):
        return Gemma4Config(
            text_config=self.text_config(),
            vision_config=Gemma4VisionConfig(
                patch_size=16, pooling_kernel_size=3, position_embedding_size=POSITIONS, **self.vision
            ),
            audio_config=Gemma4AudioConfig(
                hidden_size=64,
                num_hidden_layers=3,
                num_attention_heads=8,
                subsampling_conv_channels=(128, 8),
                output_proj_dims=96,
            ),
            video_token_id=260,
            **PICTURE_IDS,
            **SOUND_IDS,
        )


@torch.no_grad()
def heard(model, samples: np.ndarray) -> tuple:
    """Features [frames, 128] and soft tokens, of the valid frames alone."""
    made = Gemma4AudioFeatureExtractor()([samples], sampling_rate=16_000, return_tensors="pt")
    mask = made["input_features_mask"].bool()
    result = model.model.get_audio_features(made["input_features"].float(), mask, return_dict=True)
    return made["input_features"][0][mask[0]].float().numpy(), result.pooler_output[result.attention_mask].numpy()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(__file__).resolve().parents[3] / "tests" / "golden" / "audio"
    parser.add_argument("--out", type=Path, default=default)
    parser.add_argument("--seed", type=int, default=4)
    options = parser.parse_args()
    torch.set_default_dtype(torch.float32)
    torch.set_num_threads(1)
    base = next(family for family in VISION_FAMILIES if family.name == "e2b")
    family = SoundFamily(**{name: getattr(base, name) for name in base.__dataclass_fields__})
    folder = options.out / "e2b"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    model = family.model_class(family.config()).eval()
    tower_weights.randomize(model, family, options.seed)
    model.to(torch.bfloat16).save_pretrained(folder)
    (folder / "model.safetensors").chmod(0o644)
    path = folder / "config.json"
    checkpoint.write_json(path, checkpoint.released_style(checkpoint.json.loads(path.read_text()), family))
    checkpoint.write_json(folder / "generation_config.json", checkpoint.GENERATION_CONFIG)
    model = family.model_class.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
    gguf_export.export(model, family, folder / "e2b.gguf", pieces=PIECES)
    audio_export.export(model, folder / "mmproj-e2b.gguf", with_vision=True)
    audio_export.export(model, folder / "audio-alone.gguf", with_vision=False)
    cases = []
    for seed, (name, n) in enumerate(LENGTHS.items()):
        features, tokens = heard(model, sounds.pattern(n, seed))
        np.save(folder / f"soft-{name}.npy", tokens)
        case = dict(name=name, samples=n, seed=seed, file=f"soft-{name}.npy")
        if name in FEATURES:
            np.save(folder / f"features-{name}.npy", features)
            case["features"] = f"features-{name}.npy"
        cases.append(case)
        print(f"{name}: {len(features)} frames, {len(tokens)} soft tokens, largest {np.abs(tokens).max():.2f}")
    files = []
    for name in FILES:
        samples = np.fromfile(options.out.parent / "media" / "sounds" / f"{name}.f32", dtype=np.float32)
        np.save(folder / f"soft-{name}.npy", heard(model, samples)[1])
        files.append(dict(sound=f"../../media/sounds/{name}", file=f"soft-{name}.npy"))
    checkpoint.write_json(folder / "sounds.json", dict(sounds=cases, files=files, tokens=SOUND_IDS))


if __name__ == "__main__":
    main()
