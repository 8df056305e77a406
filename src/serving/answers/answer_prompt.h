#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serving/answer.h"
#include "serving/pool/model_runtime.h"
#include "store/model_entry.h"
#include "text/reply_parser.h"

namespace pleiad::serving {

/// What a model is given for a request.
struct AnswerPrompt {
  std::vector<text::TokenId> tokens;
  std::vector<MediaSpan> media;    // where media stand among them
  std::vector<int> shown;          // the media of its messages, by their place in the request
  std::vector<MediaUse> uses;      // of all media of the request, where somebody notes them
  std::string text;                // as the template prints it
  text::ReplyOptions reply;        // of a chat: how what comes is read
  std::uint64_t least_tokens = 0;  // that a prompt has which was too long to be encoded whole
  std::int64_t dropped_messages = 0;
  std::vector<std::string> warnings;
};

/// How much there is room for.
struct PromptRoom {
  std::int64_t context_length = 0;  // prompt and reply together
  std::int64_t reply_tokens = 1;    // wanted for the reply where something must be dropped
  std::int64_t least_reply = 1;     // 0: no reply is asked for, and the prompt may fill the context
};

/// A prompt is counted to the end where it has no more tokens beyond the room than these; of a
/// longer one it is known that it has more.
constexpr std::int64_t kCountedBeyond = 16'384;

/// Without a room no reply follows: nothing is too long, and the last message may call tools whose
/// results are missing. Throws RequestError: a bad request, or
/// context_exceeded with numbers. `stop` (may be empty) is asked now and then; once it says true,
/// the prompt is of no use any more and what comes is not the whole. `shown`: the request's media.
AnswerPrompt make_prompt(const AnswerRequest& request, const store::Recipe& recipe,
                         const PromptModel& model, const std::optional<PromptRoom>& room,
                         const std::function<bool()>& stop = {},
                         std::span<const ShownMedia> shown = {});

/// Throws RequestError where the vocabulary does not have one of them ("`field`: there is no token
/// 300000, ..."), or where one stands for a medium.
void check_tokens(const text::Vocabulary& vocabulary, std::span<const text::TokenId> tokens,
                  std::string_view field);

/// The tools that the model is told of.
Json offered_tools(const AnswerRequest& request);

}  // namespace pleiad::serving
