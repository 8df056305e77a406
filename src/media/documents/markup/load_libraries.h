#pragma once

namespace pleiad::media {

/// Loads the libraries that read HTML and DOCX, for a process that is about to give up the right to
/// open files. Where they are missing nothing happens: whoever needs them is told.
void load_markup_libraries();

}  // namespace pleiad::media
