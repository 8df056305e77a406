#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "backend/backend.h"
#include "model/audio_encoder.h"
#include "model/checkpoint.h"
#include "model/gemma4/audio/encoder.h"
#include "model/gemma4/online.h"
#include "model/gemma4/vision/encoder.h"
#include "model/model.h"
#include "model/vision_encoder.h"
#include "sampling/options.h"
#include "sampling/stop_tokens.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace pleiad {

struct LoadOptions {
  int max_rows = 512;                           // tokens of one forward pass
  int max_logit_rows = 8;                       // rows of logits of one forward pass
  std::optional<gemma4::OnlineOptions> online;  // quantize while loading
  LoadProgress progress;
  std::filesystem::path projector;  // the file with the towers; empty: see CheckpointOptions
  double started = 0;               // when loading began, monotonic seconds; 0: it begins now
};

/// The rows that a model's passes need room for where `max_rows` are asked for: more where all of a
/// picture has to lie in one pass (ModelInfo::bidirectional_blocks), beside a token of each of
/// `max_running` sequences.
int step_rows(const Checkpoint& checkpoint, int max_rows, int max_running);

/// The chat template of a model's family, told apart by its shape.
text::TemplateFamily template_family(const gemma4::Config& config);

/// The tokenizer that a checkpoint brings. Throws LoadError when it has none,
/// or one with more pieces than the model has embeddings.
text::Tokenizer load_tokenizer(const Checkpoint& checkpoint);

/// Everything that a checkpoint is made of, ready to run: the model on its
/// backend, the tokenizer, the defaults for sampling.
class LoadedModel {
 public:
  /// Throws LoadError, FileChangedError among them; `backend` must outlive the object.
  LoadedModel(const std::filesystem::path& path, Backend& backend, const LoadOptions& options);
  /// Of a checkpoint that is open; options.projector is not looked at.
  LoadedModel(Checkpoint checkpoint, Backend& backend, const LoadOptions& options);
  LoadedModel(const LoadedModel&) = delete;
  LoadedModel& operator=(const LoadedModel&) = delete;

  const Checkpoint& checkpoint() const { return checkpoint_; }
  Model& model() { return *model_; }
  const text::Tokenizer& tokenizer() const { return tokenizer_; }
  text::TemplateFamily family() const { return family_; }
  const sampling::SamplingOptions& sampling_defaults() const { return sampling_; }
  const sampling::StopTokens& stop_tokens() const { return stop_tokens_; }
  /// Whether pictures can be encoded.
  bool has_vision() const { return checkpoint_.picture_problem().empty(); }
  /// The tower, made when it is first asked for: on the thread of the model's forward passes, in
  /// between two. The first encoding loads it. Throws Error that says why there is none, LoadError.
  VisionEncoder& vision();
  /// Whether sound can be encoded.
  bool has_audio() const { return checkpoint_.sound_problem().empty(); }
  /// As vision().
  AudioEncoder& audio();
  double load_seconds() const { return load_seconds_; }
  /// What the checkpoint's weights were quantized to while they were loaded, if they were.
  std::optional<DType> online_type() const { return online_type_; }

 private:
  double started_;  // first: loading begins with the checkpoint
  Checkpoint checkpoint_;
  text::Tokenizer tokenizer_;
  std::unique_ptr<Model> model_;
  text::TemplateFamily family_;
  sampling::SamplingOptions sampling_;
  sampling::StopTokens stop_tokens_;
  double load_seconds_;
  std::optional<DType> online_type_;
  Backend& backend_;
  gemma4::VisionOptions vision_options_;
  std::unique_ptr<VisionEncoder> vision_;
  std::unique_ptr<AudioEncoder> audio_;
};

}  // namespace pleiad
