#include "apps/verify/verify_store.h"

#include <fmt/format.h>

#include "apps/common/interrupt.h"
#include "apps/common/output.h"
#include "apps/common/progress_bar.h"
#include "base/json.h"
#include "base/text_format.h"
#include "store/check_store.h"

namespace pleiad::apps {
namespace {

std::string counted(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", format_count(n), what, n == 1 ? "" : "s");
}

std::string text_of(const store::StoreReport& report, const std::filesystem::path& store) {
  std::string text;
  for (const std::string& problem : report.problems) text += problem + "\n";
  return text + fmt::format("{}: {}, {} with {}: {}\n", printable(store.string(), 400),
                            counted(report.n_models, "model"), counted(report.n_blobs, "file"),
                            format_bytes(report.bytes),
                            report.problems.empty() ? "all of them are what their names say"
                                                    : counted(report.problems.size(), "problem"));
}

std::string json_of(const store::StoreReport& report, const std::filesystem::path& store) {
  return to_text({{"store", store.string()},
                  {"models", report.n_models},
                  {"files", report.n_blobs},
                  {"bytes", report.bytes},
                  {"problems", report.problems}},
                 2) +
         "\n";
}

}  // namespace

int verify_store(const Environment& environment, bool json) {
  const InterruptGuard guard;
  InterruptGuard::clear();
  try {
    ProgressBar bar("reading", ProgressBar::Unit::bytes, true);
    const store::StoreReport report =
        store::check_store(environment.own_models, [&](std::uint64_t done, std::uint64_t total) {
          InterruptGuard::throw_if_pressed();
          bar.update(done, total);
        });
    bar.clear();
    print(json ? json_of(report, environment.own_models) : text_of(report, environment.own_models));
    return report.problems.empty() ? 0 : 1;
  } catch (const Interrupted&) {
    print_note("pleiad: stopped\n");
    return InterruptGuard::exit_status();
  }
}

}  // namespace pleiad::apps
