#pragma once

#include <functional>
#include <string>

#include "apps/common/environment.h"
#include "store/model_entry.h"

namespace pleiad::apps {

/// As find_model_entry(). Where no such model is at hand but its name is one that can be pulled: at
/// a terminal it is offered and, if that is wanted, fetched; elsewhere the Error names the command
/// that fetches it. Throws Interrupted where Ctrl-C stopped that. `ask` as TransferWishes has it.
store::ModelEntry find_or_pull(const std::string& argument, const Environment& environment,
                               const std::function<bool(const std::string&)>& ask = {});

}  // namespace pleiad::apps
