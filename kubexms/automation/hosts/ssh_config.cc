#include "kubexms/automation/hosts/ssh_config.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

namespace kubexms::automation {
namespace {

constexpr std::string_view kSpace = " \t\r";
// As ssh has it.
constexpr int kMaxIncludeDepth = 16;
constexpr size_t kMaxFileBytes = 1 << 20;
constexpr size_t kMaxBlocks = 10'000;

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// The next word of the line, without its quotes; empty at the end or at a comment.
std::string TakeWord(std::string_view& line) {
  const size_t begin = line.find_first_not_of(kSpace);
  if (begin == std::string_view::npos || line[begin] == '#') {
    line = {};
    return {};
  }
  line.remove_prefix(begin);
  const bool quoted = line[0] == '"';
  if (quoted) line.remove_prefix(1);
  const size_t end = std::min(quoted ? line.find('"') : line.find_first_of(kSpace), line.size());
  std::string word(line.substr(0, end));
  line.remove_prefix(std::min(line.size(), end + (quoted ? 1 : 0)));
  return word;
}

// "Keyword value" and "Keyword=value" are the same.
std::string TakeKeyword(std::string_view& line) {
  const size_t begin = line.find_first_not_of(kSpace);
  if (begin == std::string_view::npos || line[begin] == '#') {
    line = {};
    return {};
  }
  line.remove_prefix(begin);
  const size_t end = std::min(line.find_first_of(" \t\r="), line.size());
  std::string keyword = Lower(line.substr(0, end));
  line.remove_prefix(end);
  const size_t value = line.find_first_not_of(kSpace);
  if (value != std::string_view::npos && line[value] == '=') line.remove_prefix(value + 1);
  return keyword;
}

// A pattern of ssh: * any characters, ? one.
bool MatchesPattern(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, mark = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || (pattern[p] == text[t] && pattern[p] != '*'))) {
      ++p, ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      mark = t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool MatchesAny(const std::vector<std::string>& patterns, std::string_view alias) {
  bool matches = false;
  for (const std::string_view pattern : patterns) {
    if (!pattern.starts_with('!'))
      matches = matches || MatchesPattern(pattern, alias);
    else if (MatchesPattern(pattern.substr(1), alias))
      return false;
  }
  return matches;
}

Result<int> ParsePort(std::string_view text) {
  int port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 1 || port > 65535) {
    return Error::BadRequest(fmt::format("\"{}\" is not a port: use 1 to 65535", text));
  }
  return port;
}

std::string ExpandHome(std::string path, std::string_view home) {
  if (path == "~" || path.starts_with("~/")) path.replace(0, 1, home);
  for (size_t at = path.find("%d"); at != std::string::npos; at = path.find("%d", at)) {
    path.replace(at, 2, home);
    at += home.size();
  }
  return path;
}

Result<void> SetKeyword(std::string_view keyword, std::string value, std::string_view home,
                        SshConfigEntry& entry) {
  const auto set = [&](std::string& field) {
    if (field.empty()) field = value;
  };
  if (keyword == "hostname") set(entry.host_name);
  if (keyword == "user") set(entry.user);
  if (keyword == "proxyjump") set(entry.proxy_jump);
  if (keyword == "identityfile") entry.identity_files.push_back(ExpandHome(value, home));
  if (keyword == "identitiesonly" && !entry.identities_only)
    entry.identities_only = Lower(value) == "yes";
  if (keyword == "userknownhostsfile" || keyword == "identityagent") {
    value = ExpandHome(value, home);
    set(keyword == "identityagent" ? entry.identity_agent : entry.known_hosts_file);
  }
  if (keyword == "port" && !entry.port) {
    ASSIGN_OR_RETURN(entry.port, ParsePort(value));
  }
  return {};
}

void Inherit(std::string& field, const std::string& from) {
  if (field.empty()) field = from;
}

}  // namespace

// Reads one file and those that it includes.
class SshConfig::Reader {
 public:
  Reader(std::string_view home, SshConfig* config) : home_(home), config_(config) {}

  Result<void> Read(std::string_view text, const std::string& file, int depth) {
    file_ = file;
    for (int number = 1; !text.empty(); ++number) {
      std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      const std::string keyword = TakeKeyword(line);
      if (keyword.empty()) continue;
      number_ = number;
      if (keyword == "include") {
        RETURN_IF_ERROR(Include(line, depth));
        file_ = file;
        continue;
      }
      if (keyword == "host" || keyword == "match") {
        config_->blocks_.push_back({.conditions = outer_});
        Condition condition =
            keyword == "host" ? Condition{.patterns = TakeWords(line)} : ReadMatch(TakeWords(line));
        config_->blocks_.back().conditions.push_back(std::move(condition));
        continue;
      }
      const Result<void> set =
          SetKeyword(keyword, TakeWord(line), home_, config_->blocks_.back().entry);
      if (!set.ok()) return set.error().WithContext(Place());
    }
    return {};
  }

 private:
  std::string Place() const {
    return file_.empty() ? fmt::format("line {}", number_) : fmt::format("{}:{}", file_, number_);
  }
  void Warn(std::string_view what) {
    config_->warnings_.push_back(fmt::format("{}: {}", Place(), what));
  }

  static std::vector<std::string> TakeWords(std::string_view line) {
    std::vector<std::string> words;
    for (std::string word = TakeWord(line); !word.empty(); word = TakeWord(line)) {
      words.push_back(std::move(word));
    }
    return words;
  }

  // "host a,b !user c": what depends on more than the host's name is never true.
  Condition ReadMatch(const std::vector<std::string>& words) {
    Condition condition{.patterns = {"*"}};
    for (size_t i = 0; i < words.size(); ++i) {
      const bool negated = words[i].starts_with('!');
      const std::string criterion = Lower(std::string_view(words[i]).substr(negated ? 1 : 0));
      if (criterion == "all" && !negated) continue;
      const bool by_name = criterion == "host" || criterion == "originalhost";
      if (!by_name || i + 1 == words.size()) {
        Warn(fmt::format("Match {} is not supported; its block is ignored", criterion));
        condition.never = true;
        return condition;
      }
      condition.criteria.push_back({.patterns = SplitAtCommas(words[++i]),
                                    .original = criterion == "originalhost",
                                    .negated = negated});
    }
    return condition;
  }

  static std::vector<std::string> SplitAtCommas(std::string_view text) {
    std::vector<std::string> parts;
    for (;;) {
      const size_t comma = text.find(',');
      parts.emplace_back(text.substr(0, comma));
      if (comma == std::string_view::npos) return parts;
      text.remove_prefix(comma + 1);
    }
  }

  // What the files say holds where the block that includes them does.
  Result<void> Include(std::string_view line, int depth) {
    if (depth >= kMaxIncludeDepth) {
      Warn("too many nested includes; this file is ignored");
      return {};
    }
    const std::vector<Condition> outer = outer_;
    const std::vector<Condition> around = config_->blocks_.back().conditions;
    for (std::string pattern : TakeWords(line)) {
      pattern = ExpandHome(std::move(pattern), home_);
      if (!pattern.starts_with('/')) pattern = fmt::format("{}/.ssh/{}", home_, pattern);
      for (const std::string& path : FilesLike(pattern)) {
        outer_ = around;
        config_->blocks_.push_back({.conditions = around});
        std::ifstream file(path, std::ios::binary);
        std::string text(kMaxFileBytes + 1, '\0');
        file.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<size_t>(file.gcount()));
        if (text.size() > kMaxFileBytes || config_->blocks_.size() > kMaxBlocks) {
          return Error::BadRequest(fmt::format("{}: {} is too large", Place(), path));
        }
        const int number = number_;
        RETURN_IF_ERROR(Read(text, path, depth + 1));
        number_ = number;
      }
    }
    outer_ = outer;
    config_->blocks_.push_back({.conditions = around});
    return {};
  }

  static std::vector<std::string> FilesLike(const std::string& pattern) {
    glob_t found{};
    std::vector<std::string> paths;
    if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
      paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    }
    ::globfree(&found);
    return paths;
  }

  const std::string home_;
  SshConfig* const config_;
  std::vector<Condition> outer_;  // of the blocks that include this file
  std::string file_;
  int number_ = 0;
};

Result<SshConfig> SshConfig::Parse(std::string_view text, std::string_view home,
                                   const std::string& file) {
  SshConfig config;
  config.blocks_.push_back({});
  RETURN_IF_ERROR(Reader(home, &config).Read(text, file, 0));
  return config;
}

Result<SshConfig> SshConfig::Load(const std::string& path, std::string_view home) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return Parse(text, home, path);
}

bool SshConfig::Condition::Matches(std::string_view alias, std::string_view host_name) const {
  if (never || !MatchesAny(patterns, alias)) return false;
  return std::ranges::all_of(criteria, [&](const Criterion& criterion) {
    const bool original = criterion.original || host_name.empty();
    return MatchesAny(criterion.patterns, original ? alias : host_name) != criterion.negated;
  });
}

SshConfigEntry SshConfig::Lookup(std::string_view alias) const {
  SshConfigEntry found;
  for (const Block& block : blocks_) {
    const auto holds = [&](const Condition& each) { return each.Matches(alias, found.host_name); };
    if (!std::ranges::all_of(block.conditions, holds)) continue;
    const SshConfigEntry& entry = block.entry;
    Inherit(found.host_name, entry.host_name);
    Inherit(found.user, entry.user);
    Inherit(found.proxy_jump, entry.proxy_jump);
    Inherit(found.known_hosts_file, entry.known_hosts_file);
    Inherit(found.identity_agent, entry.identity_agent);
    if (!found.port) found.port = entry.port;
    if (!found.identities_only) found.identities_only = entry.identities_only;
    found.identity_files.insert(found.identity_files.end(), entry.identity_files.begin(),
                                entry.identity_files.end());
  }
  return found;
}

Result<SshAddress> ParseSshAddress(std::string_view text) {
  SshAddress address;
  std::string_view rest = text;
  if (const size_t at = rest.rfind('@'); at != std::string_view::npos) {
    address.user = rest.substr(0, at);
    rest.remove_prefix(at + 1);
  }
  std::string_view port;
  if (rest.starts_with('[')) {
    const size_t close = rest.find(']');
    if (close == std::string_view::npos) {
      return Error::BadRequest(fmt::format("\"{}\": the bracket is not closed", text));
    }
    port = rest.substr(close + 1);
    rest = rest.substr(1, close - 1);
  } else if (const size_t colon = rest.find(':'); colon != std::string_view::npos) {
    port = rest.substr(colon);
    rest = rest.substr(0, colon);
  }
  address.host = rest;
  if (address.host.empty()) return Error::BadRequest(fmt::format("\"{}\" has no host", text));
  if (port.empty()) return address;
  if (port[0] != ':') return Error::BadRequest(fmt::format("\"{}\" is not an address", text));
  ASSIGN_OR_RETURN(address.port, ParsePort(port.substr(1)));
  return address;
}

Result<std::vector<SshAddress>> ParseProxyJump(std::string_view text) {
  std::vector<SshAddress> addresses;
  if (text.empty() || text == "none") return addresses;
  for (;;) {
    const size_t comma = text.find(',');
    ASSIGN_OR_RETURN(SshAddress address, ParseSshAddress(text.substr(0, comma)));
    addresses.push_back(std::move(address));
    if (comma == std::string_view::npos) return addresses;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace kubexms::automation
