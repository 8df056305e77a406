// pleiad bench --server: how fast a server is, and whether such numbers can be believed.

#include "apps/bench/server_bench.h"

#include <fmt/ranges.h>

#include <memory>
#include <random>

#include "apps/bench/progress.h"
#include "apps/common/interrupt.h"
#include "apps/common/output.h"
#include "apps/common/version.h"
#include "base/error.h"
#include "base/output_file.h"
#include "base/text_format.h"
#include "server_bench/protocol.h"
#include "server_bench/report.h"

namespace pleiad::apps {
namespace {

constexpr int kLeastRuns = 3;
std::int64_t parse_tokens(const std::string& digits, const std::string& shape) {
  constexpr std::int64_t kMost = 1'000'000;
  const bool is_number = !digits.empty() && digits.size() < 9 &&
                         digits.find_first_not_of("0123456789") == std::string::npos;
  const std::int64_t tokens = is_number ? std::stoll(digits) : 0;
  if (tokens < 1 || tokens > kMost) {
    throw Error("--shapes: expected two numbers from 1 to {} as in 26:256, found \"{}\"", kMost,
                printable(shape));
  }
  return tokens;
}

server_bench::Shape parse_shape(const std::string& shape) {
  const std::size_t colon = std::min(shape.find(':'), shape.size());
  return {parse_tokens(shape.substr(0, colon), shape),
          parse_tokens(colon < shape.size() ? shape.substr(colon + 1) : "", shape)};
}

std::uint64_t any_seed() {
  std::random_device device;
  return device();  // 32 bits: short enough to be typed again
}

server_bench::Plan plan_of(const ServerFlags& flags) {
  server_bench::Plan plan;
  if (!flags.shapes.empty()) plan.shapes.clear();
  for (const std::string& shape : flags.shapes) plan.shapes.push_back(parse_shape(shape));
  plan.n_runs = flags.n_runs.value_or(kLeastRuns);
  if (plan.n_runs < kLeastRuns) {
    throw Error("--repetitions: a server is measured at least {} times, found {}", kLeastRuns,
                plan.n_runs);
  }
  plan.n_parallel = flags.parallel;
  plan.seed = flags.seed.value_or(any_seed());
  plan.fresh_seed = (std::uint64_t{any_seed()} << 32) | any_seed();
  plan.context_length = flags.context;
  plan.unloads = !flags.keep_loaded;
  return plan;
}

/// What was asked for, or the only one that there is.
std::vector<std::string> models_of(const ServerFlags& flags, server_bench::Server& server) {
  if (!flags.models.empty()) return flags.models;
  const std::vector<std::string> all = server.models();
  if (all.size() == 1) return all;
  throw Error("--model is needed; {} has {}", server.address(),
              all.empty() ? "no models" : fmt::format("{}", fmt::join(all, ", ")));
}

std::string report_text(const server_bench::ServerReport& report, ReportFormat format) {
  switch (format) {
    case ReportFormat::json:
      return server_bench::report_as_json(report);
    case ReportFormat::csv:
      return server_bench::report_as_csv(report);
    case ReportFormat::markdown:
      return server_bench::report_as_text(report, true);
    case ReportFormat::table:
      break;
  }
  return server_bench::report_as_text(report, false);
}

/// Measures into `report` until all is done, a model fails or Ctrl-C is pressed.
void measure_models(const std::vector<std::string>& models, server_bench::Server& server,
                    const server_bench::Plan& plan, server_bench::ServerReport& report) {
  BenchProgress progress;
  server_bench::Observer observer;
  observer.progress = [&](const std::string& what, std::uint64_t done, std::uint64_t total) {
    progress.update(what, done, total);
  };
  try {
    for (const std::string& model : models) {
      report.models.emplace_back().model = model;
      server_bench::measure(server, plan, observer, report.models.back());
    }
  } catch (const server_bench::Stopped&) {
    report.interrupted = true;
  } catch (const Error& error) {
    // What was measured before is told all the same, if there is something.
    if (report.models.front().rows.empty()) throw;
    report.models.back().failure = error.what();
  }
}

}  // namespace

int run_server_bench(const ServerFlags& flags, const Environment& environment) {
  server_bench::Plan plan = plan_of(flags);
  server_bench::Peer peer;
  peer.address = server_bench::server_address(flags.url);
  peer.api_key = flags.api_key;
  const auto key = environment.variables.find("PLEIAD_API_KEY");
  if (peer.api_key.empty() && key != environment.variables.end()) peer.api_key = key->second;
  peer.certificates = environment.certificates;
  peer.patience_seconds = flags.patience_seconds;
  peer.stop = &InterruptGuard::pressed;
  std::unique_ptr<OutputFile> chart;  // opened now: a path that is no good is told before
  if (!flags.chart.empty()) chart = std::make_unique<OutputFile>(flags.chart);

  const InterruptGuard guard;
  server_bench::ServerReport report;
  report.program = version_text(environment.isa);
  report.address = peer.address;
  report.local = server_bench::is_local(peer.address);
  report.seed = plan.seed;
  try {
    server_bench::Server server =
        server_bench::Server::connect(server_bench::http_connection(peer), flags.api);
    report.server = server.info();
    measure_models(models_of(flags, server), server, plan, report);
  } catch (const server_bench::Stopped&) {
    return InterruptGuard::exit_status();
  }
  print(report_text(report, flags.format));
  if (chart) {
    const std::string svg = server_bench::report_as_chart(report);
    chart->write(std::as_bytes(std::span(svg)));
    chart->finish();
  }
  if (report.interrupted) return InterruptGuard::exit_status();
  const std::string& failure = report.models.back().failure;
  if (!failure.empty()) throw Error("{}", failure);
  return 0;
}

}  // namespace pleiad::apps
