#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "apps/bench/bench_model.h"
#include "apps/common/environment.h"
#include "apps/common/model_flags.h"
#include "apps/fit/fit_report.h"
#include "apps/fit/report.h"
#include "bind.h"
#include "calls.h"
#include "check.h"
#include "surroundings.h"
#include "wait.h"

namespace pleiad::python {

namespace nb = nanobind;

namespace {

constexpr std::int64_t kMostTokens = std::int64_t{1} << 30;

std::string fit(const std::vector<std::string>& models, const std::vector<std::string>& types,
                std::int64_t context_length, const std::string& kv_type, int threads,
                std::optional<double> bandwidth, std::optional<double> memory,
                std::optional<double> compute) {
  if (bandwidth.has_value() != memory.has_value()) {
    throw api::RequestError("memory", "of another machine bandwidth and memory are needed, both");
  }
  if (compute && !bandwidth) {
    throw api::RequestError("compute", "is of another machine, whose bandwidth is needed too");
  }
  if (threads != 0 && bandwidth) {
    throw api::RequestError("threads", "another machine is not measured; leave this out");
  }
  apps::FitAsk ask;
  ask.models = models;
  ask.types = types;
  ask.context = within("context_length", context_length, std::int64_t{1}, kMostTokens);
  ask.kv_type = named("kv_type", kv_type, apps::kv_types());
  ask.threads = within("threads", threads, 0, 1024);
  if (bandwidth) ask.bandwidth = within("bandwidth", *bandwidth, 1e-3, 1e9);
  if (memory) ask.memory = within("memory", *memory, 1e-3, 1e9);
  if (compute) ask.compute = within("compute", *compute, 1e-3, 1e9);
  const apps::Environment environment = apps::read_environment();
  const nb::gil_scoped_release release;
  return apps::fit_as_json(apps::fit_report(ask, environment));
}

void check_sizes(const char* field, const std::vector<std::int64_t>& sizes, std::int64_t least,
                 std::int64_t most) {
  for (const std::int64_t size : sizes) within(field, size, least, most);
}

std::string bench(const std::string& model, const std::string& synthetic,
                  const std::vector<std::int64_t>& prompt,
                  const std::vector<std::int64_t>& generate, const std::vector<std::int64_t>& depth,
                  const std::vector<std::int64_t>& batch, const std::vector<std::string>& kv_type,
                  const std::vector<int>& threads, const std::optional<std::string>& online,
                  const std::optional<std::string>& activations, int repetitions,
                  std::uint64_t seed, const std::string& package) {
  apps::BenchAsk ask;
  ask.model = model;
  ask.synthetic = synthetic;
  check_sizes("prompt", prompt, 0, kMostTokens);
  check_sizes("generate", generate, 0, kMostTokens);
  check_sizes("depth", depth, 0, kMostTokens);
  check_sizes("batch", batch, 1, apps::kBenchRows);
  ask.plan.prompts = prompt;
  ask.plan.generations = generate;
  ask.plan.depths = depth;
  ask.plan.batches = batch;
  ask.plan.kv_types.clear();
  for (const std::string& type : kv_type) {
    ask.plan.kv_types.push_back(named("kv_type", type, apps::kv_types()));
  }
  for (const int count : threads) ask.threads.push_back(within("threads", count, 1, 1024));
  if (online) ask.online = online_type_of(*online);
  if (activations) ask.activations = named("activations", *activations, apps::activation_forms());
  ask.run.n_repetitions = within("repetitions", repetitions, 1, 1000);
  ask.run.seed = seed;
  const apps::Environment environment = environment_of(package);

  const nb::gil_scoped_release release;
  SignalWatch signals;
  std::exception_ptr interrupted;
  apps::BenchWatch watch;
  watch.loading = [&](std::uint64_t, std::uint64_t) { signals.look(); };
  watch.loaded = [] {};
  watch.tests.progress = [](const std::string&, std::uint64_t, std::uint64_t) {};
  watch.tests.stop = [&] {
    if (interrupted) return true;
    try {
      signals.look();
    } catch (...) {
      interrupted = std::current_exception();
    }
    return interrupted != nullptr;
  };
  const apps::BenchReport report = apps::bench_model(ask, environment, watch);
  if (interrupted) std::rethrow_exception(interrupted);
  return apps::format_report(report, apps::ReportFormat::json);
}

}  // namespace

void bind_measure(nb::module_& module) {
  module.def("fit", &fit, nb::kw_only(), nb::arg("models"), nb::arg("types"),
             nb::arg("context_length"), nb::arg("kv_type"), nb::arg("threads"),
             nb::arg("bandwidth").none(), nb::arg("memory").none(), nb::arg("compute").none(),
             nb::call_guard<Call>());
  module.def("bench", &bench, nb::kw_only(), nb::arg("model"), nb::arg("synthetic"),
             nb::arg("prompt"), nb::arg("generate"), nb::arg("depth"), nb::arg("batch"),
             nb::arg("kv_type"), nb::arg("threads"), nb::arg("online").none(),
             nb::arg("activations").none(), nb::arg("repetitions"), nb::arg("seed"),
             nb::arg("package"), nb::call_guard<Call>());
}

}  // namespace pleiad::python
