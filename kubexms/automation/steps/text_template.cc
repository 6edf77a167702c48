#include "kubexms/automation/steps/text_template.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace kubexms::automation {
namespace {

constexpr size_t kMaxDepth = 32;

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

struct Token {
  enum class Kind { kText, kValue, kFor, kIf, kElse, kEnd };
  Kind kind = Kind::kText;
  std::string_view text;  // the text, the path of the value, or of the list
  std::string_view name;  // of the variable of a for
  int line = 1;
};

Error At(int line, std::string_view what) {
  return Error::BadRequest(fmt::format("line {}: {}", line, what));
}

Result<Token> MakeTag(std::string_view inside, int line) {
  Token token{.kind = Token::Kind::kValue, .text = inside, .line = line};
  const size_t space = inside.find(' ');
  const std::string_view word = inside.substr(0, space);
  const std::string_view rest =
      space == std::string_view::npos ? std::string_view() : Trim(inside.substr(space));
  if (word == "end" && rest.empty()) {
    token.kind = Token::Kind::kEnd;
  } else if (word == "else" && rest.empty()) {
    token.kind = Token::Kind::kElse;
  } else if (word == "if" && !rest.empty()) {
    token.kind = Token::Kind::kIf;
    token.text = rest;
  } else if (word == "for") {
    const size_t in = rest.find(" in ");
    if (in == std::string_view::npos) return At(line, "write {{ for NAME in LIST }}");
    token.kind = Token::Kind::kFor;
    token.name = Trim(rest.substr(0, in));
    token.text = Trim(rest.substr(in + 4));
  } else if (inside.empty() || inside.find(' ') != std::string_view::npos) {
    return At(line, fmt::format("\"{}\" is not the name of a value", inside));
  }
  return token;
}

// Whether a tag from `begin` to `end` is alone on its line; then the line goes with it.
bool IsAlone(std::string_view text, size_t begin, size_t end) {
  const size_t line = text.rfind('\n', begin == 0 ? 0 : begin - 1);
  const size_t from = begin == 0 || line == std::string_view::npos ? 0 : line + 1;
  const size_t to = std::min(text.find('\n', end), text.size());
  return Trim(text.substr(from, begin - from)).empty() && Trim(text.substr(end, to - end)).empty();
}

Result<std::vector<Token>> Tokenize(std::string_view text) {
  std::vector<Token> tokens;
  size_t at = 0;
  const auto line_of = [&](size_t place) {
    return 1 + static_cast<int>(
                   std::count(text.begin(), text.begin() + static_cast<long>(place), '\n'));
  };
  while (at < text.size()) {
    const size_t open = std::min(text.find("{{", at), text.size());
    const size_t close = text.find("}}", open);
    std::string_view before = text.substr(at, open - at);
    if (open == text.size()) {
      tokens.push_back({.text = before, .line = line_of(at)});
      break;
    }
    if (close == std::string_view::npos) return At(line_of(open), "\"{{\" is not closed");
    ASSIGN_OR_RETURN(Token tag,
                     MakeTag(Trim(text.substr(open + 2, close - open - 2)), line_of(open)));
    at = close + 2;
    if (tag.kind != Token::Kind::kValue && IsAlone(text, open, at)) {
      before = before.substr(0, before.find_last_not_of(" \t") + 1);
      at = std::min(text.find('\n', at), text.size() - 1) + 1;
    }
    tokens.push_back({.text = before, .line = tag.line});
    tokens.push_back(tag);
  }
  return tokens;
}

class Renderer {
 public:
  Renderer(const std::vector<Token>& tokens, const JsonObject& values)
      : tokens_(tokens), values_(values) {}

  Result<std::string> Run() {
    RETURN_IF_ERROR(Block(true, 0));
    if (at_ < tokens_.size()) return At(tokens_[at_].line, "there is nothing to end here");
    return std::move(out_);
  }

 private:
  struct Variable {
    std::string_view name;
    const Json* value;
  };

  // Up to the end of the block, which is not taken. Without `live` nothing is written.
  Result<void> Block(bool live, size_t depth);
  Result<void> For(bool live, size_t depth);
  Result<void> If(bool live, size_t depth);
  Result<void> ExpectEnd(const Token& opening);
  Result<void> Write(const Token& token);
  const Json* Find(std::string_view path) const;

  const std::vector<Token>& tokens_;
  const JsonObject& values_;
  std::vector<Variable> variables_;
  size_t at_ = 0;
  std::string out_;
};

const Json* Renderer::Find(std::string_view path) const {
  const size_t dot = path.find('.');
  const std::string_view first = path.substr(0, dot);
  const Json* found = values_.if_contains(first);
  for (const Variable& variable : variables_) {
    if (variable.name == first) found = variable.value;
  }
  while (found && path.find('.') != std::string_view::npos) {
    path.remove_prefix(path.find('.') + 1);
    found = FindMember(*found, path.substr(0, path.find('.')));
  }
  return found;
}

Result<void> Renderer::Write(const Token& token) {
  const Json* value = Find(token.text);
  if (!value) return At(token.line, fmt::format("there is no value {}", token.text));
  if (value->is_structured() || value->is_null()) {
    return At(token.line,
              fmt::format("{} is {}, which cannot be written", token.text, JsonTypeName(*value)));
  }
  if (const JsonString* text = value->if_string())
    out_ += AsView(*text);
  else
    out_ += WriteJson(*value);
  return {};
}

Result<void> Renderer::ExpectEnd(const Token& opening) {
  if (at_ < tokens_.size() && tokens_[at_].kind == Token::Kind::kEnd) {
    ++at_;
    return {};
  }
  return At(opening.line, "its {{ end }} is missing");
}

Result<void> Renderer::For(bool live, size_t depth) {
  const Token& token = tokens_[at_++];
  const Json* list = live ? Find(token.text) : nullptr;
  if (live && (!list || !list->is_array())) {
    return At(token.line, fmt::format("there is no list {}", token.text));
  }
  const size_t body = at_;
  if (!list || list->get_array().empty()) RETURN_IF_ERROR(Block(false, depth));
  for (size_t i = 0; list && i < list->get_array().size(); ++i) {
    at_ = body;
    variables_.push_back({token.name, &list->get_array()[i]});
    const Result<void> rendered = Block(true, depth);
    variables_.pop_back();
    if (!rendered.ok()) return rendered.error();
  }
  return ExpectEnd(token);
}

bool IsSo(const Json* value) {
  if (!value || value->is_null()) return false;
  if (const bool* flag = value->if_bool()) return *flag;
  if (const JsonString* text = value->if_string()) return !text->empty();
  if (const JsonArray* array = value->if_array()) return !array->empty();
  if (const JsonObject* object = value->if_object()) return !object->empty();
  return true;
}

Result<void> Renderer::If(bool live, size_t depth) {
  const Token& token = tokens_[at_++];
  const bool so = live && IsSo(Find(token.text));
  RETURN_IF_ERROR(Block(so, depth));
  if (at_ < tokens_.size() && tokens_[at_].kind == Token::Kind::kElse) {
    ++at_;
    RETURN_IF_ERROR(Block(live && !so, depth));
  }
  return ExpectEnd(token);
}

Result<void> Renderer::Block(bool live, size_t depth) {
  if (depth > kMaxDepth) return At(tokens_[at_ - 1].line, "too deep");
  while (at_ < tokens_.size()) {
    const Token& token = tokens_[at_];
    switch (token.kind) {
      case Token::Kind::kText:
        if (live) out_ += token.text;
        ++at_;
        break;
      case Token::Kind::kValue:
        if (live) RETURN_IF_ERROR(Write(token));
        ++at_;
        break;
      case Token::Kind::kFor: RETURN_IF_ERROR(For(live, depth + 1)); break;
      case Token::Kind::kIf: RETURN_IF_ERROR(If(live, depth + 1)); break;
      case Token::Kind::kElse:
      case Token::Kind::kEnd: return {};
    }
  }
  return {};
}

}  // namespace

Result<std::string> RenderTemplate(std::string_view text, const JsonObject& values) {
  ASSIGN_OR_RETURN(const std::vector<Token> tokens, Tokenize(text));
  return Renderer(tokens, values).Run();
}

}  // namespace kubexms::automation
