#include "base/text_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/text_format.h"

namespace pleiad {
namespace {

/// Characters that a terminal shows: bytes but those that continue one.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string cell_text(const std::string& text) { return printable(text, std::string::npos); }

}  // namespace

TextTable::TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.title = cell_text(column.title);
}

void TextTable::add(std::vector<std::string> row) {
  CHECK(row.size() == columns_.size(), "{} cells for {} columns", row.size(), columns_.size());
  for (std::string& cell : row) cell = cell_text(cell);
  rows_.push_back(std::move(row));
}

std::vector<std::string> TextTable::titles() const {
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  return titles;
}

std::string TextTable::text() const {
  std::vector<std::vector<std::string>> lines = {titles()};
  lines.insert(lines.end(), rows_.begin(), rows_.end());
  std::vector<std::size_t> widths(columns_.size());
  for (const auto& cells : lines) {
    for (std::size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], width(cells[i]));
  }
  std::string text;
  for (const auto& cells : lines) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string blanks(widths[i] - width(cells[i]), ' ');
      if (i > 0) line += "  ";
      line += columns_[i].is_number ? blanks + cells[i] : cells[i] + blanks;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string TextTable::markdown() const {
  const auto bars = [](const std::vector<std::string>& cells) {
    std::string line = "|";
    for (const std::string& cell : cells) {
      line += ' ';
      for (const char c : cell) line += c == '|' ? std::string("\\|") : std::string(1, c);
      line += " |";
    }
    return line + "\n";
  };
  std::string text = bars(titles());
  for (const Column& column : columns_) text += column.is_number ? "|---:" : "|---";
  text += "|\n";
  for (const auto& row : rows_) text += bars(row);
  return text;
}

}  // namespace pleiad
