#pragma once

#include <cstdint>
#include <string>

namespace pleiad::apps {

/// The names of the family that can be pulled from Ollama's library, with their sizes as they are
/// predicted, and whether they fit into so much memory: a table.
std::string remote_text(std::uint64_t memory_bytes);

/// The names alone, one a line.
std::string remote_names();

/// {"models": [{"name", "member", "type", "size", "memory", "fit", "about"}]}
std::string remote_json(std::uint64_t memory_bytes);

}  // namespace pleiad::apps
