#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "pull/registry/pushed_image.h"
#include "pull/registry/registry_client.h"

namespace pleiad::pull {

/// How blobs are sent.
struct UploadLimits {
  /// Larger blobs are sent in chunks of so many bytes, so that what breaks off goes on there.
  std::uint64_t chunk = std::uint64_t{64} << 20;
};

/// Sends a blob unless the registry has it: in one request, or in chunks that begin again where the
/// registry says that its bytes end. What breaks off is tried again with growing waits, as often in
/// a row as the session's RetryPolicy says, or as Retry-After asks for. Not all registries can say
/// where an upload ends: distribution 2.8 gives up one that broke off within a chunk. Such an
/// upload begins again, twice at most. `so_far` is told how many bytes are there.
Result<bool> upload_blob(RegistryClient& client, const PushedBlob& blob,
                         const std::function<void(std::uint64_t)>& so_far,
                         const download::Stop& stop, const UploadLimits& limits = {});

/// The number behind '-' in "0-1023" or "bytes=0-1023", plus one: how many bytes an upload has.
/// Nothing for anything else.
std::optional<std::uint64_t> parse_upload_range(std::string_view value);

}  // namespace pleiad::pull
