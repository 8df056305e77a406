#include "apps/usage/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "apps/usage/roff.h"

namespace pleiad::apps {

namespace {

using Kind = ValueText::Kind;

/// A footer's prose, and its examples: the lines that are moved to the right.
struct FooterParts {
  std::string prose;
  std::string examples;
};

FooterParts split_footer(const std::string& footer) {
  FooterParts parts;
  std::istringstream stream(footer);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("  ")) {
      parts.examples += line.substr(2) + "\n";
      continue;
    }
    for (const std::string_view title : {"Examples:", "Example:"}) {
      if (line.ends_with(title)) line.erase(line.size() - title.size());
    }
    parts.prose += line + "\n";
  }
  return parts;
}

/// "chat with a model": as the line below NAME wants it.
std::string without_capital(std::string text) {
  const bool word = text.size() > 1 && std::islower(static_cast<unsigned char>(text[1]));
  if (word) text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

/// What fits into the line below NAME: the text up to the first pause where it is too long.
std::string brief(std::string about) {
  constexpr std::size_t kLongest = 55;  // bytes; with a name and escapes, less than a line of 80
  if (about.size() <= kLongest) return about;
  std::size_t end = about.size();
  for (const std::string_view pause : {", ", "; ", ": ", " ("}) {
    end = std::min(end, about.find(pause));
  }
  return about.substr(0, end);
}

/// A description as sentences: CLI11's have no full stop at the end.
std::string as_sentence(std::string text) {
  if (text.empty() || text.ends_with('.') || text.ends_with('?')) return text;
  return text + ".";
}

std::string term_of(const OptionText& option) {
  std::string term;
  const bool by_itself = option.value.kind != Kind::none && !option.value.is_optional;
  for (const std::string& name : option.names) {
    term += (term.empty() ? "" : ", ") + roff_bold(name);
  }
  if (by_itself) term += " " + roff_italic(option.value.name);
  if (option.value.is_optional) term += roff_italic(option.value.name);
  return term;
}

void add_items(RoffPage& page, const std::vector<OptionText>& options) {
  std::vector<std::string> groups;
  for (const OptionText& option : options) {
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  }
  const auto rank = [](const std::string& group) { return group == "Options" ? 0 : 1; };
  std::ranges::stable_sort(groups, {}, rank);
  for (const std::string& group : groups) {
    if (rank(group) > 0) page.subheading(group);
    for (const OptionText& option : options) {
      if (option.group != group) continue;
      page.item(term_of(option),
                as_sentence(option.about) + (option.required ? " It has to be given." : ""));
    }
  }
}

std::string positional_in_synopsis(const PositionalText& positional) {
  std::string text = roff_italic(positional.name);
  if (positional.most > 1) text += "...";
  return positional.required ? text : "[" + text + "]";
}

void add_named(RoffPage& page, std::string_view heading, const std::vector<NamedText>& texts) {
  if (texts.empty()) return;
  page.heading(heading);
  for (const NamedText& named : texts) page.item(roff_bold(named.name), named.about);
}

void add_exit_status(RoffPage& page, const std::string& command) {
  page.heading("Exit status");
  page.item("0", "It did what was asked for.");
  page.item("1", command == "verify" ? "Something is wrong with the model, or it failed."
                                     : "It failed; the error output says why.");
  page.item("2", "The command line is wrong; the error output says what was expected.");
  page.item("130", "It was stopped by Ctrl-C.");
}

std::string reference(const ProgramText& program, const std::string& command) {
  const std::string name = command.empty() ? program.name : program.name + "-" + command;
  return roff_bold(name) + "(1)";
}

ManPage command_page(const ProgramText& program, const CommandText& command, const ManFacts& facts,
                     const std::vector<NamedText>& settings) {
  const std::string name = program.name + "-" + command.name;
  RoffPage page(name, "1", facts.date, program.name + " " + facts.version);
  page.heading("Name");
  page.raw(roff_escaped(name) + " \\- " + roff_escaped(without_capital(brief(command.about))));
  page.heading("Synopsis");
  std::string synopsis =
      roff_bold(program.name + " " + command.name) + " [" + roff_italic("OPTION") + "]...";
  for (const PositionalText& positional : command.positionals) {
    synopsis += " " + positional_in_synopsis(positional);
  }
  page.raw(synopsis);
  page.heading("Description");
  const FooterParts footer = split_footer(command.footer);
  page.paragraph(as_sentence(command.about));
  page.paragraph(footer.prose);
  if (!command.aliases.empty()) {
    page.paragraph(fmt::format("It is called `{}` too.", fmt::join(command.aliases, "`, `")));
  }
  for (const PositionalText& positional : command.positionals) {
    page.item(roff_italic(positional.name), as_sentence(positional.about));
  }
  page.heading("Options");
  add_items(page, command.options);
  if (command.name == "serve") add_named(page, "Environment", settings);
  add_exit_status(page, command.name);
  if (!footer.examples.empty()) {
    page.heading("Examples");
    page.block(footer.examples);
  }
  page.heading("See also");
  page.raw(reference(program, ""));
  return {name + ".1", page.text()};
}

ManPage program_page(const ProgramText& program, const ManFacts& facts) {
  RoffPage page(program.name, "1", facts.date, program.name + " " + facts.version);
  const FooterParts about = split_footer(program.about);
  page.heading("Name");
  page.raw(roff_escaped(program.name) + " \\- " +
           roff_escaped("run Gemma 4 language models on the processor"));
  page.heading("Synopsis");
  page.raw(roff_bold(program.name) + " " + roff_italic("COMMAND") + " [" + roff_italic("OPTION") +
           "]... [" + roff_italic("ARGUMENT") + "]...");
  page.heading("Description");
  page.paragraph(about.prose);
  page.paragraph(
      "Options and arguments may stand in any order; what follows `--` is no option. A value "
      "follows its option as a word of its own or behind `=`. `pleiad help` COMMAND prints what a "
      "command takes.");
  page.heading("Commands");
  for (const CommandText& command : program.commands) {
    if (command.hidden) continue;
    page.item(reference(program, command.name), as_sentence(command.about));
  }
  page.heading("Options");
  add_items(page, program.options);
  add_named(page, "Environment", environment_texts());
  add_named(page, "Files", place_texts());
  add_exit_status(page, "");
  page.heading("Examples");
  page.block(about.examples);
  page.heading("See also");
  std::string all;
  for (const CommandText& command : program.commands) {
    if (command.hidden) continue;
    if (!all.empty()) page.raw(all + ",");
    all = reference(program, command.name);
  }
  page.raw(all);
  return {program.name + ".1", page.text()};
}

}  // namespace

std::vector<ManPage> man_pages(const ProgramText& program, const ManFacts& facts,
                               const std::vector<NamedText>& settings) {
  std::vector<ManPage> pages = {program_page(program, facts)};
  for (const CommandText& command : program.commands) {
    if (!command.hidden) pages.push_back(command_page(program, command, facts, settings));
  }
  return pages;
}

}  // namespace pleiad::apps
