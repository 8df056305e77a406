#pragma once

#include <string>

namespace pleiad::apps {

/// "0.1.0"
std::string program_version();

/// The day of the commit: "2026-11-24".
std::string commit_date();

/// "pleiad 0.1.0 (commit 1a2b3c4d5), instruction set avx512"
std::string version_text(const std::string& forced_isa);

}  // namespace pleiad::apps
