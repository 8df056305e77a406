"""Configurations of the five tiny model families.

Each family copies the structure of one released Gemma 4 size (layer kinds, KV sharing, per-layer
embeddings, mixture of experts, k_eq_v) at dimensions small enough for the files to live in git.
"""

from dataclasses import dataclass

from transformers import (
    Gemma4AudioConfig,
    Gemma4Config,
    Gemma4ForCausalLM,
    Gemma4ForConditionalGeneration,
    Gemma4TextConfig,
    Gemma4UnifiedAudioConfig,
    Gemma4UnifiedConfig,
    Gemma4UnifiedForConditionalGeneration,
    Gemma4UnifiedTextConfig,
    Gemma4UnifiedVisionConfig,
    Gemma4VisionConfig,
)

VOCAB = 272
HEAD_DIM = 16
GLOBAL_HEAD_DIM = 32
# Ids from here up are the media markers of MEDIA_IDS: text prompts stay below.
FIRST_MEDIA_TOKEN = 260
MEDIA_IDS = dict(
    boi_token_id=260,
    eoi_token_id=261,
    image_token_id=262,
    video_token_id=263,
    boa_token_id=264,
    eoa_token_index=265,
    audio_token_id=266,
)
GENERATION_CONFIG = {
    "bos_token_id": 2,
    "do_sample": True,
    "eos_token_id": [1, 106, 50],
    "pad_token_id": 0,
    "temperature": 1.0,
    "top_k": 64,
    "top_p": 0.95,
}
KINDS = {"S": "sliding_attention", "F": "full_attention"}


@dataclass(frozen=True)
class Family:
    """How one tiny checkpoint is built and stored."""

    name: str
    pattern: str  # one letter per layer: S sliding, F full
    text: dict  # Gemma4TextConfig fields that differ from the common ones
    towers: tuple = ()  # "vision", "audio": present in the checkpoint, unused by text prompts
    multimodal: bool = False  # Gemma4ForConditionalGeneration instead of Gemma4ForCausalLM
    released_config: bool = False  # config.json in the style of the released checkpoints
    dead_shared_kv: bool = False  # add the unused k/v tensors of KV-shared layers
    shard_size: str | None = None  # write several shards of at most this size
    bf16_exact: bool = True  # every weight is exactly representable in bfloat16
    global_kv_heads: int | None = None
    trace: bool = False
    unified: bool = False  # Gemma4UnifiedForConditionalGeneration: embedders instead of towers
    suppressed: tuple = ()  # generation_config.json: tokens that are never sampled

    @property
    def window(self) -> int:
        return self.text["sliding_window"]

    @property
    def model_class(self):
        if self.unified:
            return Gemma4UnifiedForConditionalGeneration
        return Gemma4ForConditionalGeneration if self.multimodal else Gemma4ForCausalLM

    def text_config(self):
        fields = dict(
            vocab_size=VOCAB,
            head_dim=HEAD_DIM,
            global_head_dim=GLOBAL_HEAD_DIM,
            num_global_key_value_heads=self.global_kv_heads,
            num_hidden_layers=len(self.pattern),
            layer_types=[KINDS[kind] for kind in self.pattern],
            final_logit_softcapping=30.0,
            eos_token_id=1,
        )
        if self.unified:
            return Gemma4UnifiedTextConfig(**(fields | self.text))
        return Gemma4TextConfig(**(fields | self.text | dict(vocab_size_per_layer_input=VOCAB)))

    def config(self):
        text = self.text_config()
        if self.unified:
            return Gemma4UnifiedConfig(
                text_config=text,
                vision_config=tiny_patches(text.hidden_size) if "vision" in self.towers else None,
                audio_config=Gemma4UnifiedAudioConfig(audio_embed_dim=8) if "audio" in self.towers else None,
                **MEDIA_IDS,
            )
        if not self.multimodal:
            return text
        return Gemma4Config(
            text_config=text,
            vision_config=tiny_vision(self.name) if "vision" in self.towers else None,
            audio_config=tiny_audio() if "audio" in self.towers else None,
            **MEDIA_IDS,
        )


def tiny_vision(family: str) -> Gemma4VisionConfig:
    small_sizes = family.startswith("e")
    return Gemma4VisionConfig(
        hidden_size=8,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=1,
        num_key_value_heads=1,
        head_dim=8,
        patch_size=2,
        position_embedding_size=8,
        use_clipped_linears=small_sizes,
        standardize=not small_sizes,
    )


def tiny_patches(hidden: int) -> Gemma4UnifiedVisionConfig:
    return Gemma4UnifiedVisionConfig(
        patch_size=2, pooling_kernel_size=3, mm_embed_dim=hidden, output_proj_dims=hidden, mm_posemb_size=8
    )


def tiny_audio() -> Gemma4AudioConfig:
    return Gemma4AudioConfig(
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=1,
        subsampling_conv_channels=(8, 4),
        output_proj_dims=8,
    )


FAMILIES = [
    Family(
        name="e2b",
        pattern="SSFSSF",
        text=dict(
            hidden_size=32,
            intermediate_size=64,
            num_attention_heads=4,
            num_key_value_heads=1,
            num_kv_shared_layers=2,
            use_double_wide_mlp=True,
            hidden_size_per_layer_input=32,
            sliding_window=16,
            max_position_embeddings=131072,
        ),
        towers=("vision", "audio"),
        multimodal=True,
        released_config=True,
        dead_shared_kv=True,
        trace=True,
    ),
    Family(
        name="e4b",
        pattern="SSSFSF",
        text=dict(
            hidden_size=32,
            intermediate_size=64,
            num_attention_heads=4,
            num_key_value_heads=2,
            num_kv_shared_layers=2,
            hidden_size_per_layer_input=32,
            sliding_window=24,
            max_position_embeddings=131072,
        ),
        shard_size="400KB",
    ),
    Family(
        name="26b-a4b",
        pattern="SSFSF",
        text=dict(
            hidden_size=32,
            intermediate_size=64,
            num_attention_heads=8,
            num_key_value_heads=4,
            attention_k_eq_v=True,
            hidden_size_per_layer_input=0,
            enable_moe_block=True,
            num_experts=6,
            top_k_experts=2,
            moe_intermediate_size=32,
            use_bidirectional_attention="vision",
            sliding_window=16,
            max_position_embeddings=262144,
        ),
        towers=("vision",),
        multimodal=True,
        global_kv_heads=2,
        trace=True,
    ),
    Family(
        name="31b",
        pattern="SSFSF",
        text=dict(
            hidden_size=64,
            intermediate_size=64,
            num_attention_heads=4,
            num_key_value_heads=4,
            attention_k_eq_v=True,
            hidden_size_per_layer_input=0,
            use_bidirectional_attention="vision",
            sliding_window=16,
            max_position_embeddings=262144,
        ),
        released_config=True,
        bf16_exact=False,
        global_kv_heads=2,
    ),
    Family(
        name="12b",
        pattern="SSFSF",
        text=dict(
            hidden_size=64,
            intermediate_size=96,
            num_attention_heads=4,
            num_key_value_heads=2,
            attention_k_eq_v=True,
            use_bidirectional_attention="vision",
            sliding_window=16,
            max_position_embeddings=262144,
        ),
        towers=("vision", "audio"),
        multimodal=True,
        released_config=True,
        global_kv_heads=1,
        unified=True,
        suppressed=(MEDIA_IDS["eoa_token_index"], MEDIA_IDS["eoi_token_id"]),
    ),
]
