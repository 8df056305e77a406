#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace pleiad::store {

/// The first word of an instruction.
struct Instruction {
  std::string_view keyword;
};

/// Reads the text of a Modelfile: instructions of one line each, lines that begin with '#'
/// are comments. A value is the rest of its line, without blanks around it; or stands in
/// "quotes", which end the line; or begins with """ and goes on, over lines, until a line
/// ends with """. To end a line of such a text with """, write \""" (and \\ for a \ before it).
class ModelfileReader {
 public:
  explicit ModelfileReader(std::string_view text);

  /// The next instruction, whose word() and value() may then be asked for. Throws Error
  /// where something is left of the one before, or the text is not UTF-8.
  std::optional<Instruction> next();

  /// The next word of the line; empty at its end.
  std::string word();

  /// The rest of the instruction. Throws Error where quotes are not closed.
  std::string value();

  /// Where the instruction begins, counted from 1.
  std::size_t line() const { return line_; }

 private:
  std::string_view take_line();
  void skip_blanks();
  std::string long_value();

  std::string_view rest_;       // after the present line
  std::string_view line_rest_;  // of the present line
  std::size_t line_ = 0;        // of the instruction
  std::size_t n_lines_ = 0;     // taken
};

/// The value so that ModelfileReader reads it again: plain where that will do.
std::string quote_value(const std::string& value);

}  // namespace pleiad::store
