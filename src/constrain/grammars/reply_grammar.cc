#include "constrain/grammars/reply_grammar.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "constrain/grammars/compile.h"
#include "constrain/grammars/text_grammar.h"
#include "constrain/tokens/forced_text.h"

namespace pleiad::constrain::grammars {
namespace {

/// A byte of a text that is begun takes some tens; a second's work.
constexpr std::uint64_t kMostBegunItems = 20'000'000;
/// Of a token that the model wrote.
constexpr std::uint64_t kMostTokenItems = 5'000'000;
/// Some 12 bytes each. Where a reply has more, those that lead nowhere any more are dropped.
constexpr std::size_t kMostReplyFrames = 2'000'000;
constexpr std::size_t kMostNotes = 16;

/// The first ones, and how many more there are.
std::vector<std::string> first_notes(std::vector<std::string> notes) {
  if (notes.size() <= kMostNotes) return notes;
  const std::size_t n_more = notes.size() - kMostNotes;
  notes.resize(kMostNotes);
  notes.push_back(fmt::format("there is as much to tell of {} more parts of its schemas", n_more));
  return notes;
}

}  // namespace

ReplyGrammar::ReplyGrammar(std::shared_ptr<const TokenTrie> trie, Network network,
                           std::vector<std::string> notes)
    : trie_(std::move(trie)),
      network_(std::move(network)),
      notes_(std::move(notes)),
      network_bytes_(network_.memory_bytes()),
      tables_(*trie_, network_),
      table_bytes_(tables_.memory_bytes()) {}

void ReplyGrammar::allow(const Row& row, const StackGraph& stacks,
                         std::span<std::uint64_t> allowed) {
  const std::lock_guard lock(mutex_);
  tables_.allow(row, stacks, allowed);
  table_bytes_ = tables_.memory_bytes();
}

Result<std::shared_ptr<ReplyGrammar>> make_reply_grammar(std::shared_ptr<const TokenTrie> trie,
                                                         const Json& format, Start start,
                                                         GrammarBudget& budget) {
  Result<GrammarTree> read = read_text_grammar(format, budget.schemas());
  if (!read) return Failure{read.message()};
  GrammarTree tree = std::move(read).value();
  Result<CompiledGrammar> compiled = compile(tree, budget);
  if (!compiled) return Failure{compiled.message()};
  Network network = make_reply(std::move(compiled).value(), start, *trie);
  return std::make_shared<ReplyGrammar>(std::move(trie), std::move(network),
                                        first_notes(std::move(tree.notes)));
}

Result<std::shared_ptr<ReplyGrammar>> make_reply_grammar(std::shared_ptr<const TokenTrie> trie,
                                                         const Json& format, Start start) {
  GrammarBudget budget;
  return make_reply_grammar(std::move(trie), format, start, budget);
}

GrammarReply::GrammarReply(std::shared_ptr<ReplyGrammar> grammar)
    : grammar_(std::move(grammar)), parser_(grammar_->network()) {
  parser_.begin({.state = grammar_->network().start}, row_);
}

bool GrammarReply::begin_with(std::string_view text) {
  parser_.allow_steps(kMostBegunItems);
  Symbols symbols;
  append(symbols, text);
  const bool fits = read(symbols, next_);
  parser_.allow_steps(Parser::kAnySteps);
  if (!fits) return false;
  std::swap(row_, next_);
  prepared_.clear();
  return true;
}

void GrammarReply::prepare() {
  if (!prepared_.empty()) return;
  std::vector<std::uint64_t> made((grammar_->trie().vocab_size() + 63) / 64, 0);
  grammar_->allow(row_, parser_.stacks(), made);
  prepared_ = std::move(made);
}

bool GrammarReply::allowed_next(std::span<std::uint64_t> allowed) {
  const std::size_t n_words = (grammar_->trie().vocab_size() + 63) / 64;
  CHECK(allowed.size() >= n_words, "{} words for {}", allowed.size(), n_words);
  std::ranges::fill(allowed, 0);
  if (prepared_.empty()) {
    grammar_->allow(row_, parser_.stacks(), allowed);
  } else {
    std::ranges::copy(prepared_, allowed.begin());
  }
  if (std::ranges::all_of(allowed, [](std::uint64_t word) { return word == 0; })) {
    throw sampling::ConstraintError(
        "the model has no token for what the grammar asks for at this place");
  }
  return true;
}

std::vector<std::int32_t> GrammarReply::forced_next(std::size_t most) {
  return forced_tokens(grammar_->trie(), forced_text(parser_, row_), most);
}

void GrammarReply::accept(std::int32_t token) {
  const auto symbols = grammar_->trie().spelling(token);
  prepared_.clear();
  parser_.allow_steps(kMostTokenItems);
  CHECK(!symbols.empty() && read(symbols, next_), "token {} was not allowed", token);
  parser_.allow_steps(Parser::kAnySteps);
  std::swap(row_, next_);
  if (parser_.stacks().n_frames() > kMostReplyFrames) forget_old_nodes();
}

bool GrammarReply::allows(std::int32_t token) {
  const auto symbols = grammar_->trie().spelling(token);
  return !symbols.empty() && read(symbols, next_);
}

bool GrammarReply::read(std::span<const Symbol> symbols, Row& out) {
  out = row_;
  for (const Symbol symbol : symbols) {
    parser_.read(out, symbol, other_);
    std::swap(out, other_);
    if (!out.alive()) return false;
  }
  return true;
}

void GrammarReply::forget_old_nodes() {
  parser_.keep(row_);
  if (parser_.stacks().n_frames() > kMostReplyFrames / 2) {
    throw sampling::ConstraintError(
        "the grammar leaves too much open to follow: the reply can be read in too many ways");
  }
}

}  // namespace pleiad::constrain::grammars
