#include "apps/serve/program.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <limits>
#include <span>
#include <thread>
#include <utility>

#include "api/anthropic/anthropic_routes.h"
#include "api/common/body_limits.h"
#include "api/common/context.h"
#include "api/ollama/routes.h"
#include "api/openai/openai_routes.h"
#include "api/openapi/openapi.h"
#include "apps/common/catalog.h"
#include "apps/common/version.h"
#include "apps/pull/model_hosts.h"
#include "apps/serve/health.h"
#include "apps/serve/logged_prompts.h"
#include "apps/serve/observer.h"
#include "apps/serve/service_manager.h"
#include "apps/serve/signals.h"
#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/processors.h"
#include "fetch/remote_fetcher.h"
#include "http/server.h"
#include "media/documents/document_reader.h"
#include "media/reader.h"
#include "pull/pull_desk.h"
#include "serving/make_service.h"
#include "web/routes.h"

namespace pleiad::apps {
namespace {

serving::ServiceOptions service_options(const ServeConfig& config, const Environment& environment,
                                        media::MediaReader& reader,
                                        media::DocumentReader& documents,
                                        media::MediaFetcher* fetcher,
                                        serving::ServingObserver& observer) {
  serving::ServiceOptions options;
  options.engine.kv_type = config.kv_type;
  options.engine.context_length = config.context_length;
  options.engine.max_running = config.parallel;
  options.engine.max_waiting = config.max_queue;
  options.engine.kv_bytes = config.kv_bytes;
  options.memory_bytes = config.memory_bytes;
  options.max_loaded_models = config.max_loaded_models;
  options.keep_alive_seconds = config.keep_alive_seconds;
  options.timeout_seconds =
      config.timeout_seconds > 0 ? config.timeout_seconds : std::numeric_limits<double>::infinity();
  if (config.thinking_budget > 0) options.replies.thinking_budget = config.thinking_budget;
  options.replies.repetition_guard = config.repetition_guard;
  options.make_backend = [isa = environment.isa, threads = config.threads,
                          activations = config.activations](std::int64_t max_rows) {
    return std::make_unique<cpu::CpuBackend>(cpu::CpuOptions{isa, threads, max_rows, activations});
  };
  if (config.online) {
    options.online = gemma4::OnlineOptions{
        *config.online, config.threads > 0 ? config.threads : cpu::usable_cores(), true};
  }
  options.media.prepare_picture = [&reader](auto&&... all) {
    return reader.prepare_picture(all...);
  };
  options.media.prepare_sound = [&reader](auto&&... all) { return reader.prepare_sound(all...); };
  options.media.prepare_video = [&reader](auto&&... all) { return reader.prepare_video(all...); };
  options.media.read_document = [&documents](auto&&... all) { return documents.read(all...); };
  options.media.fetcher = fetcher;
  options.observer = &observer;
  options.version = program_version();
  return options;
}

/// Each connection takes a descriptor, and systems allow 1,024 unless asked for more.
std::uint64_t raise_descriptor_limit() {
  constexpr rlim_t kEnough = 65'536;
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  const rlim_t wanted = std::min(limit.rlim_max, kEnough);
  if (limit.rlim_cur < wanted) {
    const rlim_t before = std::exchange(limit.rlim_cur, wanted);
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return before;
  }
  return limit.rlim_cur;
}

/// Some are for model files, sockets that listen and threads, and for connections over
/// the limit that are told so.
std::uint32_t connection_limit(std::uint32_t wanted) {
  constexpr std::uint64_t kOthers = 128;
  const std::uint64_t descriptors = std::max(raise_descriptor_limit(), kOthers + 1);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, descriptors - kOthers));
}

http::ServerOptions server_options(const ServeConfig& config) {
  http::ServerOptions options;
  options.host = config.listen.host;
  options.port = config.listen.port;
  options.limits.body_bytes = api::kNameBodyBytes;  // of routes that do not say
  options.limits.connections = connection_limit(options.limits.connections);
  options.use_keys = config.use_keys;
  options.admin_keys = config.admin_keys;
  options.origins = config.origins;
  options.hosts = config.hosts;
  options.trusted_proxies = config.trusted_proxies;
  options.open_to_others = config.insecure;
  options.limits.connections_per_address = config.connections_per_address;
  return options;
}

/// Null where no hosts are named.
std::unique_ptr<media::MediaFetcher> picture_fetcher(const ServeConfig& config) {
  if (config.media_hosts.empty()) return nullptr;
  return std::make_unique<fetch::RemoteFetcher>(config.media_hosts);
}

/// Of each key: a share, so that no key sees from what it loses how much others store.
std::size_t response_store_bytes(const ServeConfig& config) {
  constexpr std::size_t kAll = 64U << 20;
  constexpr std::size_t kLeast = 4U << 20;
  return std::max(kLeast, kAll / std::max<std::size_t>(1, config.n_keys));
}

/// Null where models are neither pulled nor pushed.
std::unique_ptr<pull::PullDesk> pull_desk(const ServeConfig& config, const ModelHosts& hosts) {
  // Where everybody is let in, anybody could have us ask hosts that he cannot reach.
  if (config.no_pull || (config.insecure && config.n_keys == 0)) return nullptr;
  return std::make_unique<pull::PullDesk>(
      [&hosts](const pull::ModelReference& reference, bool insecure) {
        return hosts.source(reference, insecure);
      },
      [&hosts](const pull::ModelReference& reference, bool insecure) {
        return hosts.destination(reference, insecure);
      });
}

store::CatalogOptions served_catalog(const ServeConfig& config, const Environment& environment) {
  store::CatalogOptions options = catalog_options(environment);
  // Others must not probe our files. Where there are keys, or everybody is let in, a proxy that
  // nobody named may ask for others.
  options.allow_paths = config.listen.loopback && config.trusted_proxies.empty() &&
                        config.n_keys == 0 && !config.insecure;
  return options;
}

}  // namespace

struct ServeProgram::Parts {
  ServeConfig config;
  Log log;
  Metrics metrics;
  ServerObserver observer;
  store::Catalog catalog;
  media::MediaReader reader;
  media::DocumentReader documents;
  std::unique_ptr<media::MediaFetcher> fetcher;  // null: pictures are not fetched
  ModelHosts hosts;
  std::unique_ptr<serving::EndableService> models;
  LoggedPrompts logged;
  Health health;
  ServiceManager manager;
  std::unique_ptr<pull::PullDesk> transfers;  // null: models are neither pulled nor pushed
  WorkPool worker{2, WorkPool::AtEnd::drop};  // nobody is left to answer
  api::IdSource ids;
  api::ApiContext context;
  http::Router router;
  std::unique_ptr<http::Server> server;

  Parts(const ServeConfig& settings, const Environment& environment, const Helpers& helpers)
      : config(settings),
        log(config.log_level, config.log_json),
        observer(log, metrics),
        catalog(served_catalog(config, environment)),
        reader(helpers.media, {}),
        documents(helpers.documents, {}),
        fetcher(picture_fetcher(config)),
        hosts(environment, catalog, {}),
        models(serving::make_service(
            service_options(config, environment, reader, documents, fetcher.get(), observer),
            catalog)),
        logged(*models, log),
        health(*models),
        manager(environment.notify_socket),
        transfers(pull_desk(config, hosts)),
        context{config.log_prompts ? static_cast<serving::Service&>(logged) : *models, worker, ids,
                config.cache_per_key,
                config.strict_fields ? api::SpareFields::refuse : api::SpareFields::tell} {
    context.transfers = transfers.get();
    add_routes();
    server = std::make_unique<http::Server>(
        router, server_options(config),
        [this](const http::AccessRecord& record) { observer.request_finished(record); });
  }

  void add_routes() {
    api::ollama::OllamaOptions ollama;
    ollama.version = config.ollama_version;
    ollama.page = [](http::Request request, std::shared_ptr<http::Exchange> exchange) {
      exchange->respond(web::page(request));
    };
    api::ollama::add_ollama_routes(router, context, ollama);
    api::openai::add_openai_routes(router, context,
                                   {.response_store_bytes = response_store_bytes(config)});
    api::anthropic::add_anthropic_routes(router, context);
    api::add_openapi_route(router);
    web::add_web_routes(router);
    router.add({.method = "GET",
                .pattern = "/health",
                .scope = http::Scope::open,
                .handler = [this](http::Request, std::shared_ptr<http::Exchange> exchange) {
                  exchange->respond(health.answer());
                }});
    router.add({.method = "GET",
                .pattern = "/metrics",
                // Its sums are those of all keys.
                .scope = config.n_keys > 1 ? http::Scope::admin : http::Scope::use,
                .handler = [this](http::Request, std::shared_ptr<http::Exchange> exchange) {
                  http::Response response;
                  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
                  response.body = metrics.text(models->loaded(), server->open_connections());
                  exchange->respond(std::move(response));
                }});
  }

  /// Whether pictures can be read on this machine, and what confines the processes that do.
  void tell_of_pictures() {
    try {
      log.write(Log::Level::debug, "pictures can be read", {{"confined_by", reader.confinement()}});
    } catch (const Error& error) {
      log.write(Log::Level::warn, "pictures will be refused", {{"error", error.what()}});
    }
  }

  /// What the service manager is told changes nothing here.
  template <typename Tell>
  void tell_manager(const Tell& tell) {
    try {
      tell();
    } catch (const Error& error) {
      log.write(Log::Level::warn, "the service manager was not told", {{"error", error.what()}});
    }
  }

  /// Of servers that were killed in the middle of an upload.
  void remove_leftovers() {
    try {
      const store::Leftovers removed = catalog.remove_leftovers();
      if (removed.n_files == 0) return;
      log.write(Log::Level::info, "removed what was half written",
                {{"files", removed.n_files}, {"bytes", removed.bytes}});
    } catch (const Error& error) {
      log.write(Log::Level::warn, "the store was not tidied", {{"error", error.what()}});
    }
  }

  /// Throws store::ModelNotFound where one of them is not there, Error where it cannot be used.
  void look_for(const std::vector<std::string>& names) const {
    for (const std::string& name : names) {
      const Result<store::ModelEntry> found = catalog.find(name);
      if (!found) throw store::ModelNotFound(found.message());
      if (!found.value().problem.empty()) throw Error("{}: {}", name, found.value().problem);
    }
  }

  void load_at_start(const std::vector<std::string>& names,
                     const std::function<void(const std::string& error)>& load_failed) {
    health.expect(static_cast<int>(names.size()));
    for (const std::string& name : names) {
      models->load(name, std::nullopt, [this, name, load_failed](const auto& outcome) {
        const auto* error = std::get_if<serving::ServiceError>(&outcome);
        if (error && error->code != serving::ServiceError::Code::shutting_down) {
          log.write(Log::Level::error, "not loaded", {{"model", name}, {"error", error->message}});
          load_failed(fmt::format("{}: {}", name, error->message));
        }
        health.settled();
      });
    }
  }

  void stop(double grace_seconds) {
    health.shut_down();
    if (transfers) transfers->stop();  // resumable, and nothing to wait for
    server->stop(grace_seconds);
    models->shutdown(0);
  }

  /// Stops within the grace period, or at once after another signal.
  void shut_down(const StopSignals& signals) {
    std::atomic<bool> done = false;
    std::thread waiting([&] {
      stop(config.grace_seconds);
      done = true;
    });
    constexpr double kLook = 0.05;
    while (!done) {
      if (signals.wait_for(kLook) == 0) continue;
      log.write(Log::Level::warn, "stopping at once");
      server->stop(0);
      models->shutdown(0);
      break;
    }
    waiting.join();
  }
};

ServeProgram::ServeProgram(const ServeConfig& config, const Environment& environment,
                           const Helpers& helpers)
    : parts_(std::make_unique<Parts>(config, environment, helpers)) {
  for (const std::string& name : unused_variables(environment.variables)) {
    parts_->log.write(Log::Level::warn, "this variable means nothing here", {{"variable", name}});
  }
}

ServeProgram::~ServeProgram() = default;

void ServeProgram::start(const std::vector<std::string>& models,
                         const std::function<void(const std::string& error)>& load_failed) {
  Parts& parts = *parts_;
  parts.look_for(models);
  parts.remove_leftovers();
  parts.server->start();
  parts.log.write(Log::Level::info, "listening",
                  {{"address", parts.server->address()}, {"version", program_version()}});
  parts.worker.post([&parts] { parts.tell_of_pictures(); });
  parts.load_at_start(models, load_failed);
}

bool ServeProgram::is_ready() const { return parts_->health.is_ready(); }

std::string ServeProgram::address() const { return parts_->server->address(); }

void ServeProgram::stop(double grace_seconds) { parts_->stop(grace_seconds); }

int ServeProgram::run(const std::vector<std::string>& models, const StopSignals& signals) {
  Parts& parts = *parts_;
  // Who asks for a model at the start means to serve it: where it cannot be loaded, all ends.
  std::atomic<bool> load_failed = false;
  start(models, [&load_failed](const std::string& /*error*/) {
    load_failed = true;
    ::kill(::getpid(), SIGTERM);
  });
  parts.tell_manager([&parts] { parts.manager.ready(parts.server->address()); });
  const int signal = signals.wait();
  if (load_failed) {
    parts.log.write(Log::Level::info, "stopping", {{"reason", "a model was not loaded"}});
  } else {
    parts.log.write(Log::Level::info, "stopping",
                    {{"signal", signal == SIGTERM ? "SIGTERM" : "SIGINT"},
                     {"grace_s", parts.config.grace_seconds}});
  }
  parts.tell_manager([&parts] { parts.manager.stopping(parts.config.grace_seconds); });
  parts.shut_down(signals);
  parts.log.write(Log::Level::info, "stopped");
  return load_failed ? 1 : 0;
}

}  // namespace pleiad::apps
