#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "serving/answer.h"
#include "store/catalog.h"

namespace pleiad::serving {

/// A request under way.
class Ticket {
 public:
  virtual ~Ticket() = default;
  /// The client has gone away: ends within one token. The observer still hears done()
  /// or failed(), a callback an error. Letting go of a ticket does not cancel.
  virtual void cancel() = 0;
};

struct EmbedRequest {
  std::string model;
  std::vector<std::string> inputs;
  std::vector<std::vector<std::int32_t>> token_inputs;  // instead of texts, taken as they are
  bool truncate = false;
  std::optional<int> dimensions;  // the first so many values, normalized again
  std::optional<std::int64_t> context_length;
  std::optional<KeepAlive> keep_alive;
  std::string id;
};
struct EmbedResult {
  std::vector<std::vector<float>> embeddings;  // L2-normalized
  std::int64_t prompt_tokens = 0;
  std::int64_t truncated_inputs = 0;
  double total_seconds = 0;
  double load_seconds = 0;
};

/// Pages of a PDF, small, for people.
struct PagesRequest {
  MediaPart document;  // its bytes, and of it `pages` the first most_pages
  int most_pages = kMostPageViews;
};
struct PageView {
  int number = 1;
  media::PictureSize size = {};  // of the picture: whole soft tokens, about as the page is
  double aspect = 0;             // of the page: its width by its height
  std::string png = {};          // a file; empty: nothing is on the page, or it cannot be drawn
};
struct PageViews {
  int total_pages = 0;
  std::vector<PageView> pages;
  std::vector<std::string> warnings;
};

/// A model in memory, or on its way there.
struct LoadedInfo {
  store::ModelEntry entry;
  enum class State : std::uint8_t { loading, ready, unloading } state = State::ready;
  std::uint64_t loaded_bytes = 0, total_bytes = 0;  // while loading
  std::uint64_t memory_bytes = 0;                   // weights and keys and values
  double expires_in_seconds = 0;  // infinity: never; negative: as soon as it is idle
  std::int64_t context_length = 0;
  EngineStats engine;
};

template <typename T>
using Callback = std::function<void(std::variant<T, ServiceError>)>;

/// What every API stands on: answers by named models, which are loaded on demand.
/// All members may be called from any thread, and none waits.
class Service {
 public:
  virtual ~Service() = default;

  virtual std::shared_ptr<Ticket> answer(AnswerRequest request,
                                         std::shared_ptr<AnswerObserver> observer) = 0;
  virtual std::shared_ptr<Ticket> embed(EmbedRequest request, Callback<EmbedResult> done) = 0;

  struct Loaded {
    double load_seconds = 0;
  };
  /// Loads a model without a request; the callback comes when it is ready.
  virtual void load(const std::string& model, std::optional<KeepAlive> keep_alive,
                    Callback<Loaded> done) = 0;
  struct Unloaded {};
  /// Unloads it once its running requests are done. Not loaded is fine too.
  virtual void unload(const std::string& model, Callback<Unloaded> done) = 0;
  /// Likewise of what was loaded from the file, also where no name stands for it any more.
  virtual void unload_file(const std::filesystem::path& path) = 0;

  struct TokenCount {
    std::int64_t tokens = 0;
  };
  /// Of the prompt that `request` would give; loads the tokenizer alone. Waits in the same queue as
  /// answers do, and is turned away where that is full.
  virtual std::shared_ptr<Ticket> count_tokens(AnswerRequest request,
                                               Callback<TokenCount> done) = 0;
  struct Rendering {
    std::string text;
    std::int64_t tokens = 0;
    std::vector<MediaUse> media;  // as the request's; none of them is encoded
    std::vector<std::string> warnings;
  };
  /// The prompt itself, for _debug_render_only.
  virtual std::shared_ptr<Ticket> render(AnswerRequest request, Callback<Rendering> done) = 0;

  /// Needs no model. Waits in the same queue, at the same readers, as documents of answers do.
  virtual std::shared_ptr<Ticket> view_pages(PagesRequest request, Callback<PageViews> done) = 0;

  virtual std::vector<LoadedInfo> loaded() const = 0;
  virtual store::Catalog& catalog() = 0;
  /// "0.1.0"
  virtual std::string version() const = 0;
};

}  // namespace pleiad::serving
