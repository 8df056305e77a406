#pragma once

#include <cstdint>
#include <string>

#include "constrain/automaton.h"
#include "constrain/tokens/item_counts.h"
#include "constrain/tokens/token_trie.h"
#include "text/reply_parser.h"

namespace pleiad::constrain {

/// When the form of a reply begins to count.
enum class Start : std::uint8_t {
  /// With the first token.
  at_once,
  /// With the first token, or where the reply begins with a thought, behind it. Within the
  /// thought every token may come but those that end the reply or open something else.
  after_thought,
  /// The prompt has begun a thought, which the reply goes on with.
  in_thought,
};

/// Where the form of a chat's reply begins, which is read with these options.
Start start_of(const text::ReplyOptions& reply);

struct CountedFinish {
  Result<bool> finished;
  ItemCounts counts;

  /// What was taken for impossible as it could not be counted, in words for the user; empty where
  /// nothing was.
  std::string uncounted() const;
};

/// Finishes the automaton, so that an array whose items differ is only begun where there are enough
/// of them. More `steps` of the machine are not taken to count these.
CountedFinish finish_counted(Automaton& automaton, StateId start,
                             std::uint64_t steps = kMostCountingSteps);

/// Makes the reply what `content` says, with the thought before and the end behind it, and
/// finishes the automaton. `where` begins the message of a Failure. `uncounted` is that of
/// CountedFinish; a Failure says so itself.
Result<bool> finish_reply(Automaton& automaton, const Rule& content, Start start,
                          const TokenTrie& trie, const std::string& where,
                          std::string* uncounted = nullptr);

}  // namespace pleiad::constrain
