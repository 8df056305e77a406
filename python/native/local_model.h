#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "answer.h"
#include "media/documents/document_reader.h"
#include "media/reader.h"
#include "serving/model_service.h"
#include "store/model_entry.h"

namespace pleiad::python {

/// What Model.load() takes.
struct LoadSettings {
  std::string model;      // a path, or a name
  std::string projector;  // empty: the model's own
  int threads = 0;        // 0: one for each physical core
  std::int64_t context_length = 0;
  std::string kv_type = "bf16";
  std::optional<std::string> activations;  // "8", "16"
  std::optional<std::string> online;       // "fp8", "q8_0", "q4_0"
  int parallel = 32;                       // answers that are generated together
  std::uint64_t kv_bytes = 0;              // 0: a share of the memory that is available
  std::string package;                     // the folder of the Python package
  std::vector<std::string> helper;         // the command that becomes a reader of media
};

/// Bytes that are loaded, and all of them.
using OnLoading = std::function<void(std::uint64_t done, std::uint64_t total)>;

/// One model in this process, as `pleiad serve` has it: any number of threads ask, and answers are
/// generated together. Every member is called with the GIL, which is released where it waits or
/// computes; each throws ClosedError after close().
class LocalModel {
 public:
  /// Loads it. Throws LoadError, store::ModelNotFound, ServiceFailure, and what a signal or
  /// `on_loading` raises: then nothing stays behind.
  LocalModel(const LoadSettings& settings, const OnLoading& on_loading);
  ~LocalModel();
  LocalModel(const LocalModel&) = delete;
  LocalModel& operator=(const LocalModel&) = delete;

  /// `body`: JSON of a chat completion in OpenAI's form. Throws api::RequestError.
  std::unique_ptr<Answer> chat(const std::string& body);
  /// The same of a completion: a "prompt" of text, or of tokens.
  std::unique_ptr<Answer> complete(const std::string& body);
  /// The prompt that a chat becomes, as text.
  std::string render(const std::string& body);
  /// Of unit length, one for each text.
  serving::EmbedResult embed(std::vector<std::string> texts, std::optional<int> dimensions,
                             bool truncate);

  /// Rows of logits in their order, a few at a time, [n, vocab_size]: of every token, or of the
  /// last one alone. `take` is called without the GIL, and must not ask for it: answers wait
  /// meanwhile. `between` is called now and then without the GIL; what it throws ends it. Throws
  /// serving::RequestError where a token is none, or where there are more than the context holds,
  /// and FileChangedError.
  void compute_logits(const std::vector<std::int32_t>& tokens, bool last_only,
                      const TakeLogits& take, const std::function<void()>& between);

  std::vector<std::int32_t> tokenize(const std::string& text, bool control, bool bos);
  std::string detokenize(const std::vector<std::int32_t>& tokens, bool control);

  struct Facts {
    std::string name;  // "gemma4:e2b", or the path
    std::string path;
    std::int64_t context_length = 0;
    std::int64_t vocab_size = 0;
    std::int64_t embedding_length = 0;
    std::uint64_t memory_bytes = 0;  // weights, and keys and values
    bool sees = false;
    bool hears = false;
    std::string description;  // of the backend: "avx512, 8 threads"
  };
  Facts facts();

  /// What the engine has done and holds.
  EngineStats stats();

  /// Forgets the model. Answers under way end with ClosedError.
  void close();

 private:
  struct Media;

  serving::ModelService& service() const;
  serving::ModelPool::Lease lease();
  void load(const OnLoading& on_loading);
  void compute_leased_logits(const std::vector<std::int32_t>& tokens, bool last_only,
                             const TakeLogits& take, const std::function<void()>& between);
  std::unique_ptr<Answer> start(serving::AnswerRequest request, std::vector<std::string> warnings);

  const pid_t owner_;
  store::ModelEntry entry_;
  std::atomic<bool> gives_up_ = false;  // loading
  std::string backend_;
  std::unique_ptr<Media> media_;
  std::unique_ptr<serving::ModelService> service_;  // null: closed
};

}  // namespace pleiad::python
