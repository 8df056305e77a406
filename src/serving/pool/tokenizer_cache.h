#pragma once

#include <filesystem>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

#include "serving/pool/file_stamp.h"
#include "serving/pool/model_runtime.h"

namespace pleiad::serving {

/// A tokenizer without its weights.
struct LoneTokenizer {
  text::Tokenizer tokenizer;
  text::TemplateFamily family;
  PromptTowers towers = {};

  PromptModel prompt_model() const { return {&tokenizer, family, towers}; }
};

/// From a checkpoint; `projector` as of CheckpointOptions. Throws LoadError.
LoneTokenizer load_lone_tokenizer(const std::filesystem::path& path,
                                  const std::filesystem::path& projector = {});

/// The last few tokenizers of models that are not loaded. Threads may share it.
class TokenizerCache {
 public:
  using Load = std::function<LoneTokenizer(const std::filesystem::path& path,
                                           const std::filesystem::path& projector)>;
  explicit TokenizerCache(Load load) : load_(std::move(load)) {}

  /// Throws what loading throws. Shared: stays with who uses it when others push it out.
  std::shared_ptr<const LoneTokenizer> get(const std::filesystem::path& path,
                                           const std::filesystem::path& projector);

 private:
  static constexpr std::size_t kMost = 4;
  struct Entry {
    std::filesystem::path path, projector;
    std::optional<FileStamp> stamp;
    std::shared_ptr<const LoneTokenizer> tokenizer;
  };

  Load load_;
  std::mutex mutex_;
  std::list<Entry> entries_;  // the latest used first
};

}  // namespace pleiad::serving
