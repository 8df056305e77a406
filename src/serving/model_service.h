#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "serving/endable_service.h"
#include "serving/pool/tokenizer_cache.h"
#include "serving/workshop.h"

namespace pleiad::serving {

struct AnswerPrompt;

struct ModelServiceOptions {
  PoolOptions pool;
  int n_workers = 2;
  int n_media_workers = 4;  // as many as read pictures at a time
  double timeout_seconds = std::numeric_limits<double>::infinity();  // of requests that name none
  ReplyDefaults replies;
  std::string version;
};

/// The service on models in this process.
class ModelService final : public EndableService {
 public:
  struct Parts {
    FindModel find;
    std::unique_ptr<RuntimeLoader> loader;
    TokenizerCache::Load load_tokenizer;
    ServingObserver* observer = nullptr;  // may be null; else outlives the service
    store::Catalog* catalog = nullptr;    // likewise; null: catalog() must not be called
    MediaTools media;
  };
  ModelService(const ModelServiceOptions& options, Parts parts);
  /// shutdown(0)
  ~ModelService() override;

  void shutdown(double grace_seconds) override;
  std::shared_ptr<Ticket> answer(AnswerRequest request,
                                 std::shared_ptr<AnswerObserver> observer) override;
  std::shared_ptr<Ticket> embed(EmbedRequest request, Callback<EmbedResult> done) override;
  void load(const std::string& model, std::optional<KeepAlive> keep_alive,
            Callback<Loaded> done) override;
  void unload(const std::string& model, Callback<Unloaded> done) override;
  void unload_file(const std::filesystem::path& path) override;
  std::shared_ptr<Ticket> count_tokens(AnswerRequest request, Callback<TokenCount> done) override;
  std::shared_ptr<Ticket> render(AnswerRequest request, Callback<Rendering> done) override;
  std::shared_ptr<Ticket> view_pages(PagesRequest request, Callback<PageViews> done) override;
  std::vector<LoadedInfo> loaded() const override;
  store::Catalog& catalog() override;
  std::string version() const override { return version_; }

  /// The model where it is loaded, null otherwise; it stays so while the lease lives. Throws
  /// RequestError: not found, or not usable.
  ModelPool::Lease find_loaded(const std::string& model);

  /// Looks at the clock now: for one that jumps.
  void wake() { pool_.wake(); }

 private:
  AnswerPrompt prompt_of(const AnswerRequest& request, const std::function<bool()>& stop);
  std::shared_ptr<Ticket> make_prompt_alone(AnswerRequest request, Callback<AnswerPrompt> done);
  template <typename T>
  void work(Callback<T> done, std::function<void(const Callback<T>&)> task);

  Parts parts_;
  std::string version_;
  TokenizerCache tokenizers_;
  ServingObserver silent_;
  mutable ModelPool pool_;
  ActiveWork active_;
  std::unique_ptr<WorkPool> workers_;
  std::unique_ptr<WorkPool> media_workers_;
  std::unique_ptr<Workshop> workshop_;
};

}  // namespace pleiad::serving
