#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "engine/cache_scope.h"
#include "engine/kv_memory.h"
#include "engine/media/prompt_media.h"
#include "model/model.h"
#include "text/token.h"

namespace pleiad {

class ComputeTurn;

/// Reads texts as prompts are read, in small slices while the engine has nothing else to do, so
/// that they are in the cache when they come back: conversations that ended with a reply, where
/// generated tokens round otherwise than those of prompts and cannot be kept themselves
/// (Model::has_one_arithmetic). For the engine's thread alone.
class IdleReader {
 public:
  /// `turn` may be null.
  IdleReader(Model& model, KvMemory& memory, ComputeTurn* turn)
      : model_(model), memory_(memory), turn_(turn) {}
  ~IdleReader() { pause(); }
  IdleReader(const IdleReader&) = delete;
  IdleReader& operator=(const IdleReader&) = delete;

  /// The newest is read first; beyond a few the oldest is forgotten. Of media nothing is encoded: a
  /// text is read where the cache has all of its pages that show some.
  void add(CacheScope scope, std::vector<text::TokenId> tokens, std::vector<PromptMedia> media);

  /// What is left to do.
  enum class Left : std::uint8_t {
    nothing,
    some,   // now
    later,  // another engine answers somebody, and has the processor
  };
  /// Reads a slice. Throws what Model::forward() and memory do; the text is forgotten then.
  Left advance();

  /// Gives back what is held of the memory, but for what is cached by now: what is left of the text
  /// is read later. To be called before a request starts.
  void pause();

  /// Forgets all texts.
  void clear();

  std::uint64_t n_read() const { return n_read_; }  // tokens, since the start

 private:
  struct Text {
    CacheScope scope = CacheScope::common;
    std::vector<text::TokenId> tokens;
    std::vector<PromptMedia> media;

    PromptView view() const { return {tokens, media}; }
  };

  bool begin();
  void read_slice();

  Model& model_;
  KvMemory& memory_;
  ComputeTurn* turn_;
  std::deque<Text> texts_;      // the newest first
  std::unique_ptr<KvUse> use_;  // of the first, while it is read
  std::uint64_t n_read_ = 0;
};

}  // namespace pleiad
