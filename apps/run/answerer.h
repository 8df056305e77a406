#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "apps/run/media/attached_media.h"
#include "apps/run/slash_commands.h"
#include "engine/chat.h"

namespace pleiad::apps {

/// What a request's media are, for whoever has to send them on, and who then notes in them how many
/// tokens documents have where that was not known.
struct ShownAttachments {
  std::span<AttachedMedia> media;  // ChatRequest::media, in its order
  MediaWishes wishes;
};

/// Who answers a conversation at the terminal: a model in this process, or a server.
class Answerer {
 public:
  virtual ~Answerer() = default;

  /// The parameters of the next requests that were set by name, and whether their system turn was,
  /// or that there is none; a server has its own values for the others.
  virtual void choose(const std::set<std::string>& /*parameters*/, bool /*system*/) {}

  /// A Failure says what is wrong with the request; throws Error where there is no
  /// answer at all.
  virtual Result<ChatReply> chat(const ChatRequest& request, const ShownAttachments& shown,
                                 const ReplyObserver& observer) = 0;
  /// Continues a text without a template.
  virtual ChatReply complete(const std::string& prompt, const GenerationOptions& options,
                             const ReplyLimits& limits, const std::vector<std::string>& stop,
                             const ReplyObserver& observer) = 0;
  /// The longest context of the next replies, in tokens. Says what it is now; a Failure says what
  /// the model supports.
  virtual Result<std::string> set_context_length(std::int64_t length) = 0;
  /// The next conversation begins anew.
  virtual void forget() = 0;

  /// Tokens of a document that was read, of its text and of its pages that are pictures. Empty
  /// where that cannot be told before it is answered, or is more than the context holds. Throws
  /// Interrupted.
  virtual std::optional<std::int64_t> document_tokens(const AttachedMedia& document,
                                                      const MediaWishes& wishes) = 0;

  virtual ModelFacts facts() const = 0;
  /// What of the model's file is not used; "" when all is.
  virtual std::string note() const = 0;
  /// Further lines for --verbose: load time, memory, as "name", "value".
  virtual std::vector<std::pair<std::string, std::string>> details() const = 0;
};

}  // namespace pleiad::apps
