#pragma once

#include <cstdint>
#include <span>

namespace pleiad {

/// What one running sequence has of the memory for keys and values, and may ask for.
/// In bytes; 0 <= alone <= held <= promised <= most.
struct MemoryClaim {
  std::uint64_t held = 0;      // its pages, those that it shares too
  std::uint64_t alone = 0;     // of these, what becomes free when it ends
  std::uint64_t promised = 0;  // it may take so much without asking
  std::uint64_t most = 0;      // all that it could ever need
};

/// Whether all running sequences can be served to their ends, in some order, without
/// any of them being stopped: one has room for all that it could need, the next has it
/// once the first gave back what it held, and so on. As long as this is so, there
/// is always one that can go on, whatever the others wait for.
///
/// `in_use` is what sequences hold, shared pages counted once. What is cached does not
/// count: it gives way.
bool can_all_finish(std::uint64_t limit, std::uint64_t in_use, std::span<const MemoryClaim> claims);

}  // namespace pleiad
