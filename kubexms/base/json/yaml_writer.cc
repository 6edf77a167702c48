#include <algorithm>

#include "kubexms/base/json/yaml.h"
#include "kubexms/base/json/yaml_scalar.h"

namespace kubexms {
namespace {

// Parsers search for the colon after a key in at most 1024 characters; longer keys need "? ".
constexpr size_t kLongestSimpleKey = 1000;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The style of a string.
enum class Style { kPlain, kSingleQuoted, kDoubleQuoted, kLiteral };

// Properties of a string that determine its style.
struct Analysis {
  bool special = false;  // has characters that only double quotes can hold
  bool multiline = false;
  bool tab = false;
  bool indicator = false;    // would be read as structure if it were plain
  bool space_break = false;  // has a line that ends with a space or tab
};

// U+0080 to U+009F, U+2028, U+2029, U+FEFF, U+FFFE and U+FFFF: YAML refuses them or reads them as
// line breaks, so they are written as escapes. `text` begins with the lead byte.
bool IsInvisible(std::string_view text) {
  static constexpr std::string_view kSequences[] = {"\xE2\x80\xA8", "\xE2\x80\xA9", "\xEF\xBB\xBF",
                                                    "\xEF\xBF\xBE", "\xEF\xBF\xBF"};
  if (text[0] == '\xC2') return text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0;
  return std::any_of(std::begin(kSequences), std::end(kSequences),
                     [&](std::string_view sequence) { return text.starts_with(sequence); });
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// `text` is not empty.
Analysis Analyze(std::string_view text) {
  Analysis found;
  const auto blank_or_end = [&](size_t i) {
    return i >= text.size() || IsBlank(text[i]) || text[i] == '\n';
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '\n':
        found.multiline = true;
        found.space_break |= i > 0 && IsBlank(text[i - 1]);
        break;
      case '\t': found.tab = true; break;
      case ':': found.indicator |= blank_or_end(i + 1); break;
      case '#': found.indicator |= i > 0 && IsBlank(text[i - 1]); break;
      default: found.special |= (c >= 0 && c < ' ') || c == '\x7F' || IsInvisible(text.substr(i));
    }
  }
  static constexpr std::string_view kFirst = ",[]{}#&*!|>'\"%@`";
  const char first = text.front();
  found.indicator |= IsBlank(first) || IsBlank(text.back()) ||
                     kFirst.find(first) != std::string_view::npos ||
                     ((first == '-' || first == '?' || first == ':') && blank_or_end(1)) ||
                     text.starts_with("---") || text.starts_with("...");
  return found;
}

// Strings that other YAML readers resolve to dates or numbers of base 60.
bool OthersMayMisread(std::string_view text) {
  const bool year = text.size() > 4 && std::all_of(text.begin(), text.begin() + 4, IsDigit);
  if (year && text[4] == '-') return true;
  const size_t first = text.find_first_not_of("+-");
  return first <= 1 && IsDigit(text[first]) && text.find(':') != std::string_view::npos &&
         text.find_first_not_of("0123456789_:.", first) == std::string_view::npos;
}

bool ReadsAsText(std::string_view text) {
  return ResolveYamlScalar(text).kind == YamlScalar::Kind::kString && text != "<<" && text != "=" &&
         !OthersMayMisread(text);
}

bool FitsLiteral(std::string_view text, const Analysis& found) {
  return !found.space_break && !IsBlank(text.front()) && text.front() != '\n' &&
         !IsBlank(text.back());
}

Style ChooseStyle(std::string_view text) {
  if (text.empty() || !ReadsAsText(text)) return Style::kDoubleQuoted;
  const Analysis found = Analyze(text);
  if (found.special) return Style::kDoubleQuoted;
  if (found.multiline) return FitsLiteral(text, found) ? Style::kLiteral : Style::kDoubleQuoted;
  if (found.tab) return Style::kDoubleQuoted;
  return found.indicator ? Style::kSingleQuoted : Style::kPlain;
}

void AppendSingleQuoted(std::string_view text, std::string& out) {
  out += '\'';
  for (const char c : text) {
    out += c;
    if (c == '\'') out += c;
  }
  out += '\'';
}

// JSON escapes, and escapes for characters that JSON allows but YAML does not.
void AppendDoubleQuoted(std::string_view text, std::string& out) {
  const std::string json = QuoteJson(text);
  for (size_t i = 0; i < json.size(); ++i) {
    const std::string_view rest = std::string_view(json).substr(i);
    if (rest[0] == '\x7F') {
      out += "\\x7f";
    } else if (IsInvisible(rest)) {
      static constexpr char kHex[] = "0123456789abcdef";
      const bool two = rest[0] == '\xC2';
      const unsigned code = two ? static_cast<unsigned char>(rest[1])
                                : (static_cast<unsigned>(rest[0] & 0x0F) << 12 |
                                   static_cast<unsigned>(rest[1] & 0x3F) << 6 |
                                   static_cast<unsigned>(rest[2] & 0x3F));
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) out += kHex[code >> shift & 15];
      i += two ? 1 : 2;
    } else {
      out += rest[0];
    }
  }
}

void Indent(int indent, std::string& out) { out.append(static_cast<size_t>(indent), ' '); }

void AppendLiteral(std::string_view text, int indent, std::string& out) {
  indent = std::max(indent, 2);  // also at the top level
  out += !text.ends_with('\n') ? "|-" : text.ends_with("\n\n") ? "|+" : "|";
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    out += '\n';
    if (!line.empty()) Indent(indent, out);
    out += line;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
}

void AppendString(std::string_view text, int indent, std::string& out) {
  switch (ChooseStyle(text)) {
    case Style::kPlain: out += text; break;
    case Style::kSingleQuoted: AppendSingleQuoted(text, out); break;
    case Style::kDoubleQuoted: AppendDoubleQuoted(text, out); break;
    case Style::kLiteral: AppendLiteral(text, indent, out); break;
  }
}

void AppendKey(std::string_view key, std::string& out) {
  if (ChooseStyle(key) == Style::kLiteral) return AppendDoubleQuoted(key, out);
  AppendString(key, 0, out);
}

bool IsFilled(const JsonArray* array) { return array != nullptr && !array->empty(); }
bool IsFilled(const JsonObject* object) { return object != nullptr && !object->empty(); }

void AppendBlock(const Json& value, int indent, std::string& out);

// A value after "key:" or "-", with its separator. Ends without a line break.
void AppendMemberValue(const Json& value, int indent, std::string& out) {
  if (IsFilled(value.if_object())) {
    out += '\n';
    Indent(indent + 2, out);
    AppendBlock(value, indent + 2, out);
  } else if (IsFilled(value.if_array())) {
    // As kubectl: the dashes are in the column of the key.
    out += '\n';
    Indent(indent, out);
    AppendBlock(value, indent, out);
  } else {
    out += ' ';
    AppendBlock(value, indent + 2, out);
  }
}

void AppendMapping(const JsonObject& object, int indent, std::string& out) {
  bool first = true;
  for (const auto* member : SortedMembers(object)) {
    if (!std::exchange(first, false)) {
      out += '\n';
      Indent(indent, out);
    }
    const size_t start = out.size();
    AppendKey(member->key(), out);
    if (out.size() - start > kLongestSimpleKey) {
      out.insert(start, "? ");
      out += '\n';
      Indent(indent, out);
    }
    out += ':';
    AppendMemberValue(member->value(), indent, out);
  }
}

void AppendSequence(const JsonArray& array, int indent, std::string& out) {
  bool first = true;
  for (const Json& item : array) {
    if (!std::exchange(first, false)) {
      out += '\n';
      Indent(indent, out);
    }
    out += "- ";
    AppendBlock(item, indent + 2, out);
  }
}

// The first line is already indented; further ones are by `indent`. Ends without a line break.
void AppendBlock(const Json& value, int indent, std::string& out) {
  if (const JsonObject* object = value.if_object(); IsFilled(object)) {
    AppendMapping(*object, indent, out);
  } else if (const JsonArray* array = value.if_array(); IsFilled(array)) {
    AppendSequence(*array, indent, out);
  } else if (const JsonString* text = value.if_string()) {
    AppendString(AsView(*text), indent, out);
  } else {
    out += WriteJson(value);
  }
}

}  // namespace

std::string WriteYaml(const Json& value) {
  std::string out;
  AppendBlock(value, 0, out);
  out += '\n';
  return out;
}

}  // namespace kubexms
