#include "constrain/replies/grammar.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "constrain/tokens/forced_text.h"

namespace pleiad::constrain {
namespace {

/// A byte of a text that is begun takes some tens; a second's work.
constexpr std::uint64_t kMostBegunSteps = 50'000'000;
/// A byte takes some tens, but where items that must differ have many equal begins; half a second.
constexpr std::uint64_t kMostTokenSteps = 5'000'000;

}  // namespace

Grammar::Grammar(std::shared_ptr<const TokenTrie> trie, Automaton automaton,
                 std::vector<std::string> unenforced)
    : trie_(std::move(trie)),
      automaton_(std::move(automaton)),
      unenforced_(std::move(unenforced)),
      automaton_bytes_(automaton_.memory_bytes()),
      tables_(*trie_, automaton_),
      table_bytes_(tables_.memory_bytes()) {
  if (!automaton_.remembers()) return;
  strings_.emplace(automaton_);
  distinct_.emplace(*trie_, automaton_, *strings_);
}

void Grammar::allow(const Threads& threads, Machine& machine, std::span<std::uint64_t> allowed) {
  {
    const std::lock_guard lock(mutex_);
    try {
      tables_.allow(threads, machine.stacks(), allowed);
    } catch (...) {
      table_bytes_ = tables_.memory_bytes();  // what was found out stays
      throw;
    }
    table_bytes_ = tables_.memory_bytes();
  }
  if (distinct_) distinct_->cut(threads, machine, allowed);
}

GrammarConstraint::GrammarConstraint(std::shared_ptr<Grammar> grammar)
    : grammar_(std::move(grammar)),
      machine_(grammar_->automaton(), Automaton::kMaxDepth, Machine::Items::compared,
               grammar_->strings()) {
  machine_.begin({.state = grammar_->automaton().start()}, threads_);
}

Result<std::unique_ptr<GrammarConstraint>> begin_reply(std::shared_ptr<Grammar> grammar) {
  try {
    return std::make_unique<GrammarConstraint>(std::move(grammar));
  } catch (const sampling::ConstraintError& error) {
    return Failure{error.what()};
  }
}

bool GrammarConstraint::begin_with(std::string_view text) {
  is_prepared_ = false;
  machine_.allow_steps(kMostBegunSteps);
  for (const char c : text) {
    machine_.read(threads_, symbol_of(c), next_);
    std::swap(threads_, next_);
    if (!threads_.alive()) return false;
    machine_.go_on_from(threads_);
  }
  machine_.allow_steps(Machine::kAnySteps);
  return true;
}

void GrammarConstraint::prepare() {
  if (is_prepared_) return;
  prepared_.assign(n_words(), 0);
  grammar_->allow(threads_, machine_, prepared_);
  is_prepared_ = true;
}

bool GrammarConstraint::allowed_next(std::span<std::uint64_t> allowed) {
  CHECK(allowed.size() >= n_words(), "{} words for {}", allowed.size(), n_words());
  if (is_prepared_) {
    const auto rest = std::copy(prepared_.begin(), prepared_.end(), allowed.begin());
    std::fill(rest, allowed.end(), 0);
    return true;
  }
  std::ranges::fill(allowed, 0);
  grammar_->allow(threads_, machine_, allowed);
  return true;
}

std::vector<std::int32_t> GrammarConstraint::forced_next(std::size_t most) {
  const Machine::LookAhead look_ahead(machine_);
  return forced_tokens(grammar_->trie(), forced_text(machine_, threads_), most);
}

void GrammarConstraint::accept(std::int32_t token) {
  CHECK(read(token, next_), "token {} was not allowed", token);
  std::swap(threads_, next_);
  machine_.go_on_from(threads_);
  is_prepared_ = false;
}

bool GrammarConstraint::allows(std::int32_t token) {
  const Machine::LookAhead look_ahead(machine_);
  return read(token, next_);
}

bool GrammarConstraint::may_end() {
  const Machine::LookAhead look_ahead(machine_);
  machine_.read(threads_, kEnd, next_);
  return next_.alive();
}

bool GrammarConstraint::read(std::int32_t token, Threads& out) {
  const auto symbols = grammar_->trie().spelling(token);
  if (symbols.empty()) return false;
  out = threads_;
  machine_.allow_steps(kMostTokenSteps);
  for (const Symbol symbol : symbols) {
    machine_.read(out, symbol, other_);
    std::swap(out, other_);
    if (!out.alive()) break;
  }
  machine_.allow_steps(Machine::kAnySteps);
  return out.alive();
}

}  // namespace pleiad::constrain
