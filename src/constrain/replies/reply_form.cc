#include "constrain/replies/reply_form.h"

#include <fmt/format.h>

namespace pleiad::constrain {

using text::Tag;

namespace {

constexpr const char* kUncounted =
    " (or an array whose items differ has enough of them, but these take too many steps to count)";

}  // namespace

Start start_of(const text::ReplyOptions& reply) {
  if (reply.started_in_thinking) return Start::in_thought;
  if (!reply.begun.empty()) return Start::at_once;  // the time for a thought is over
  return reply.thinking_enabled ? Start::after_thought : Start::at_once;
}

std::string CountedFinish::uncounted() const { return counts.gave_up ? kUncounted : ""; }

CountedFinish finish_counted(Automaton& automaton, StateId start, std::uint64_t steps) {
  CountedFinish out{automaton.finish(start), {}};
  if (!out.finished) return out;
  out.counts = forbid_short_of_items(automaton, steps);
  if (out.counts.forbade_some) out.finished = automaton.finish(start);
  return out;
}

Result<bool> finish_reply(Automaton& automaton, const Rule& content, Start start,
                          const TokenTrie& trie, const std::string& where, std::string* uncounted) {
  const StateId begin = automaton.add_state();
  const StateId behind = automaton.add_state();
  const StateId end = automaton.add_state();
  automaton.add_call(begin, content, behind);
  automaton.add_edge(behind, kEnd, end);
  automaton.add_edge(end, kEnd, end);  // whoever asks further gets the same answer
  automaton.set_final(end);
  StateId first = begin;
  if (start != Start::at_once && trie.has(Tag::channel_open) && trie.has(Tag::channel_close)) {
    const StateId thought = automaton.add_state();
    automaton.add_edge(thought, Edge{.first = 0, .last = 0xFF, .target = thought});
    automaton.add_edge(thought, symbol_of(Tag::quote), thought);
    automaton.add_edge(thought, symbol_of(Tag::channel_close), begin);
    if (start == Start::in_thought) {
      first = thought;
    } else {
      first = automaton.add_state();
      automaton.add_jump(first, begin);
      automaton.add_edge(first, symbol_of(Tag::channel_open), thought);
    }
  }
  const CountedFinish finish = finish_counted(automaton, first);
  const std::string why = finish.uncounted();
  if (uncounted != nullptr) *uncounted = why;
  if (!finish.finished) {
    return Failure{fmt::format("{}: {}{}", where, finish.finished.message(), why)};
  }
  return true;
}

}  // namespace pleiad::constrain
