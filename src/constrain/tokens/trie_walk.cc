#include "constrain/tokens/trie_walk.h"

#include <algorithm>

#include "constrain/tokens/token_bits.h"

namespace pleiad::constrain {
namespace {

/// Smaller subtrees are walked rather than asked whether they are allowed as a whole.
constexpr std::uint32_t kSmallSubtree = 8;
/// Larger ones are asked whether nothing is allowed, even where that is dear to find out.
constexpr std::uint32_t kLargeSubtree = 200;
/// Where fewer symbols may come than there are letters of one kind, which each tree has, no tree is
/// allowed as a whole.
constexpr std::size_t kFewSymbols = 25;
/// One of so many of a tree's nodes is walked before it is swept; and where a tree was swept
/// before.
constexpr std::uint32_t kWalkedBeforeSweep = 32;
constexpr std::uint32_t kWalkedBeforeNextSweep = 128;
/// Trees of fewer nodes are swept at once where a walk is too long.
constexpr std::uint32_t kLargeTree = 1'000;
/// Where more nodes are to be walked to, all are swept.
constexpr std::size_t kMostDeadNodes = 1'000;
/// So many nodes are swept in the time in which one is walked.
constexpr std::uint32_t kSweptAsOneWalked = 8;

}  // namespace

void TokenList::add_to(std::span<std::uint64_t> allowed) const {
  for (const text::TokenId token : tokens) set_bit(allowed, token);
  add_bits(allowed, bits);
}

TrieWalk::TrieWalk(const TokenTrie& trie, ReadSets& sets, std::size_t most_explored)
    : trie_(trie),
      sets_(sets),
      plain_(sets, static_cast<std::uint32_t>(trie.longest()), most_explored),
      sweep_(trie, sets) {
  path_.resize(trie_.longest() + 1);
}

void TrieWalk::begin(Id start, std::size_t most_ended) {
  ranges_.clear();
  trees_.clear();
  short_.clear();
  swept_.clear();
  cleared_.clear();
  ended_.clear();
  left_out_.clear();
  most_plain_ = 0;
  most_ended_ = most_ended;
  may_sweep_ = true;
  has_swept_ = false;
  follows_ = false;
  has_asked_dead_ = false;
  has_dead_ = false;
  tells_left_out_ = !reads_few(start) && PlainTexts::allows_nearly_all(plain_.reach(start));
  deepest_ = sets_.facts(start).deepest;
  plain_.begin_table();
}

void TrieWalk::walk_to(std::span<const std::uint32_t> nodes, Id start) {
  begin(start, kAnyEnded);
  walk_ways(nodes, start);
}

void TrieWalk::walk_ways(std::span<const std::uint32_t> nodes, Id start) {
  const auto roots = trie_.roots();
  std::vector<Ended> way;    // the nodes above the last one, and what each led to
  std::uint32_t behind = 0;  // what was looked at last: all before it is done
  for (const std::uint32_t node : nodes) {
    if (node < behind) continue;  // below what is dead
    while (!way.empty() && trie_.next(way.back().node) <= node) {
      behind = trie_.next(way.back().node);
      way.pop_back();
    }
    if (way.empty()) {
      way.push_back({*(std::ranges::upper_bound(roots, node) - 1), start});
      note_ended(way.back().node, start);
    }
    while (way.back().node != node) {
      std::uint32_t at = std::max(behind, way.back().node + 1);
      while (trie_.next(at) <= node) at = trie_.next(at);
      const Id reached = sets_.read(way.back().set, trie_.symbol(at));
      if (reached == ReadSets::kDead) {
        behind = trie_.next(at);
        break;
      }
      deepest_ = std::max(deepest_, sets_.facts(reached).deepest);
      way.push_back({at, reached});
      if (at != node) note_ended(at, reached);
    }
    if (way.back().node != node) continue;
    take({trie_.first_token(node), trie_.first_token(node + 1)});
    walk_below(node, way.back().set);
  }
}

/// The kinds of characters of which the set may read some; all where that is not known.
KindSet TrieWalk::kinds_read_by(Id set) const {
  const Id* const after = sets_.after_all(set);
  if (after == nullptr) return kAllKinds;
  KindSet out = 0;
  for (std::size_t symbol = 0; symbol < kFirstTag; ++symbol) {
    if (after[symbol] == ReadSets::kDead) continue;
    const std::size_t kind = symbol < kAsciiSymbols ? kinds_of_ascii()[symbol] : kLongKind;
    if (kind < kKinds) out |= KindSet{1} << kind;
  }
  return out;
}

bool TrieWalk::walk(std::span<const std::uint32_t> nodes, Id start, std::size_t most_ended) {
  begin(start, most_ended);
  const auto roots = trie_.roots();
  if (reads_few(start) && std::ranges::equal(nodes, roots)) {
    find_few_symbols(start);
    for (std::size_t tree = 0; tree < roots.size(); ++tree) {
      if (!walk_few(tree, start)) return false;
    }
    return true;
  }
  // Most trees are allowed as a whole, or but for their longer tokens, or not at all.
  const bool has_plain = std::ranges::equal(nodes, roots) && takes_all_plain(start);
  const KindSet read = kinds_read_by(start) | kNotPlain;
  for (const std::uint32_t node : nodes) {
    const bool is_plain_root = trie_.depth(node) == 0 && node != roots.back();
    if (!is_plain_root) {
      if (trie_.depth(node) > 0 && (trie_.kinds_next(node) & read) == 0) {
        note_ended(node, start);
        continue;  // of many nodes most are such
      }
      if (!walk_below(node, start)) return false;
      continue;
    }
    const auto tree = static_cast<std::size_t>(std::ranges::find(roots, node) - roots.begin());
    if (has_plain || takes_tree(tree, start)) {
      note_ended(node, start);
      if (trees_.empty() || trees_.back() != tree) left_out_.push_back(node);
    } else if (!walk_or_sweep(tree, start)) {
      return false;
    }
  }
  return true;
}

/// Below roots()[tree], which is plain: by a walk, and where that gets long otherwise, if it can.
bool TrieWalk::walk_or_sweep(std::size_t tree, Id start) {
  if (has_dead_) return walk_dead_nodes(tree, start);
  const std::uint32_t root = trie_.roots()[tree];
  if (!may_sweep_) return walk_below(root, start);
  const std::uint32_t n_nodes = trie_.next(root) - root;
  const Mark begin = mark();
  most_walked_ = n_nodes / (has_swept_ ? kWalkedBeforeNextSweep : kWalkedBeforeSweep);
  is_too_long_ = false;
  const bool has_walked = follows_ ? walk_tree(tree, start) : walk_below(root, start);
  most_walked_ = kAnyWalked;
  if (!is_too_long_) return has_walked;
  may_sweep_ = ended_.size() == begin.n_ended;
  go_back(begin);
  if (n_nodes >= kLargeTree && walk_from_within(tree, start)) return ended_.size() <= most_ended_;
  sets_.spend_walk(n_nodes / kSweptAsOneWalked);
  const bool has_short = plain_.reach(start).has(trie_.kinds_below(root), TokenTrie::kShort);
  const TokenLevels& levels = has_short ? trie_.long_levels(tree) : trie_.levels(tree);
  may_sweep_ = may_sweep_ && sweep_.sweep(levels, start);
  if (!may_sweep_) return walk_below(root, start);
  take_swept(tree, has_short);
  return true;
}

/// Where a walk from the root is too long: behind its first characters, or where text ends that
/// does not lead on. False where that is too long too.
bool TrieWalk::walk_from_within(std::size_t tree, Id start) {
  const std::uint32_t root = trie_.roots()[tree];
  if (!follows_) {
    follows_ = true;
    const Mark begin = mark();
    most_walked_ = (trie_.next(root) - root) / kWalkedBeforeSweep;
    is_too_long_ = false;
    const bool is_followed = walk_behind(tree, start);
    most_walked_ = kAnyWalked;
    if (is_followed && !is_too_long_) return true;
    go_back(begin);
  }
  find_dead_nodes(start);
  if (has_dead_) walk_dead_nodes(tree, start);
  return has_dead_;
}

TrieWalk::Mark TrieWalk::mark() const {
  return {ended_.size(), left_out_.size(), ranges_.size(), short_.size(),
          ranges_.empty() ? Range() : ranges_.back()};
}

/// What was found since, of which no tree was taken as a whole, is not taken.
void TrieWalk::go_back(const Mark& mark) {
  left_out_.resize(mark.n_left_out);
  ended_.erase(ended_.begin() + static_cast<std::ptrdiff_t>(mark.n_ended), ended_.end());
  short_.resize(mark.n_short);
  ranges_.resize(mark.n_ranges);
  if (mark.n_ranges > 0) ranges_.back() = mark.last_range;
}

/// Where text leads on unless it ends in some ways, the nodes where it ends so.
void TrieWalk::find_dead_nodes(Id start) {
  if (has_asked_dead_) return;
  has_asked_dead_ = true;
  dead_endings_.clear();
  dead_nodes_.clear();
  if (!sets_.tell_dead_endings(start, trie_.most_plain_characters(), dead_endings_)) return;
  has_dead_ = std::ranges::all_of(dead_endings_, [&](const TextEnding& ending) {
    return trie_.endings().add_nodes(ending, kMostDeadNodes, dead_nodes_);
  });
  if (!has_dead_) return;
  std::ranges::sort(dead_nodes_);
  std::uint32_t behind = 0;
  std::erase_if(dead_nodes_, [&](std::uint32_t node) {
    const bool is_below = node < behind;
    if (!is_below) behind = trie_.next(node);
    return is_below;
  });
}

/// All of roots()[tree] but what is at its nodes of dead_nodes_ or below them, which is walked to.
bool TrieWalk::walk_dead_nodes(std::size_t tree, Id start) {
  const std::uint32_t root = trie_.roots()[tree];
  const auto first = std::ranges::lower_bound(dead_nodes_, root);
  const auto end = std::ranges::lower_bound(dead_nodes_, trie_.next(root));
  const std::span<const std::uint32_t> nodes(first, end);
  trees_.push_back(tree);
  for (const std::uint32_t node : nodes) {
    const auto tokens =
        trie_.tokens_in(trie_.first_token(node), trie_.first_token(trie_.next(node)));
    cleared_.insert(cleared_.end(), tokens.begin(), tokens.end());
  }
  const std::size_t n_left_out = left_out_.size();
  walk_ways(nodes, start);
  left_out_.resize(n_left_out);
  left_out_.insert(left_out_.end(), nodes.begin(), nodes.end());
  return ended_.size() <= most_ended_;
}

/// Below roots()[tree], which is plain. False where more has ended than is asked for.
bool TrieWalk::walk_tree(std::size_t tree, Id start) {
  return walk_behind(tree, start) ? ended_.size() <= most_ended_
                                  : walk_below(trie_.roots()[tree], start);
}

/// Below roots()[tree], whose first characters all lead to one place: what goes on behind them.
/// False where they do not.
bool TrieWalk::walk_behind(std::size_t tree, Id start) {
  const std::uint32_t root = trie_.roots()[tree];
  const KindSet kinds = trie_.kinds_below(root);
  if (reads_few(start) || !plain_.may_have(start, kinds)) return false;
  const PlainTexts::Way way = plain_.follow(start, kinds, trie_.characters_below(root));
  if (way.n_characters == 0) return false;
  deepest_ = std::max(deepest_, way.deepest);
  if (way.n_characters == trie_.characters_below(root)) {
    trees_.push_back(tree);
    return true;
  }
  short_.push_back({tree, way.n_characters});
  const bool has_ended = sets_.facts(way.to).behind_end != 0;
  const KindSet next = has_ended ? kAllKinds : plain_.kinds_next(way.to);
  for (const CharacterLevels::Node& at : trie_.character_levels(tree).at(way.n_characters)) {
    if ((at.kinds_next & next) != 0) {
      if (!walk_below(at.node, way.to) || is_too_long_) break;
    } else if (tells_left_out_) {
      left_out_.push_back(at.node);
    }
  }
  return true;
}

/// `has_short`: the tree's tokens that were not swept, which are short, are all allowed.
void TrieWalk::take_swept(std::size_t tree, bool has_short) {
  has_swept_ = true;
  deepest_ = std::max(deepest_, sweep_.deepest());
  const bool is_most = has_short || sweep_.n_allowed() >= sweep_.n_left_out();
  const std::vector<text::TokenId> tokens = sweep_.tokens(!is_most);
  auto& out = is_most ? cleared_ : swept_;
  out.insert(out.end(), tokens.begin(), tokens.end());
  if (is_most) trees_.push_back(tree);
  tells_left_out_ = tells_left_out_ && sweep_.n_left_out() <= kMostLeftOut;
  if (!tells_left_out_) return;
  const std::vector<std::uint32_t> nodes = sweep_.nodes_left_out();
  left_out_.insert(left_out_.end(), nodes.begin(), nodes.end());
}

bool TrieWalk::reads_few(Id set) const { return sets_.n_symbols(set) <= kFewSymbols; }

/// Those that may come, where reads_few().
void TrieWalk::find_few_symbols(Id start) {
  few_.clear();
  if (const Symbol only = sets_.only_symbol(start); only != kSymbols) {
    few_.push_back(only);
    return;
  }
  for (Symbol symbol = 0; symbol < kSymbols; ++symbol) {
    if (sets_.after(start)[symbol] != ReadSets::kDead) few_.push_back(symbol);
  }
}

/// Below roots()[tree], where few_ are all symbols that may come.
bool TrieWalk::walk_few(std::size_t tree, Id start) {
  const std::uint32_t root = trie_.roots()[tree];
  note_ended(root, start);
  path_[0] = {start, sets_.after(start)};
  for (const Symbol symbol : few_) {
    const std::uint32_t child = trie_.child_of_root(tree, symbol);
    if (child != root && !walk_nodes(child, trie_.next(child), 0)) return false;
  }
  return true;
}

/// Whether of the plain tokens those are allowed that are short enough, and no others.
bool TrieWalk::takes_all_plain(Id start) {
  if (trie_.n_plain_tokens() == 0) return false;
  const std::uint32_t longest = trie_.most_plain_characters();
  if (plain_.reach(start).has(kAllKinds, longest)) {
    most_plain_ = longest;
    return true;
  }
  if (!plain_.may_have(start, kAllKinds)) return false;
  const PlainText& plain = plain_.of(start);
  if (plain.most == 0 || plain.kinds != kAllKinds) return false;
  const bool has_others = plain.dead_behind != kAllKinds || plain.behind_end != 0;
  if (longest > plain.most && has_others) return false;
  if (trie_.plain_tokens(plain.most).empty()) return false;
  most_plain_ = plain.most;
  deepest_ = std::max(deepest_, plain.deepest);
  return true;
}

/// Whether of the tree those are allowed that are short enough, and no others.
bool TrieWalk::takes_tree(std::size_t tree, Id start) {
  const std::uint32_t root = trie_.roots()[tree];
  const KindSet kinds = trie_.kinds_below(root);
  const std::uint32_t longest = trie_.characters_below(root);
  if (plain_.reach(start).has(kinds, longest)) {
    trees_.push_back(tree);
    return true;
  }
  if (!plain_.may_have(start, kinds)) return false;
  const PlainText& plain = plain_.of(start);
  if (plain.most == 0 || (kinds & ~plain.kinds) != 0) return false;
  deepest_ = std::max(deepest_, plain.deepest);
  if (longest <= plain.most) {
    trees_.push_back(tree);
    return true;
  }
  if ((kinds & (~plain.dead_behind | plain.behind_end)) != 0) return false;
  short_.push_back({tree, plain.most});
  return true;
}

/// Where a way ends and the trie goes on with what may follow it.
void TrieWalk::note_ended(std::uint32_t node, Id set) {
  const KindSet behind = sets_.facts(set).behind_end;
  if (behind == 0 || !trie_.has_children(node)) return;
  const KindSet next = trie_.kinds_next(node);
  if ((next & kNotPlain) != 0 || (next & behind) != 0) ended_.push_back({node, set});
}

void TrieWalk::take(Range range) {
  if (range.first == range.second) return;
  if (!ranges_.empty() && ranges_.back().second == range.first) {
    ranges_.back().second = range.second;
  } else {
    ranges_.push_back(range);
  }
}

/// False where more has ended than is asked for.
bool TrieWalk::walk_below(std::uint32_t root, Id start) {
  note_ended(root, start);
  const std::uint32_t end = trie_.next(root);
  const Below below = allowed_below(root, start);
  if (below == Below::all) take({trie_.first_token(root + 1), trie_.first_token(end)});
  if (below == Below::none) left_out_.push_back(root);
  if (below != Below::some) return true;
  path_[0] = {start, sets_.after(start)};
  return walk_nodes(root + 1, end, trie_.depth(root));
}

/// From path_[0], which is at this depth. False where more has ended than is asked for.
bool TrieWalk::walk_nodes(std::uint32_t first, std::uint32_t end, std::uint32_t base) {
  const TokenTrie::Node* const nodes = trie_.nodes().data();
  Place* const path = path_.data();
  Range taken = {};
  const auto take_tokens = [&](std::uint32_t begin, std::uint32_t behind) {
    if (begin == taken.second) {
      taken.second = behind;
    } else if (begin != behind) {
      take(taken);
      taken = {begin, behind};
    }
  };
  std::uint32_t deepest = deepest_;
  std::uint64_t n_walked = 0;
  for (std::uint32_t node = first; node < end && ended_.size() <= most_ended_; ++n_walked) {
    if (n_walked > most_walked_) {
      is_too_long_ = true;
      break;
    }
    const TokenTrie::Node& at = nodes[node];
    const std::uint32_t depth = at.depth - base;
    const Place& from = path[depth - 1];
    Id reached = from.after == nullptr ? ReadMemory::kUnknown : from.after[at.symbol];
    if (reached == ReadMemory::kUnknown) reached = sets_.read(from.set, at.symbol);
    if (reached == ReadSets::kDead) {
      left_out_.push_back(node);
      node = at.next;
      continue;
    }
    const std::uint32_t first_below = trie_.first_token(node + 1);
    take_tokens(at.first_token, first_below);
    const ReadSets::Facts& facts = sets_.facts(reached);
    deepest = std::max(deepest, facts.deepest);
    if (at.next == node + 1) {
      ++node;
      continue;
    }
    if (facts.behind_end != 0) note_ended(node, reached);
    path[depth] = {reached, sets_.after(reached)};
    switch (at.next - node < kSmallSubtree ? Below::some : allowed_below(node, reached)) {
      case Below::all:
        take_tokens(first_below, trie_.first_token(at.next));
        node = at.next;
        break;
      case Below::none:
        left_out_.push_back(node);
        node = at.next;
        break;
      case Below::some:
        ++node;
    }
  }
  take(taken);
  deepest_ = std::max(deepest_, deepest);
  if (most_walked_ != kAnyWalked) most_walked_ -= std::min(most_walked_, n_walked);
  sets_.spend_walk(n_walked);
  return ended_.size() <= most_ended_;
}

/// Of what is below a node that led to the set. What ends amid it adds nothing where all is
/// allowed; nothing may end that goes on where it is `none`.
TrieWalk::Below TrieWalk::allowed_below(std::uint32_t node, Id set) {
  const KindSet kinds = trie_.kinds_below(node);
  const std::uint32_t n_nodes = trie_.next(node) - node;
  if (n_nodes < kSmallSubtree || (kinds & kNotPlain) != 0 || reads_few(set)) return Below::some;
  const std::uint32_t longest = trie_.characters_below(node);
  const PlainReach& reach = plain_.reach(set);
  if (reach.has(kinds, longest)) return Below::all;
  if (PlainTexts::tells_enough(reach)) return Below::some;
  const bool may_be_all = plain_.may_have(set, kinds);
  const bool may_be_none = n_nodes >= kLargeSubtree;
  if (!may_be_all && !may_be_none) return Below::some;
  const PlainText& plain = plain_.of(set);
  deepest_ = std::max(deepest_, plain.deepest);
  if (longest > plain.most) return Below::some;
  if ((kinds & ~plain.kinds) == 0) return Below::all;
  const bool is_told =
      (kinds & ~(plain.kinds | plain.dead)) == 0 && (kinds & plain.behind_end) == 0;
  if (is_told && (trie_.kinds_of_each(node) & plain.dead) != 0) return Below::none;
  return Below::some;
}

/// In order, none within another: lists of nodes may hold a node and some below it.
void TrieWalk::join_ranges() {
  std::ranges::sort(ranges_);
  std::size_t n = 0;
  for (const Range& range : ranges_) {
    if (n > 0 && range.first <= ranges_[n - 1].second) {
      ranges_[n - 1].second = std::max(ranges_[n - 1].second, range.second);
    } else {
      ranges_[n++] = range;
    }
  }
  ranges_.resize(n);
}

/// Bits where they are smaller than a list.
TokenList TrieWalk::tokens() {
  sweep_.end_walk();
  join_ranges();
  TokenList out;
  out.plain = most_plain_;
  std::size_t n_tokens = 0;
  for (const auto& [first, end] : ranges_) n_tokens += end - first;
  for (const auto& [tree, most] : short_) n_tokens += trie_.short_tokens(tree, most).size();
  n_tokens += swept_.size();
  const std::size_t n_words = (trie_.vocab_size() + 63) / 64;
  if (trees_.empty() && n_tokens * sizeof(text::TokenId) <= n_words * sizeof(std::uint64_t)) {
    out.tokens.reserve(n_tokens);
    for (const auto& [first, end] : ranges_) {
      const auto tokens = trie_.tokens_in(first, end);
      out.tokens.insert(out.tokens.end(), tokens.begin(), tokens.end());
    }
    for (const auto& [tree, most] : short_) {
      const auto list = trie_.short_tokens(tree, most);
      out.tokens.insert(out.tokens.end(), list.begin(), list.end());
    }
    out.tokens.insert(out.tokens.end(), swept_.begin(), swept_.end());
    return out;
  }
  out.bits.assign(n_words, 0);
  for (const std::size_t tree : trees_) add_bits(out.bits, trie_.tree_tokens(tree));
  for (const text::TokenId token : cleared_) clear_bit(out.bits, token);
  for (const text::TokenId token : swept_) set_bit(out.bits, token);
  for (const auto& [first, end] : ranges_) {
    for (const text::TokenId token : trie_.tokens_in(first, end)) set_bit(out.bits, token);
  }
  add_short_bits(out.bits);
  return out;
}

void TrieWalk::add_short_bits(std::span<std::uint64_t> bits) const {
  for (const auto& [tree, most] : short_) {
    const auto list = trie_.short_tokens(tree, most);
    const auto of_length = trie_.plain_tokens(most);
    if (of_length.empty() || list.size() < bits.size()) {
      for (const text::TokenId token : list) set_bit(bits, token);
      continue;
    }
    const auto of_tree = trie_.tree_tokens(tree);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] |= of_length[i] & of_tree[i];
  }
}

}  // namespace pleiad::constrain
