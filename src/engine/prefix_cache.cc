#include "engine/prefix_cache.h"

#include <algorithm>
#include <iterator>

namespace pleiad {
namespace {

// How many tokens two pages agree in from their beginnings, and in what these stand for.
std::size_t common_length(const PageKey& a, const PageKey& b) {
  const std::size_t most = std::min(a.tokens.size(), b.tokens.size());
  const auto differs =
      std::mismatch(a.tokens.begin(), a.tokens.begin() + static_cast<long>(most), b.tokens.begin());
  std::int64_t common = differs.first - a.tokens.begin();
  const auto of = std::mismatch(a.media.begin(), a.media.end(), b.media.begin(), b.media.end());
  if (of.first != a.media.end()) common = std::min(common, of.first->first);
  if (of.second != b.media.end()) common = std::min(common, of.second->first);
  return static_cast<std::size_t>(std::max<std::int64_t>(common, 0));
}

}  // namespace

PageKey page_key(const PromptView& prompt, std::int64_t page, std::int64_t page_tokens) {
  const std::int64_t begin = page * page_tokens;
  const std::int64_t end = std::min(begin + page_tokens, prompt.size());
  PageKey key;
  key.tokens.assign(prompt.tokens.begin() + begin, prompt.tokens.begin() + end);
  // They are ascending.
  auto media = std::partition_point(prompt.media.begin(), prompt.media.end(),
                                    [&](const PromptMedia& one) { return one.end() <= begin; });
  for (; media != prompt.media.end() && media->first < end; ++media) {
    key.media.push_back({media->first - begin, media->key()});
  }
  return key;
}

PrefixCache::Match PrefixCache::find(CacheScope scope, const PromptView& prompt,
                                     std::int64_t most_tokens) {
  Match match;
  const auto root = roots_.find(scope);
  if (root == roots_.end()) return match;
  const std::int64_t n_pages = prompt.size() / page_tokens_;
  Node* node = &root->second;
  std::int64_t page = 0;
  for (; page < n_pages; ++page) {
    const auto child = node->children.find(page_key(prompt, page, page_tokens_));
    if (child == node->children.end()) break;
    node = child->second.get();
    match.common_tokens += page_tokens_;
    if (match.common_tokens <= most_tokens) {
      match.blocks.push_back(&node->block);
      use(*node);
    } else {
      take_tail(*node, most_tokens - page * page_tokens_, match);
    }
  }
  find_tail(*node, prompt, page, most_tokens, match);
  return match;
}

// The first that is offered is the right one; what comes later lies behind it.
void PrefixCache::take_tail(Node& node, std::int64_t n_tokens, Match& match) {
  if (match.tail || n_tokens <= 0) return;
  match.tail = &node.block;
  match.tail_tokens = n_tokens;
  use(node);
}

// Of keys in order, one of the two neighbours of a key agrees with it the longest (but for what
// its placeholders stand for, which is compared after all tokens).
void PrefixCache::find_tail(Node& node, const PromptView& prompt, std::int64_t page,
                            std::int64_t most_tokens, Match& match) {
  const PageKey key = page_key(prompt, page, page_tokens_);
  const auto after = node.children.lower_bound(key);
  auto nearest = node.children.end();
  std::size_t longest = 0;
  const auto consider = [&](Children::iterator child) {
    const std::size_t common = common_length(child->first, key);
    if (common < longest) return;
    longest = common;
    nearest = child;
  };
  if (after != node.children.begin()) consider(std::prev(after));
  if (after != node.children.end()) consider(after);
  if (nearest == node.children.end()) return;
  const auto common = static_cast<std::int64_t>(longest);
  match.common_tokens += common;
  match.next.assign(nearest->first.tokens.begin() + common, nearest->first.tokens.end());
  take_tail(*nearest->second, std::min(common, most_tokens - page * page_tokens_), match);
}

std::int64_t PrefixCache::count(CacheScope scope, const PromptView& prompt,
                                std::int64_t most_pages) const {
  const auto root = roots_.find(scope);
  if (root == roots_.end()) return 0;
  const Node* node = &root->second;
  const std::int64_t n_pages = std::min(most_pages, prompt.size() / page_tokens_);
  for (std::int64_t page = 0; page < n_pages; ++page) {
    const auto child = node->children.find(page_key(prompt, page, page_tokens_));
    if (child == node->children.end()) return page;
    node = child->second.get();
  }
  return n_pages;
}

PrefixCache::Node* PrefixCache::descend(CacheScope scope, const PromptView& prompt,
                                        std::int64_t page) {
  if (page > 0 && !roots_.contains(scope)) return nullptr;
  Node* node = &roots_[scope];
  node->scope = scope;
  for (std::int64_t before = 0; before < page; ++before) {
    const auto child = node->children.find(page_key(prompt, before, page_tokens_));
    if (child == node->children.end()) return nullptr;
    node = child->second.get();
  }
  return node;
}

// In the order of keys those that begin with one come right after it.
PrefixCache::Node* PrefixCache::find_holder(Node& parent, const PageKey& key) {
  const auto after = parent.children.lower_bound(key);
  if (after == parent.children.end()) return nullptr;
  return common_length(after->first, key) == key.tokens.size() ? after->second.get() : nullptr;
}

// Takes the place of a page that ends sooner and is needed no more, where that is next to it.
void PrefixCache::add(Node& parent, PageKey key, KvBlock block) {
  if (parent.parent && parent.children.empty()) leaves_.erase({parent.used, &parent});
  const auto at = parent.children.emplace(std::move(key), std::make_unique<Node>()).first;
  Node& node = *at->second;
  node.parent = &parent;
  node.key = &at->first;
  node.block = std::move(block);
  node.used = ++clock_;
  leaves_.insert({node.used, &node});
  ++n_pages_;
  if (at == parent.children.begin()) return;
  const auto before = std::prev(at);
  const std::size_t n_before = before->first.tokens.size();
  const bool ends_sooner = n_before < at->first.tokens.size();
  if (ends_sooner && common_length(before->first, at->first) == n_before) remove(*before->second);
}

void PrefixCache::use(Node& node) {
  const bool is_leaf = node.children.empty();
  if (is_leaf) leaves_.erase({node.used, &node});
  node.used = ++clock_;
  if (is_leaf) leaves_.insert({node.used, &node});
}

void PrefixCache::remove(Node& leaf) {
  leaves_.erase({leaf.used, &leaf});
  Node& parent = *leaf.parent;
  parent.children.erase(parent.children.find(*leaf.key));
  --n_pages_;
  if (!parent.children.empty()) return;
  if (parent.parent) {
    leaves_.insert({parent.used, &parent});
  } else {
    roots_.erase(parent.scope);
  }
}

bool PrefixCache::evict() {
  if (leaves_.empty()) return false;
  // There are no more leaves in use than sequences.
  auto leaf = std::find_if(leaves_.begin(), leaves_.end(),
                           [](const Age& age) { return !age.second->block.in_use(); });
  if (leaf == leaves_.end()) leaf = leaves_.begin();
  remove(*leaf->second);
  ++n_evicted_;
  return true;
}

void PrefixCache::clear() {
  for (bool found = true; found;) {
    found = false;
    for (auto leaf = leaves_.begin(); leaf != leaves_.end();) {
      Node& node = *(leaf++)->second;
      if (node.block.in_use()) continue;
      remove(node);
      found = true;
    }
  }
}

}  // namespace pleiad
