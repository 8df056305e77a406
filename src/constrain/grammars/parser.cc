#include "constrain/grammars/parser.h"

#include <algorithm>
#include <functional>

#include "constrain/mix_hash.h"
#include "sampling/token_constraint.h"

namespace pleiad::constrain::grammars {
namespace {

[[noreturn]] void give_up(const char* why) { throw sampling::ConstraintError(why); }

/// So many items are looked through, and not kept by their hash.
constexpr std::size_t kFew = 32;

/// So many edges are looked through in the time of a step.
constexpr std::size_t kEdgesOfStep = 16;

constexpr const char* kTooManyWays =
    "the grammar can be read in too many ways at one place: alternatives that begin alike, nested "
    "in each other";

bool has_edge(const Network::State& state, Symbol symbol) {
  return std::ranges::any_of(state.edges, [&](const Network::Edge& edge) {
    return edge.first <= symbol && symbol <= edge.last;
  });
}

}  // namespace

void Parser::look_at(std::size_t n) {
  n_looked_at_ += n;
  if (n_looked_at_ > kMostFrames) give_up(kTooManyWays);
  spend(n);
}

void Parser::spend(std::size_t steps) {
  if (steps_left_ == kAnySteps) return;
  if (steps > steps_left_) give_up("the grammar takes too many steps to follow");
  steps_left_ -= steps;
}

std::size_t Parser::Hash::operator()(const Item& item) const {
  std::uint64_t hash = item.state;
  for (const std::uint32_t part : {item.node, item.longest}) {
    hash = mix_hash(hash, part);
  }
  return hash;
}

void Parser::begin(const Item& item, Row& out) {
  n_looked_at_ = 0;
  out.reached = {item};
  close(out);
}

void Parser::keep(Row& row) {
  // Frames lead to nodes that were there before theirs.
  std::vector<bool> is_kept(stacks_.n_nodes(), false);
  for (const auto* items : {&row.reached, &row.readers}) {
    for (const Item& item : *items) is_kept[item.node] = true;
  }
  for (NodeId node = static_cast<NodeId>(is_kept.size()); node-- > 0;) {
    if (!is_kept[node]) continue;
    for (const StackGraph::Frame& frame : stacks_.frames(node)) is_kept[frame.below] = true;
  }
  StackGraph kept;
  std::vector<NodeId> ids(is_kept.size(), StackGraph::kBottom);
  std::vector<StackGraph::Frame> frames;
  for (NodeId node = 1; node < is_kept.size(); ++node) {
    if (!is_kept[node]) continue;
    frames.clear();
    for (const StackGraph::Frame& frame : stacks_.frames(node)) {
      frames.push_back({frame.back, ids[frame.below]});
    }
    ids[node] = kept.intern(frames);
  }
  stacks_ = std::move(kept);
  for (auto* items : {&row.reached, &row.readers}) {
    for (Item& item : *items) item.node = ids[item.node];
  }
  std::ranges::sort(row.reached);
}

bool Parser::reads(const Item& item, Symbol symbol) const {
  return item.longest == kNoLongest || !has_edge(network_.states[item.longest], symbol);
}

void Parser::read(const Row& from, Symbol symbol, Row& out) {
  reach(from, symbol, out);
  close(out);
}

void Parser::reach(const Row& from, Symbol symbol, Row& out) {
  out.reached.clear();
  n_looked_at_ = 0;
  look_at(from.readers.size());
  for (const Item& item : from.readers) {
    if (item.longest != kNoLongest) {
      spend(network_.states[item.longest].edges.size() / kEdgesOfStep);
    }
    if (!reads(item, symbol)) continue;
    spend(network_.states[item.state].edges.size() / kEdgesOfStep);
    for (const Network::Edge& edge : network_.states[item.state].edges) {
      if (edge.first <= symbol && symbol <= edge.last) {
        out.reached.push_back({edge.target, item.node, kNoLongest});
      }
    }
  }
  std::ranges::sort(out.reached);
  out.reached.erase(std::unique(out.reached.begin(), out.reached.end()), out.reached.end());
}

std::optional<Symbol> Parser::only_symbol(const Row& row) {
  std::optional<Symbol> only;
  for (const Item& item : row.readers) {
    for (const Network::Edge& edge : network_.states[item.state].edges) {
      if (edge.first != edge.last) return std::nullopt;
      if (only == edge.first || !finds_to_read(item, edge.first)) continue;
      if (only) return std::nullopt;
      only = edge.first;
    }
  }
  return only;
}

SymbolSet Parser::symbols(const Row& row) {
  SymbolSet out;
  for (const Item& item : row.readers) {
    for (const Network::Edge& edge : network_.states[item.state].edges) {
      for (std::size_t symbol = edge.first; symbol <= edge.last; ++symbol) {
        if (out.test(symbol)) continue;
        if (finds_to_read(item, static_cast<Symbol>(symbol))) out.set(symbol);
      }
    }
  }
  return out;
}

/// reads(), which is a step.
bool Parser::finds_to_read(const Item& item, Symbol symbol) {
  spend(1);
  if (item.longest != kNoLongest) {
    spend(network_.states[item.longest].edges.size() / kEdgesOfStep);
  }
  return reads(item, symbol);
}

/// Follows all that reads nothing: returns first, as no rule ends where it begins, then calls.
void Parser::close(Row& row) {
  row.readers.clear();
  row.left.clear();
  items_ = row.reached;
  if (items_.size() > kMostItems) give_up(kTooManyWays);
  many_.clear();
  if (items_.size() > kFew) many_.insert(items_.begin(), items_.end());
  for (const auto& [rank, rule] : waiting_) callers_[rule].clear();  // of a row that was given up
  waiting_.clear();
  add_returns(row);
  add_calls(row);
}

void Parser::visit(const Item& item) {
  if (items_.size() < kFew) {
    if (std::ranges::find(items_, item) != items_.end()) return;
  } else {
    if (items_.size() == kFew) many_.insert(items_.begin(), items_.end());
    if (!many_.insert(item).second) return;
    if (items_.size() == kMostItems) give_up(kTooManyWays);
  }
  items_.push_back(item);
}

void Parser::add_returns(Row& row) {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Item item = items_[i];
    const Network::State& state = network_.states[item.state];
    if (!state.is_final) continue;
    StateId longest = item.longest;
    if (state.takes_longest) {
      longest = state.longest_as.value_or(item.state);
      if (network_.states[longest].edges.empty()) longest = kNoLongest;
    }
    const auto frames = stacks_.frames(item.node);
    look_at(frames.size());
    for (const StackGraph::Frame& frame : frames) {
      if (frame.back == StackGraph::kNowhere) {
        row.left.push_back(longest);
      } else {
        visit({frame.back, frame.below, longest});
      }
    }
  }
  std::ranges::sort(row.left);
  row.left.erase(std::unique(row.left.begin(), row.left.end()), row.left.end());
}

void Parser::add_calls(Row& row) {
  // Rules are followed once for all that call them under the same condition on what comes next.
  std::ranges::sort(items_, {}, &Item::longest);
  for (std::size_t i = 0; i < items_.size();) {
    const StateId longest = items_[i].longest;
    for (; i < items_.size() && items_[i].longest == longest; ++i) take(items_[i], row);
    while (!waiting_.empty()) {
      // The lowest rank first: none that is taken later calls it.
      std::ranges::pop_heap(waiting_, std::greater());
      const std::uint32_t rule = waiting_.back().second;
      const NodeId node = stacks_.intern(callers_[rule]);
      callers_[rule].clear();
      waiting_.pop_back();
      take({network_.rules[rule].start, node, longest}, row);
    }
  }
}

/// Of a rule that waits from now on, if it does not yet.
std::vector<StackGraph::Frame>& Parser::callers_of(std::uint32_t rule) {
  std::vector<StackGraph::Frame>& frames = callers_[rule];
  if (frames.empty()) {
    waiting_.emplace_back(network_.rules[rule].rank, rule);
    std::ranges::push_heap(waiting_, std::greater());
  }
  return frames;
}

/// An item of which all is known: what it reads, and what it calls.
void Parser::take(const Item& item, Row& row) {
  const Network::State& state = network_.states[item.state];
  if (!state.edges.empty()) row.readers.push_back(item);
  for (const Network::Call& call : state.calls) {
    std::vector<StackGraph::Frame>& frames = callers_of(call.rule);
    if (network_.is_exit(call.back)) {
      // It returns to where this rule returns to: a list that ends with its rest takes no room.
      const auto further = stacks_.frames(item.node);
      look_at(further.size());
      frames.insert(frames.end(), further.begin(), further.end());
    } else {
      look_at(1);
      frames.push_back({call.back, item.node});
    }
  }
}

}  // namespace pleiad::constrain::grammars
