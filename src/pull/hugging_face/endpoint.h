#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace pleiad::pull::hugging_face {

/// Where a hub is: Hugging Face itself, or a mirror of it.
struct Endpoint {
  std::string origin;  // "https://huggingface.co", "http://127.0.0.1:8080"
  std::string prefix;  // of all its paths: "" or "/hub"
  std::string host;    // "huggingface.co", "127.0.0.1:8080": for messages

  /// An address as HF_ENDPOINT has it; slashes at its end do not count. A Failure is a sentence
  /// without its subject.
  static Result<Endpoint> parse(std::string_view address);

  /// The whole URL of a path that begins with "/".
  std::string url(std::string_view path) const;

  /// Where an answer of this hub leads ("/api/...?cursor=x" or a whole URL) as a URL of this hub:
  /// a mirror may hand out addresses of huggingface.co as they came. A Failure where it is of yet
  /// another host.
  Result<std::string> own_url(std::string_view target) const;

  bool is_mirror() const { return host != "huggingface.co"; }
};

/// "HOST:PORT" of the mirror at an address as HF_ENDPOINT has it, for who lets it be asked by http
/// and without a look at its certificate. Empty where the address is none, and for Hugging Face
/// itself however it is written: whoever stands in between could read its token.
std::string mirror_authority(std::string_view address);

/// A part of a URL's path: all but letters, digits, '-', '.', '_' and '~' as %XX.
std::string escaped_part(std::string_view text);

/// The same of a path: slashes stay.
std::string escaped_path(std::string_view text);

}  // namespace pleiad::pull::hugging_face
