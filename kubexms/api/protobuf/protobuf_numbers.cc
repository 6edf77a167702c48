#include "kubexms/api/protobuf/protobuf_numbers.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <string>

#include "kubexms/base/check.h"

namespace kubexms {
namespace {

// Reads the notation of the tables. They are ours: a mistake in one is a bug.
class NotationReader {
 public:
  explicit NotationReader(std::string_view text) : rest_(text) {}

  // Up to the end or to the parenthesis that closes an inlined message.
  ProtobufMessage Message() {
    ProtobufMessage message;
    while (!rest_.empty() && !Skip(")")) {
      message.fields.push_back(Field());
      Skip(" ");
    }
    std::sort(message.fields.begin(), message.fields.end(),
              [](const ProtobufField& a, const ProtobufField& b) { return a.number < b.number; });
    return message;
  }

 private:
  ProtobufField Field() {
    ProtobufField field;
    if (rest_[0] >= '0' && rest_[0] <= '9') {
      field.number = Number();
      KUBEXMS_CHECK(Skip("("));
      field.inlined = Message();
      return field;
    }
    const size_t end = rest_.find('=');
    KUBEXMS_CHECK(end != std::string_view::npos);
    field.name = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    field.number = Number();
    field.form = Form();
    field.zero_is_absent = Skip("?");
    return field;
  }

  uint32_t Number() {
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    KUBEXMS_CHECK(error == std::errc() && number > 0);
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return number;
  }

  ProtobufForm Form() {
    if (Skip(":orBool")) return ProtobufForm::kOrBool;
    if (Skip(":orList")) return ProtobufForm::kOrList;
    if (Skip(":orStrings")) return ProtobufForm::kOrStrings;
    return ProtobufForm::kPlain;
  }

  bool Skip(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  std::string_view rest_;
};

using Messages = std::map<std::string, ProtobufMessage, std::less<>>;

void AddPackages(std::span<const PackageNumbers> packages, Messages& out) {
  for (const PackageNumbers& package : packages) {
    for (const MessageNumbers& message : package.messages) {
      std::string definition(package.package);
      definition.append(".").append(message.name);
      out.emplace(std::move(definition), NotationReader(message.fields).Message());
    }
  }
}

const Messages& AllMessages() {
  static const Messages kMessages = [] {
    Messages all;
    AddPackages(CoreNumbers(), all);
    AddPackages(GroupNumbers(), all);
    return all;
  }();
  return kMessages;
}

}  // namespace

const ProtobufField* ProtobufMessage::Find(uint64_t number) const {
  const auto it = std::lower_bound(
      fields.begin(), fields.end(), number,
      [](const ProtobufField& field, uint64_t wanted) { return field.number < wanted; });
  return it != fields.end() && it->number == number ? &*it : nullptr;
}

const ProtobufMessage* FindProtobufMessage(std::string_view definition) {
  const auto it = AllMessages().find(definition);
  return it == AllMessages().end() ? nullptr : &it->second;
}

}  // namespace kubexms
