#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "download/session.h"
#include "download/surroundings.h"
#include "download/trouble.h"

namespace pleiad::download {

/// A file of another host, and where its bytes go.
struct FileRequest {
  std::string url = {};
  /// The value of Authorization for the URL's own origin; "" is none. Asked once at the beginning,
  /// and with `renew` after the origin has answered 401 or 403: who has nothing newer gives a
  /// Failure, which ends the download with its words. Empty: none is sent.
  std::function<Result<std::string>(bool renew)> authorization = {};
  /// Bytes; 0: not known. An answer that says otherwise is refused before a byte is written.
  std::uint64_t size = 0;
  /// 64 lower-case hex digits; empty: size and ETag are all that is checked.
  std::string sha256 = {};
  /// The ETag that the URL's own origin is known to give, as it stands in the header; empty: not
  /// known. With it a partial file is resumed also where there is no `sha256`, if the answer still
  /// has it.
  std::string etag = {};
  /// Grows from its end: at every moment it is a prefix of the file. What is there is resumed,
  /// hashed again; it does not matter who wrote it. Its folder must be there. It is neither renamed
  /// nor removed when it is whole.
  std::filesystem::path partial = {};
  /// Told what happens to the download beside its bytes, in a sentence for the user: it starts over
  /// because the file changed, waits because the host asks for it. May be empty.
  std::function<void(const std::string&)> note = {};
  /// Connections at a time, where the host gives ranges.
  int connections = 4;
};

/// A whole file, checked and on the disk (fsync).
struct FileReceipt {
  std::uint64_t size = 0;
  std::string sha256;               // of the whole file, as computed
  std::string etag;                 // of the host that gave the bytes; may be empty
  std::string host;                 // that gave them
  std::uint64_t resumed = 0;        // bytes that were there before
  std::uint64_t fetched = 0;        // bytes of bodies that came in this call
  std::uint64_t fetched_again = 0;  // those among them that had come before, or were dropped
  int retries = 0;                  // requests that had to be made again
};

/// Fetches a file, by several connections whose pieces are appended in order. `so_far` is told how
/// many bytes the partial file holds, from this thread, a few times a second. A connection that
/// breaks, stalls, or is answered 408, 429 or 5xx is tried again with growing waits, as long as
/// RetryPolicy says; what it had brought is kept. A 401 or 403 asks for a new authorization and
/// follows the URL's redirects again, since signed URLs expire.
///
/// After a Failure the partial file is a prefix that the next call resumes; only where the bytes
/// are not what `sha256` says it is deleted: the message names the host that gave them. Memory: at
/// most 40 MiB, whatever the file.
Outcome<FileReceipt> download_file(Session& session, const FileRequest& request,
                                   const std::function<void(std::uint64_t so_far)>& so_far,
                                   const Stop& stop);

}  // namespace pleiad::download
