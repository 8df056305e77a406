#pragma once

#include <string>

#include "backend/cpu/huge_page_use.h"

namespace pleiad::apps {

/// "1.4 GB in huge pages", or how much of it and why not more; "" where there is
/// nothing to tell of.
std::string weights_text(const cpu::HugePageUse& weights);

}  // namespace pleiad::apps
