#include "base/os/random.h"

#include <windows.h>
// After it, whose types it uses.
#include <bcrypt.h>

#include <cerrno>

namespace pleiad::os {

bool fill_random(std::span<std::byte> bytes) {
  const NTSTATUS status =
      ::BCryptGenRandom(nullptr, reinterpret_cast<unsigned char*>(bytes.data()),
                        static_cast<ULONG>(bytes.size()), BCRYPT_USE_SYSTEM_PREFERRED_RNG);
  if (status != 0) errno = EIO;
  return status == 0;
}

}  // namespace pleiad::os
