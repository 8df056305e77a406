#include "apps/serve/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <mutex>

#include "base/os/resident_memory.h"

namespace pleiad::apps {
namespace {

using prometheus::Histogram;

const Histogram::BucketBoundaries kWaits = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
                                            2.5,   5,    10,    25,   50,  100,  250};
const Histogram::BucketBoundaries kGaps = {0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.04, 0.06,
                                           0.08,  0.1,    0.15,  0.2,  0.3,  0.5,  1,    2.5};

template <typename Builder>
auto& family(Builder builder, prometheus::Registry& registry, const char* name, const char* help) {
  return builder.Name(name).Help(help).Register(registry);
}

}  // namespace

struct Metrics::Families {
  prometheus::Registry registry;

  template <typename T>
  using Family = prometheus::Family<T>;
  Family<prometheus::Counter>& counter(const char* name, const char* help) {
    return family(prometheus::BuildCounter(), registry, name, help);
  }
  Family<prometheus::Gauge>& gauge(const char* name, const char* help) {
    return family(prometheus::BuildGauge(), registry, name, help);
  }
  Family<Histogram>& histogram(const char* name, const char* help) {
    return family(prometheus::BuildHistogram(), registry, name, help);
  }

  Family<prometheus::Counter>& requests =
      counter("pleiad_http_requests_total", "Finished requests by route, method and status");
  Family<Histogram>& request_seconds = histogram(
      "pleiad_http_request_seconds", "Time from a request's head to the end of its answer");
  Family<prometheus::Counter>& tokens = counter(
      "pleiad_tokens_total",
      "Tokens by kind: evaluated, cached (of prompts), generated, and dropped (of calls that were "
      "sampled again)");
  Family<prometheus::Counter>& answers = counter(
      "pleiad_answers_total", "Answers by how they ended: stop, length, cancelled or an error");
  Family<prometheus::Counter>& prompts =
      counter("pleiad_prompts_total", "Prompts by whether the cache held a part of them");
  Family<Histogram>& first_token = histogram("pleiad_time_to_first_token_seconds",
                                             "From a request to the first token of its answer");
  Family<prometheus::Counter>& forced_tokens =
      counter("pleiad_forced_tokens_total", "Of the generated tokens, those that nobody chose");
  Family<prometheus::Counter>& saved_steps =
      counter("pleiad_saved_steps_total", "Steps that forced tokens would have taken one by one");
  Family<Histogram>& between_tokens =
      histogram("pleiad_time_between_tokens_seconds", "Between two tokens of one answer");
  Family<Histogram>& queue_seconds =
      histogram("pleiad_queue_seconds", "Time that requests waited for their first step");
  Family<prometheus::Counter>& pictures =
      counter("pleiad_pictures_total",
              "Pictures of prompts, frames of videos too: encoded, or cached (what was made of "
              "them)");
  Family<prometheus::Counter>& encode_seconds =
      counter("pleiad_picture_encode_seconds_total", "Time for the pictures that were encoded");
  Family<prometheus::Counter>& sounds =
      counter("pleiad_sounds_total",
              "Clips of sound in prompts: encoded, or cached (what was made of them)");
  Family<prometheus::Counter>& sound_seconds =
      counter("pleiad_sound_encode_seconds_total", "Time for the clips of sound that were encoded");
  Family<prometheus::Counter>& loads =
      counter("pleiad_model_loads_total", "Models loaded, by outcome");
  Family<Histogram>& load_seconds = histogram("pleiad_model_load_seconds", "Time to load a model");

  Family<prometheus::Gauge>& running = gauge("pleiad_answers_running", "Answers being generated");
  Family<prometheus::Gauge>& waiting = gauge("pleiad_answers_waiting", "Requests in the queue");
  Family<prometheus::Gauge>& kv_bytes =
      gauge("pleiad_kv_bytes", "Keys and values: limit, running and cached");
  Family<prometheus::Gauge>& evicted =
      gauge("pleiad_kv_evicted_pages", "Cached pages given up since the model was loaded");
  Family<prometheus::Gauge>& read_idly =
      gauge("pleiad_idle_tokens",
            "Tokens of conversations that had ended, read into the cache while nothing else was to "
            "do, since the model was loaded");
  Family<prometheus::Gauge>& encoded_bytes =
      gauge("pleiad_encoded_pictures_bytes",
            "Encoded pictures and clips of sound that are kept: limit and kept");
  Family<prometheus::Gauge>& encode_stall =
      gauge("pleiad_picture_stall_seconds",
            "Longest wait of running answers for a part of a picture, or of sound, since the model "
            "was loaded");
  Family<prometheus::Gauge>& model_bytes =
      gauge("pleiad_model_memory_bytes", "Memory of a loaded model");
  prometheus::Gauge& connections = gauge("pleiad_http_connections", "Open connections").Add({});
  prometheus::Gauge& resident =
      gauge("pleiad_resident_memory_bytes", "Resident memory of the process").Add({});
  std::mutex gauges;  // of the models; set anew for each reading

  void set_model_gauges(const serving::LoadedInfo& info) {
    const prometheus::Labels model = {{"model", info.entry.name}};
    running.Add(model).Set(static_cast<double>(info.engine.running));
    waiting.Add(model).Set(static_cast<double>(info.engine.waiting));
    evicted.Add(model).Set(static_cast<double>(info.engine.cache_evicted_pages));
    read_idly.Add(model).Set(static_cast<double>(info.engine.tokens_read_idly));
    model_bytes.Add(model).Set(static_cast<double>(info.memory_bytes));
    const auto kv = [&](const char* kind, std::uint64_t bytes) {
      kv_bytes.Add({{"model", info.entry.name}, {"kind", kind}}).Set(static_cast<double>(bytes));
    };
    kv("limit", info.engine.kv_bytes_limit);
    kv("running", info.engine.kv_bytes_running);
    kv("cached", info.engine.kv_bytes_cached);
    encode_stall.Add(model).Set(info.engine.longest_encode_stall);
    const auto encoded = [&](const char* kind, std::uint64_t bytes) {
      encoded_bytes.Add({{"model", info.entry.name}, {"kind", kind}})
          .Set(static_cast<double>(bytes));
    };
    encoded("limit", info.engine.encodings_bytes_limit);
    encoded("kept", info.engine.encodings_bytes);
  }

  /// A model that was unloaded has no gauges any more.
  void forget_model_gauges(const std::vector<serving::LoadedInfo>& known) {
    for (const serving::LoadedInfo& info : known) {
      const prometheus::Labels model = {{"model", info.entry.name}};
      for (Family<prometheus::Gauge>* one :
           {&running, &waiting, &evicted, &read_idly, &model_bytes, &encode_stall}) {
        one->Remove(&one->Add(model));
      }
      for (const char* kind : {"limit", "running", "cached"}) {
        kv_bytes.Remove(&kv_bytes.Add({{"model", info.entry.name}, {"kind", kind}}));
      }
      for (const char* kind : {"limit", "kept"}) {
        encoded_bytes.Remove(&encoded_bytes.Add({{"model", info.entry.name}, {"kind", kind}}));
      }
    }
  }
};

Metrics::Metrics() : families_(std::make_unique<Families>()) {}
Metrics::~Metrics() = default;

void Metrics::request_finished(const http::AccessRecord& record) {
  // The pattern, not the path: a client must not be able to make new series.
  const std::string route = record.route.empty() ? "none" : record.route;
  families_->requests
      .Add({{"route", route},
            {"method", record.route.empty() ? "any" : record.method},
            {"status", std::to_string(record.status)}})
      .Increment();
  families_->request_seconds.Add({{"route", route}}, kWaits).Observe(record.seconds);
}

void Metrics::first_token(const std::string& model, double seconds_since_request) {
  families_->first_token.Add({{"model", model}}, kWaits).Observe(seconds_since_request);
}

void Metrics::token_gap(const std::string& model, double seconds) {
  families_->between_tokens.Add({{"model", model}}, kGaps).Observe(seconds);
}

void Metrics::answer_finished(const serving::ServingObserver::Finished& answer) {
  // Names that no model has are whatever a client sent: one series for all of them.
  const std::string model = answer.model.empty() ? "none" : answer.model;
  families_->answers.Add({{"model", model}, {"outcome", answer.outcome}}).Increment();
  const GenerationStats& stats = answer.stats;
  if (stats.prompt_tokens == 0) return;  // it never came to a step
  families_->prompts.Add({{"model", model}, {"cache", stats.cached_tokens > 0 ? "hit" : "miss"}})
      .Increment();
  families_->queue_seconds.Add({{"model", model}}, kWaits).Observe(answer.queue_seconds);
  const auto count = [&](const char* kind, std::int64_t n) {
    families_->tokens.Add({{"model", model}, {"kind", kind}}).Increment(static_cast<double>(n));
  };
  count("evaluated", stats.evaluated_tokens());
  count("cached", stats.cached_tokens);
  count("generated", stats.generated_tokens);
  if (stats.dropped_tokens > 0) count("dropped", stats.dropped_tokens);
  families_->forced_tokens.Add({{"model", model}})
      .Increment(static_cast<double>(stats.forced_tokens));
  families_->saved_steps.Add({{"model", model}}).Increment(static_cast<double>(stats.saved_steps));
  const auto count_media = [&](auto& numbers, auto& seconds, const EncodeStats& of) {
    const auto add = [&](const char* kind, std::int64_t n) {
      if (n == 0) return;
      numbers.Add({{"model", model}, {"kind", kind}}).Increment(static_cast<double>(n));
    };
    add("encoded", of.encoded);
    add("cached", of.cached);
    if (of.seconds > 0) seconds.Add({{"model", model}}).Increment(of.seconds);
  };
  count_media(families_->pictures, families_->encode_seconds, stats.media.pictures);
  count_media(families_->sounds, families_->sound_seconds, stats.media.sounds);
}

void Metrics::load_finished(const std::string& model, double seconds, bool ok) {
  families_->loads.Add({{"model", model}, {"outcome", ok ? "ok" : "failed"}}).Increment();
  if (ok) families_->load_seconds.Add({{"model", model}}, kWaits).Observe(seconds);
}

std::string Metrics::text(const std::vector<serving::LoadedInfo>& loaded,
                          std::size_t open_connections) {
  const std::lock_guard guard(families_->gauges);
  for (const serving::LoadedInfo& info : loaded) families_->set_model_gauges(info);
  families_->connections.Set(static_cast<double>(open_connections));
  families_->resident.Set(static_cast<double>(os::resident_bytes().value_or(0)));
  std::string text = prometheus::TextSerializer().Serialize(families_->registry.Collect());
  families_->forget_model_gauges(loaded);
  return text;
}

}  // namespace pleiad::apps
