#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "api/ollama/route_groups.h"

namespace pleiad::api::ollama {

/// The steps of what has been done, line by line; "success" is the last. Without `stream` that
/// alone.
void respond_with_steps(const Exchange& exchange, bool stream,
                        std::initializer_list<const char*> steps,
                        const std::vector<std::string>& warnings = {});

/// {"status": "success"}, with the warnings where there are some.
Json success_json(const std::vector<std::string>& warnings);

}  // namespace pleiad::api::ollama
