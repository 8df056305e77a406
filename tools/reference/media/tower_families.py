"""Tiny multimodal checkpoints: the text models of ../families.py with vision towers that are small
in everything but what the kernels see (heads of 64 and of 72 values, patches of 16 pixels)."""

import dataclasses
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from families import FAMILIES, MEDIA_IDS, Family  # noqa: E402
from transformers import (  # noqa: E402
    Gemma4Config,
    Gemma4UnifiedAudioConfig,
    Gemma4UnifiedConfig,
    Gemma4UnifiedVisionConfig,
    Gemma4VisionConfig,
)

# Unlike Gemma's in value and in order.
PICTURE_IDS = dict(boi_token_id=265, image_token_id=261, eoi_token_id=270)
VIDEO_ID = 260
POSITIONS = 128  # per axis


@dataclass(frozen=True)
class VisionFamily(Family):
    """A family whose checkpoint holds a vision tower that prompts use."""

    vision: dict = field(default_factory=dict)  # Gemma4VisionConfig fields
    default_budget: int = 280

    def ids_of_other_media(self) -> dict:
        ids = {name: id for name, id in MEDIA_IDS.items() if "image" not in name and name[:3] not in ("boi", "eoi")}
        free = [id for id in range(260, 272) if id not in PICTURE_IDS.values()]
        return dict(zip(ids, free))

    def sound_ids(self) -> dict:
        """boa_token_id, audio_token_id, eoa_token_index"""
        return {name: id for name, id in self.ids_of_other_media().items() if "video" not in name}

    def config(self):
        if self.unified:
            return Gemma4UnifiedConfig(
                text_config=self.text_config(),
                vision_config=Gemma4UnifiedVisionConfig(patch_size=16, pooling_kernel_size=3, **self.vision),
                audio_config=Gemma4UnifiedAudioConfig(audio_embed_dim=640),
                **self.ids_of_other_media(),
                **PICTURE_IDS,
            )
        return Gemma4Config(
            text_config=self.text_config(),
            vision_config=Gemma4VisionConfig(
                patch_size=16, pooling_kernel_size=3, position_embedding_size=POSITIONS, **self.vision
            ),
            audio_config=None,
            **self.ids_of_other_media() | PICTURE_IDS | dict(video_token_id=VIDEO_ID),
        )


def vision_family(name: str, default_budget: int, **vision) -> VisionFamily:
    text = next(family for family in FAMILIES if family.name == name)
    fields = {f.name: getattr(text, f.name) for f in dataclasses.fields(Family)}
    fields |= dict(
        towers=("vision",),
        suppressed=(PICTURE_IDS["eoi_token_id"],) if text.unified else (),
        multimodal=True,
        released_config=True,
        dead_shared_kv=False,
        trace=False,
        shard_size=None,
    )
    return VisionFamily(**fields, vision=vision, default_budget=default_budget)


VISION_FAMILIES = [
    vision_family(
        "e2b",
        default_budget=140,
        hidden_size=128,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=64,
        use_clipped_linears=True,
        standardize=False,
    ),
    vision_family(
        "26b-a4b",
        default_budget=280,
        hidden_size=144,
        intermediate_size=112,  # of 32 no multiple, as the released 4304
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        head_dim=72,
        use_clipped_linears=False,
        standardize=True,
    ),
    vision_family(
        "12b",
        default_budget=70,
        mm_embed_dim=64,
        output_proj_dims=64,
        mm_posemb_size=48,
    ),
]
