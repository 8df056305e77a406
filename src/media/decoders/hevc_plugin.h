#pragma once

namespace pleiad::media {

/// Gives libheif a decoder of HEVC that works in the calling thread alone, once a process. Its own
/// one starts a thread and waits for it for ever where no thread can be started, as in a confined
/// process.
void register_hevc_plugin();

}  // namespace pleiad::media
