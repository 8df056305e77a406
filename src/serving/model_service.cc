#include "serving/model_service.h"

#include <utility>

#include "serving/answers/answer_job.h"
#include "serving/answers/answer_prompt.h"
#include "serving/embed_job.h"
#include "serving/media/page_views.h"
#include "serving/media/prepare_media.h"
#include "serving/media/uses_of.h"
#include "serving/queued_job.h"
#include "serving/request_error.h"

namespace pleiad::serving {

ModelService::ModelService(const ModelServiceOptions& options, Parts parts)
    : parts_(std::move(parts)),
      version_(options.version),
      tokenizers_(parts_.load_tokenizer),
      pool_(options.pool, *parts_.loader, parts_.observer ? *parts_.observer : silent_),
      workers_(std::make_unique<WorkPool>(options.n_workers)),
      media_workers_(std::make_unique<WorkPool>(options.n_media_workers)),
      workshop_(new Workshop{parts_.find, pool_, *workers_, *media_workers_,
                             parts_.observer ? *parts_.observer : silent_, options.pool.clock,
                             options.timeout_seconds, options.pool.max_waiting, parts_.media,
                             [this](const auto& entry) {
                               const ModelPool::Lease lease = pool_.find_loaded(entry);
                               return lease ? lease->runtime().prompt_model().towers
                                            : tokenizers_.get(entry.path, entry.projector)->towers;
                             },
                             options.replies}) {}

ModelService::~ModelService() {
  shutdown(0);
  pool_.stop();
  media_workers_.reset();
  workers_.reset();
}

void ModelService::shutdown(double grace_seconds) {
  active_.close();
  if (active_.wait_idle(grace_seconds)) return;
  // What waits for a model that loads may have no ticket to be cancelled by.
  pool_.refuse_waiting();
  do {
    active_.cancel_all();  // again: one may just have begun, without its ticket yet
  } while (!active_.wait_idle(0.05));
}

std::shared_ptr<Ticket> ModelService::answer(AnswerRequest request,
                                             std::shared_ptr<AnswerObserver> observer) {
  auto job = std::make_shared<AnswerJob>(*workshop_, active_.begin(), std::move(request),
                                         std::move(observer));
  job->start();
  return job;
}

std::shared_ptr<Ticket> ModelService::embed(EmbedRequest request, Callback<EmbedResult> done) {
  auto job =
      std::make_shared<EmbedJob>(*workshop_, active_.begin(), std::move(request), std::move(done));
  job->start();
  return job;
}

/// Runs `task` on a worker; what it throws is the answer.
template <typename T>
void ModelService::work(Callback<T> done, std::function<void(const Callback<T>&)> task) {
  // Shared by every copy of the callback: a std::function must be copyable.
  const std::shared_ptr<ActiveWork::Entry> active = active_.begin();
  Callback<T> answer = [active, done = std::move(done)](std::variant<T, ServiceError> outcome) {
    done(std::move(outcome));
  };
  workers_->post([active, answer = std::move(answer), task = std::move(task)] {
    if (!active) return answer(shutting_down_error());
    try {
      task(answer);
    } catch (const std::exception& error) {
      answer(for_client(as_service_error(error)));
    }
  });
}

void ModelService::load(const std::string& model, std::optional<KeepAlive> keep_alive,
                        Callback<Loaded> done) {
  work<Loaded>(std::move(done), [this, model, keep_alive](const Callback<Loaded>& answer) {
    const double started = workshop_->clock();
    pool_.acquire(workshop_->find_usable(model), keep_alive, started + workshop_->timeout_seconds,
                  [this, started, answer](auto outcome) {
                    if (const auto* error = std::get_if<ServiceError>(&outcome)) {
                      return answer(*error);
                    }
                    const bool waited =
                        std::get<ModelPool::Lease>(outcome)->use() == ModelLease::Use::after_a_wait;
                    std::get<ModelPool::Lease>(outcome).reset();
                    answer(Loaded{waited ? workshop_->clock() - started : 0});
                  });
  });
}

void ModelService::unload(const std::string& model, Callback<Unloaded> done) {
  work<Unloaded>(std::move(done), [this, model](const Callback<Unloaded>& answer) {
    const Result<store::ModelEntry> entry = parts_.find(model);
    if (!entry) {
      throw RequestError(ServiceError::Code::model_not_found, entry.message(), "model");
    }
    pool_.unload(entry.value().path, [answer] { answer(Unloaded{}); });
  });
}

void ModelService::unload_file(const std::filesystem::path& path) {
  pool_.unload(path, [] {});
}

AnswerPrompt ModelService::prompt_of(const AnswerRequest& request,
                                     const std::function<bool()>& stop) {
  const store::ModelEntry entry = workshop_->find_usable(request.model);
  const auto prompt_by = [&](const PromptModel& model) {
    const auto prepared = prepare_media(request, model.towers, parts_.media, stop, [] {});
    // Several answers share their request's media; a prompt alone has its own.
    if (!prepared) throw Error("the media of this prompt are read for another one");
    AnswerPrompt prompt =
        make_prompt(request, entry.recipe, model, std::nullopt, stop, shown_of(request, *prepared));
    prompt.uses = uses_of(prompt, *model.tokenizer, *prepared);
    for (const auto& media : *prepared) {
      prompt.warnings.insert(prompt.warnings.end(), media->warnings.begin(), media->warnings.end());
    }
    return prompt;
  };
  if (const ModelPool::Lease lease = pool_.find_loaded(entry)) {
    return prompt_by(lease->runtime().prompt_model());
  }
  const auto lone = tokenizers_.get(entry.path, entry.projector);
  return prompt_by(lone->prompt_model());
}

std::shared_ptr<Ticket> ModelService::make_prompt_alone(AnswerRequest request,
                                                        Callback<AnswerPrompt> done) {
  const bool has_media = !request.media.empty();
  auto job = std::make_shared<QueuedJob<AnswerRequest, AnswerPrompt>>(
      *workshop_, active_.begin(), has_media, std::move(request),
      [this](const AnswerRequest& asked, const auto& stop) { return prompt_of(asked, stop); },
      std::move(done));
  job->start();
  return job;
}

std::shared_ptr<Ticket> ModelService::count_tokens(AnswerRequest request,
                                                   Callback<TokenCount> done) {
  return make_prompt_alone(std::move(request), [done = std::move(done)](auto outcome) {
    if (auto* error = std::get_if<ServiceError>(&outcome)) return done(std::move(*error));
    const AnswerPrompt& prompt = std::get<AnswerPrompt>(outcome);
    done(TokenCount{static_cast<std::int64_t>(prompt.tokens.size())});
  });
}

std::shared_ptr<Ticket> ModelService::render(AnswerRequest request, Callback<Rendering> done) {
  return make_prompt_alone(std::move(request), [done = std::move(done)](auto outcome) {
    if (auto* error = std::get_if<ServiceError>(&outcome)) return done(std::move(*error));
    AnswerPrompt& prompt = std::get<AnswerPrompt>(outcome);
    const auto tokens = static_cast<std::int64_t>(prompt.tokens.size());
    done(Rendering{std::move(prompt.text), tokens, std::move(prompt.uses),
                   std::move(prompt.warnings)});
  });
}

std::shared_ptr<Ticket> ModelService::view_pages(PagesRequest request, Callback<PageViews> done) {
  auto job = std::make_shared<QueuedJob<PagesRequest, PageViews>>(
      *workshop_, active_.begin(), true, std::move(request),
      [this](const PagesRequest& asked, const auto& stop) {
        return make_page_views(asked, parts_.media, stop);
      },
      std::move(done));
  job->start();
  return job;
}

ModelPool::Lease ModelService::find_loaded(const std::string& model) {
  return pool_.find_loaded(workshop_->find_usable(model));
}

std::vector<LoadedInfo> ModelService::loaded() const { return pool_.loaded(); }

store::Catalog& ModelService::catalog() {
  CHECK(parts_.catalog);
  return *parts_.catalog;
}

}  // namespace pleiad::serving
