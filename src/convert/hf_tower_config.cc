#include "convert/hf_tower_config.h"

#include <string>
#include <utility>

#include "convert/hf_number.h"
#include "model/gemma4/projector_file.h"
#include "model/sound_input.h"

namespace pleiad::convert {
namespace {

Json make_picture_embedder_config(const gemma4::VisionConfig& config) {
  const gemma4::PatchSides sides = gemma4::written_patch_sides(config);
  return {{"model_type", "gemma4_unified_vision"},
          {"mm_embed_dim", config.hidden_dim},
          {"output_proj_dims", config.hidden_dim},
          {"mm_posemb_size", config.position_table_size},
          {"patch_size", sides.patch_size},
          {"pooling_kernel_size", sides.pooling},
          {"rms_norm_eps", shortest(config.rms_norm_eps)},
          {"initializer_range", 0.02}};
}

Json make_image_processor(const gemma4::VisionConfig& config, const std::string& family) {
  const gemma4::PatchSides sides = gemma4::written_patch_sides(config);
  return {{"image_processor_type", family + "ImageProcessor"},
          {"do_convert_rgb", true},
          {"do_normalize", false},
          {"do_rescale", true},
          {"do_resize", true},
          {"image_mean", {0.0, 0.0, 0.0}},
          {"image_std", {1.0, 1.0, 1.0}},
          {"max_soft_tokens", config.default_budget},
          {"patch_size", sides.patch_size},
          {"pooling_kernel_size", sides.pooling},
          {"resample", 3},  // bicubic
          {"rescale_factor", 1.0 / 255}};
}

/// Frames of samples are an embedder's features, those of a tower bands of their spectrum.
Json make_feature_extractor(const gemma4::AudioConfig& config, const std::string& family) {
  Json json = {{"feature_extractor_type", family + "AudioFeatureExtractor"},
               {"sampling_rate", kSoundRate},
               {"padding_side", "right"},
               {"padding_value", 0.0},
               {"return_attention_mask", true}};
  if (config.is_embedder()) {
    json["feature_size"] = config.output_dim;
    json["audio_samples_per_token"] = config.output_dim;
    return json;
  }
  json.update({{"feature_size", gemma4::kMelBands},
               {"frame_length", 2 * gemma4::kFrameHop},
               {"frame_length_ms", 20.0},
               {"hop_length", gemma4::kFrameHop},
               {"hop_length_ms", 10.0},
               {"fft_length", 512},
               {"fft_overdrive", false},
               {"min_frequency", 0.0},
               {"max_frequency", 8000.0},
               {"mel_floor", 0.001},
               {"preemphasis", 0.0},
               {"preemphasis_htk_flavor", true},
               {"dither", 0.0},
               {"input_scale_factor", 1.0},
               {"per_bin_mean", nullptr},
               {"per_bin_stddev", nullptr}});
  return json;
}

}  // namespace

Json make_vision_config(const gemma4::VisionConfig& config) {
  if (config.is_embedder()) return make_picture_embedder_config(config);
  Json json = {{"model_type", "gemma4_vision"},
               {"hidden_size", config.hidden_dim},
               {"intermediate_size", config.ffn_dim},
               {"num_hidden_layers", config.n_layers},
               {"num_attention_heads", config.n_heads},
               {"num_key_value_heads", config.n_heads},
               {"head_dim", config.head_dim},
               {"hidden_activation", "gelu_pytorch_tanh"},
               {"rms_norm_eps", shortest(config.rms_norm_eps)},
               {"max_position_embeddings", 131'072},
               {"attention_bias", false},
               {"attention_dropout", 0.0},
               {"pooling_kernel_size", config.pooling},
               {"patch_size", config.patch_size},
               {"position_embedding_size", config.position_table_size},
               {"use_clipped_linears", config.clipped_linears},
               {"standardize", config.standardize},
               {"initializer_range", 0.02}};
  // Versions of the reference differ in the name of its kind; all have 100 where nothing is said.
  constexpr double kUsualTheta = 100.0;
  if (config.rope_theta != kUsualTheta) {
    json["rope_parameters"] = {{"rope_theta", config.rope_theta}, {"rope_type", "axial"}};
  }
  return json;
}

Json make_audio_config(const gemma4::AudioConfig& config) {
  if (config.is_embedder()) {
    return {{"model_type", "gemma4_unified_audio"},
            {"audio_embed_dim", config.output_dim},
            {"rms_norm_eps", shortest(config.rms_norm_eps)},
            {"initializer_range", 0.02}};
  }
  return {{"model_type", "gemma4_audio"},
          {"hidden_size", config.hidden_dim},
          {"num_hidden_layers", config.n_layers},
          {"num_attention_heads", config.n_heads},
          {"hidden_act", "silu"},
          {"rms_norm_eps", shortest(config.rms_norm_eps)},
          {"subsampling_conv_channels", {config.conv_channels[0], config.conv_channels[1]}},
          {"conv_kernel_size", config.conv_kernel},
          {"residual_weight", shortest(config.residual_weight)},
          {"attention_chunk_size", config.chunk},
          {"attention_context_left", config.context_left},
          {"attention_context_right", 0},
          {"attention_logit_cap", shortest(config.logit_cap)},
          {"attention_invalid_logits_value", -1e9},
          {"use_clipped_linears", config.clipped_linears},
          {"gradient_clipping", 1e10},
          {"output_proj_dims", config.output_dim},
          {"initializer_range", 0.02}};
}

Json make_processor_config(const FolderEncoders& encoders) {
  const std::string family = encoders.is_unified() ? "Gemma4Unified" : "Gemma4";
  Json json = {{"processor_class", family + "Processor"}};
  if (encoders.vision != nullptr) {
    json["image_seq_length"] = encoders.vision->default_budget;
    json["image_processor"] = make_image_processor(*encoders.vision, family);
  }
  if (encoders.audio == nullptr) return json;
  constexpr std::int64_t kFramesOfAToken = 4;
  const gemma4::AudioConfig& audio = *encoders.audio;
  const std::int64_t samples =
      audio.is_embedder() ? audio.output_dim : kFramesOfAToken * gemma4::kFrameHop;
  json["audio_seq_length"] = gemma4::kMostSoundTokens;
  json["audio_ms_per_token"] = 1000.0 * static_cast<double>(samples) / kSoundRate;
  json["feature_extractor"] = make_feature_extractor(audio, family);
  return json;
}

}  // namespace pleiad::convert
