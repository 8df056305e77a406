#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eval/divergence.h"
#include "eval/progress.h"
#include "eval/saved_logits.h"
#include "eval/statistics.h"
#include "eval/text_windows.h"
#include "model/model.h"

namespace pleiad::eval {

/// A model as a text is evaluated with it.
struct TextModel {
  std::string name;
  Model* model = nullptr;
};

struct TextRequest {
  std::vector<TextModel> models;          // one, or two: the first is the second's reference
  std::span<const text::TokenId> tokens;  // the text, without <bos>
  text::TokenId bos = 0;
  KvType kv_type = KvType::f32;
  WindowOptions windows;
  SavedLogitsWriter* save = nullptr;     // gets the first model's predictions
  SavedLogitsReader* against = nullptr;  // the reference of a single model; of the same text
  EvalProgress progress = {};
};

/// How well a model predicts the text.
struct Perplexity {
  std::string model;
  GroupedMean loss;  // -log(probability of the token that came), by window

  double value() const;
  /// As llama-perplexity states it: tokens are taken as independent.
  double standard_error() const;
  /// 95 %, from the windows.
  Interval interval() const;
};

/// A model beside its reference.
struct TextComparison {
  std::string reference;
  DivergenceSummary tokens;
  GroupedMean loss_difference;  // judged - reference: log of the ratio of the perplexities
};

struct TextReport {
  std::int64_t n_text_tokens = 0;
  std::int64_t n_windows = 0;  // that were computed
  std::int64_t n_windows_asked = 0;
  std::vector<Perplexity> models;
  std::optional<TextComparison> comparison;

  bool complete() const { return n_windows == n_windows_asked; }
};

/// Evaluates a text. A window that is under way when `progress` says false does not count.
/// Throws Error where the text has no window, where a model's logits are not numbers, and where
/// vocabularies differ. The same bits with any number of threads.
TextReport evaluate_text(const TextRequest& request);

}  // namespace pleiad::eval
