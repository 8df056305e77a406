#pragma once

#include "apps/serve/log.h"
#include "serving/service.h"

namespace pleiad::apps {

/// A service that writes every prompt to the log, for those who asked for it.
class LoggedPrompts final : public serving::Service {
 public:
  LoggedPrompts(serving::Service& service, Log& log) : service_(service), log_(log) {}

  std::shared_ptr<serving::Ticket> answer(
      serving::AnswerRequest request, std::shared_ptr<serving::AnswerObserver> observer) override;
  std::shared_ptr<serving::Ticket> embed(serving::EmbedRequest request,
                                         serving::Callback<serving::EmbedResult> done) override;

  void load(const std::string& model, std::optional<serving::KeepAlive> keep_alive,
            serving::Callback<Loaded> done) override {
    service_.load(model, keep_alive, std::move(done));
  }
  void unload(const std::string& model, serving::Callback<Unloaded> done) override {
    service_.unload(model, std::move(done));
  }
  void unload_file(const std::filesystem::path& path) override { service_.unload_file(path); }
  std::shared_ptr<serving::Ticket> count_tokens(serving::AnswerRequest request,
                                                serving::Callback<TokenCount> done) override {
    return service_.count_tokens(std::move(request), std::move(done));
  }
  std::shared_ptr<serving::Ticket> render(serving::AnswerRequest request,
                                          serving::Callback<Rendering> done) override {
    return service_.render(std::move(request), std::move(done));
  }
  std::shared_ptr<serving::Ticket> view_pages(serving::PagesRequest request,
                                              serving::Callback<serving::PageViews> done) override {
    return service_.view_pages(std::move(request), std::move(done));
  }
  std::vector<serving::LoadedInfo> loaded() const override { return service_.loaded(); }
  store::Catalog& catalog() override { return service_.catalog(); }
  std::string version() const override { return service_.version(); }

 private:
  serving::Service& service_;
  Log& log_;
};

}  // namespace pleiad::apps
