#include "apps/pull/pull_model.h"

#include <fmt/format.h>

#include "apps/common/catalog.h"
#include "apps/common/confirm.h"
#include "apps/common/interrupt.h"
#include "apps/common/output.h"
#include "apps/common/usage_error.h"
#include "apps/pull/fit_verdict.h"
#include "apps/pull/model_hosts.h"
#include "apps/pull/offer_text.h"
#include "apps/pull/transfer_bars.h"
#include "base/available_memory.h"
#include "base/error.h"
#include "base/text_format.h"
#include "pull/transfer_json.h"

namespace pleiad::apps {
namespace {

const pull::Stop kInterrupted = [] { return InterruptGuard::pressed(); };

void print_json(const Json& json) { print(to_text(json) + "\n"); }

bool asks(const TransferWishes& wishes, const pull::Offer& offer) {
  return !wishes.yes && !wishes.quiet && !wishes.json && offer.at_hand() < offer.bytes() &&
         can_ask();
}

/// Shows how far a transfer is, in the form that was asked for.
class TransferReport {
 public:
  TransferReport(const TransferWishes& wishes, const Environment& environment,
                 const std::vector<pull::OfferedFile>& files)
      : json_(wishes.json),
        bars_(files, !wishes.json && !wishes.quiet, !environment.dumb_terminal) {}

  pull::ProgressSink sink() {
    return [this](const pull::Progress& progress) {
      bars_.update(progress);
      if (json_) print_line(progress);
    };
  }

  /// "1.2 GB of 7.2 GB"; empty where nothing has come.
  std::string so_far() const {
    if (bars_.completed() == 0) return {};
    return fmt::format("{} of {}", format_bytes(bars_.completed()), format_bytes(bars_.total()));
  }
  void clear() { bars_.clear(); }

 private:
  /// A sink must not throw: a reader that has gone away stops nothing but the lines.
  void print_line(const pull::Progress& progress) {
    try {
      print_json(pull::progress_json(progress));
    } catch (const Error&) {
      json_ = false;
    }
  }

  bool json_;
  TransferBars bars_;
};

[[noreturn]] void fail(const TransferWishes& wishes, const std::string& message) {
  if (wishes.json) print_json({{"error", message}});
  throw Error("{}", message);
}

Transferred stopped(const TransferWishes& wishes, const std::string& kept) {
  if (wishes.json) print_json({{"status", "stopped"}});
  print_note(kept.empty() ? "pleiad: stopped\n"
                          : fmt::format("pleiad: stopped; {} are kept, and the same command goes "
                                        "on from there\n",
                                        kept));
  return {Transferred::End::stopped, {}};
}

void say_offer(const TransferWishes& wishes, const pull::Offer& offer) {
  if (wishes.quiet) return;
  const FitVerdict verdict = judge_offer(offer, available_memory());
  if (wishes.json) return print_json(offer_json(offer, verdict));
  print_note(offer_text(offer, verdict));
}

}  // namespace

int Transferred::exit_status() const {
  return end == End::stopped ? InterruptGuard::exit_status() : end == End::done ? 0 : 1;
}

pull::ModelReference parse_remote_name(const std::string& text) {
  auto reference = pull::ModelReference::parse(text);
  if (!reference) throw UsageError("{}", reference.message());
  if (reference.value().place != pull::Place::path) return std::move(reference).value();
  throw UsageError(
      "'{}' is a path, which is nothing to pull or push; expected a name as gemma4:e2b, "
      "hf.co/USER/REPOSITORY or HOST/USER/MODEL",
      printable(text));
}

Transferred pull_model(const pull::ModelReference& reference, const TransferWishes& wishes,
                       const Environment& environment) {
  if (reference.text() == "demo:latest") {
    throw UsageError("'demo' comes with pleiad, and there is nothing to pull: `pleiad run demo`");
  }
  const InterruptGuard guard(InterruptGuard::Signals::ending);
  InterruptGuard::clear();
  store::Catalog catalog(catalog_options(environment));
  const ModelHosts hosts(environment, catalog, wishes.insecure_hosts);
  auto source = hosts.source(reference, false);
  if (!source) fail(wishes, source.message());
  if (wishes.json) print_json({{"status", "pulling manifest"}});
  const auto offer = source.value()->offer(reference, kInterrupted);
  if (InterruptGuard::pressed()) return stopped(wishes, {});
  if (!offer) fail(wishes, offer.message());
  say_offer(wishes, offer.value());
  if (asks(wishes, offer.value()) && !(wishes.ask ? wishes.ask : confirmed)("Pull it?")) {
    if (InterruptGuard::pressed()) return stopped(wishes, {});
    print_note("pleiad: nothing was pulled\n");
    return {Transferred::End::declined, {}};
  }
  TransferReport report(wishes, environment, offer.value().files);
  const auto result = source.value()->fetch(offer.value(), report.sink(), kInterrupted);
  report.clear();
  if (!result && InterruptGuard::pressed()) return stopped(wishes, report.so_far());
  if (!result) fail(wishes, result.message());
  const std::string& name = result.value().name;
  if (wishes.json) {
    print_json({{"status", "success"}, {"name", name}, {"left_out", result.value().left_out}});
  } else if (wishes.quiet) {
    print(name + "\n");
  } else {
    print_note(fmt::format("'{}' is at hand\n{}", printable(name, 300),
                           left_out_text(result.value(), offer.value())));
  }
  return {Transferred::End::done, name};
}

Transferred push_model(const std::string& model, const pull::ModelReference& reference,
                       const TransferWishes& wishes, const Environment& environment) {
  const InterruptGuard guard(InterruptGuard::Signals::ending);
  InterruptGuard::clear();
  store::Catalog catalog(catalog_options(environment));
  const auto entry = catalog.find(model);
  if (!entry) fail(wishes, entry.message());
  if (!entry.value().problem.empty()) fail(wishes, entry.value().problem);
  const ModelHosts hosts(environment, catalog, wishes.insecure_hosts);
  const auto destination = hosts.destination(reference, false);
  if (!destination) fail(wishes, destination.message());
  if (!wishes.json && !wishes.quiet) {
    print_note(fmt::format("{} to {} as {}\n", printable(entry.value().name, 300),
                           printable(reference.host()), printable(reference.text(), 300)));
  }
  TransferReport report(wishes, environment, {});
  const auto pushed =
      destination.value()->push(entry.value(), reference, report.sink(), kInterrupted);
  report.clear();
  if (!pushed && InterruptGuard::pressed()) return stopped(wishes, {});
  if (!pushed) fail(wishes, pushed.message());
  if (wishes.json) {
    print_json({{"status", "success"}});
  } else if (wishes.quiet) {
    print(reference.text() + "\n");
  } else {
    print_note(fmt::format("pushed as '{}'\n", printable(reference.text(), 300)));
  }
  return {Transferred::End::done, reference.text()};
}

}  // namespace pleiad::apps
