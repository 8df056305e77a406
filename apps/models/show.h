#pragma once

#include <string>

#include "store/model_entry.h"

namespace pleiad::apps {

/// What is known of a model, for people.
std::string show_text(const store::ModelEntry& entry);

/// One parameter a line: name and value.
std::string parameters_text(const store::Recipe& recipe);

/// All licenses, with an empty line between them.
std::string licenses_text(const store::Recipe& recipe);

}  // namespace pleiad::apps
