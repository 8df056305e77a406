#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "api/ollama/errors.h"
#include "api/ollama/manage_request.h"
#include "api/ollama/model_json.h"
#include "api/ollama/route_groups.h"
#include "store/file_facts.h"

namespace pleiad::api::ollama {
namespace {

void tags(ApiContext& context, Exchange exchange) {
  on_worker(context, exchange, [&context, exchange] {
    Json models = Json::array();
    for (const store::ModelEntry& entry : context.service.catalog().list()) {
      models.push_back(tag_json(entry));
    }
    exchange->respond(json_response({{"models", std::move(models)}}));
  });
}

/// Answers with whole vocabularies that are made, or that clients have not taken yet: each is
/// some megabytes.
class LargeAnswers {
 public:
  /// Counts as one while it lives; null where there are as many as may be.
  std::shared_ptr<void> take() {
    if (count_->fetch_add(1) < kMost) {
      return {count_.get(), [count = count_](void*) { count->fetch_sub(1); }};
    }
    count_->fetch_sub(1);
    return nullptr;
  }

 private:
  static constexpr int kMost = 4;
  std::shared_ptr<std::atomic<int>> count_ = std::make_shared<std::atomic<int>>(0);
};

struct ShowRequest {
  NameBody body;
  bool of_copilot = false;
  std::shared_ptr<void> turn = {};  // of LargeAnswers, while it is worked on
};

bool is_of_copilot(const http::Request& request) {
  return request.header("user-agent").value_or("").starts_with("GitHubCopilotChat/");
}

/// Where the file is, is told where paths may be given; elsewhere the name stands for it.
std::string modelfile_of(ApiContext& context, store::ModelEntry entry) {
  if (!context.service.catalog().allows_paths()) {
    entry.path = entry.name;
    entry.projector.clear();
  }
  return store::to_modelfile(entry);
}

void show(ApiContext& context, ShowRequest request, Exchange exchange) {
  on_worker(context, exchange, [&context, exchange, request = std::move(request)] {
    if (exchange->gone()) return;
    const std::string& model = request.body.model;
    const auto entry = context.service.catalog().find(model);
    if (!entry) return exchange->respond(not_found(model, entry.message()));
    store::FileFacts facts = store::file_facts(entry.value(), request.body.verbose);
    // It shows the user this one, and people know a model by the name they gave it.
    if (request.of_copilot) facts.metadata["general.basename"] = model;
    exchange->respond(json_response(show_json(entry.value(), modelfile_of(context, entry.value()),
                                              std::move(facts), request.body.warnings)));
  });
}

/// The same with all that is long.
void show_all(ApiContext& context, LargeAnswers& large, ShowRequest request,
              const Exchange& exchange) {
  request.turn = large.take();
  if (!request.turn) {
    serving::ServiceError busy;
    busy.code = serving::ServiceError::Code::busy;
    busy.message = "other answers with \"verbose\" are not taken yet";
    return exchange->respond(error_response(busy, request.body.model));
  }
  exchange->on_gone([turn = request.turn] {});  // let go of when the answer is out, or nobody's
  show(context, std::move(request), exchange);
}

}  // namespace

void add_model_routes(Routes& routes, ApiContext& context) {
  routes.push_back({"GET", "/api/tags", http::Scope::use,
                    [&context](const http::Request& /*request*/, Exchange exchange) {
                      tags(context, std::move(exchange));
                    }});
  routes.push_back({"POST", "/api/show", http::Scope::use,
                    [&context, large = std::make_shared<LargeAnswers>()](
                        const http::Request& request, const Exchange& exchange) {
                      ShowRequest wanted{parse_name(request.body), is_of_copilot(request)};
                      if (wanted.body.verbose) {
                        return show_all(context, *large, std::move(wanted), exchange);
                      }
                      show(context, std::move(wanted), exchange);
                    }});
  routes.push_back({"GET", "/api/ps", http::Scope::use,
                    [&context](const http::Request& /*request*/, const Exchange& exchange) {
                      exchange->respond(
                          json_response(loaded_json(context.service.loaded(), context.now())));
                    }});
}

}  // namespace pleiad::api::ollama
