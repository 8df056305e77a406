#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "store/model_name.h"

namespace pleiad::pull {

/// Who has a model.
enum class Place : std::uint8_t {
  registry,      // of Ollama's or Docker's protocol
  hugging_face,  // a repository of the Hugging Face hub, or of a mirror
  path,          // a file or folder of this machine
};

/// What somebody who names a model means. The one parser of all commands and APIs:
///
///   gemma4, gemma4:e2b                     registry.ollama.ai/library/gemma4, tag "latest"
///   user/model:tag                         registry.ollama.ai/user/model
///   host[:port]/user/model[:tag]           another registry
///   hf.co/user/repo[:choice]               Hugging Face; "huggingface.co/..." likewise
///   hf:user/repo[@revision][:choice]       Hugging Face, of a revision
///   /a/path, ./a/path, ~/a/path, x.gguf    a path (see store::is_said_as_path)
///
/// and, as they stand in a browser, pages of a model there:
///
///   https://huggingface.co/user/repo[/tree/revision | /blob/revision/file | /resolve/...]
///   https://ollama.com/library/gemma4[:tag], https://ollama.com/user/model[:tag]
///
/// Letters keep their case. "https://" before a host is taken away; "http://" is refused, with
/// what to say instead. Where a choice and a revision are both said, the revision stands first.
struct ModelReference {
  Place place = Place::registry;

  store::ModelName name;  // registry: all four parts are there

  std::string repository;  // hugging_face: "user/repo"
  std::string revision;    // hugging_face: a branch, tag or commit; empty: "main"
  std::string choice;      // hugging_face: a quantization ("Q4_K_M"), a file's name with or without
                           // its folder ("x/y.gguf"), "safetensors"; empty: the source's choice

  std::filesystem::path path;  // path: as it was given

  /// A Failure says what was expected and found. Any bytes may be given. What is returned can
  /// leave no folder: no part of a repository, revision or choice is "..", empty or begins with
  /// '/'.
  static Result<ModelReference> parse(std::string_view text);

  /// As it is written shortest, and parses to the same: "gemma4:e2b", "hf.co/user/repo:Q4_K_M",
  /// "hf:user/repo@main:Q4_K_M".
  std::string text() const;

  /// Whom it is asked of: "registry.ollama.ai", "localhost:5000", "huggingface.co" (whatever the
  /// mirror is); empty for a path.
  std::string host() const;

  bool operator==(const ModelReference& other) const { return text() == other.text(); }
};

/// "user/repo": two parts of letters, digits, '-', '_' and '.', 96 characters each at most, that
/// neither begin nor end with '-' or '.' nor hold ".." or "--".
bool is_repository(std::string_view text);

}  // namespace pleiad::pull
