#include "apps/common/version.h"

#include <fmt/format.h>

#include "backend/cpu/isa.h"
#include "commit.h"

namespace pleiad::apps {

std::string program_version() { return PLEIAD_VERSION; }

std::string commit_date() { return PLEIAD_COMMIT_DATE; }

std::string version_text(const std::string& forced_isa) {
  const cpu::Isa isa = cpu::pick_isa(forced_isa);
  return fmt::format("pleiad {} (commit {}), instruction set {}{}", PLEIAD_VERSION, PLEIAD_COMMIT,
                     cpu::name(isa), forced_isa.empty() ? "" : " (forced by PLEIAD_ISA)");
}

}  // namespace pleiad::apps
