#include "kubexms/automation/hosts/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kubexms/base/text/base64.h"

namespace kubexms::automation {
namespace {

struct JsonWriter {
  void operator()(std::string_view name, const auto& value) { object[name] = value; }
  void Bytes(std::string_view name, const std::string& value) {
    object[name] = EncodeBase64(value);
  }

  JsonObject object;
};

// Missing fields have their defaults; unknown ones are refused, because an operation must not be
// performed in part.
class JsonReader {
 public:
  explicit JsonReader(const JsonObject& object) : object_(object) {}

  void operator()(std::string_view name, std::string& value) {
    if (const Json* member = Take(name)) {
      if (const auto* text = member->if_string())
        value = AsView(*text);
      else
        Fail(name, "must be a string");
    }
  }
  void operator()(std::string_view name, bool& value) {
    if (const Json* member = Take(name)) {
      if (const bool* flag = member->if_bool())
        value = *flag;
      else
        Fail(name, "must be a boolean");
    }
  }
  void operator()(std::string_view name, int64_t& value) {
    if (const Json* member = Take(name)) {
      if (const int64_t* number = member->if_int64())
        value = *number;
      else
        Fail(name, "must be an integer");
    }
  }
  void Bytes(std::string_view name, std::string& value) {
    std::string text;
    (*this)(name, text);
    Result<std::string> bytes = DecodeBase64(text);
    if (bytes.ok())
      value = std::move(bytes).value();
    else
      Fail(name, "must be base64");
  }

  Result<void> Finish() const {
    if (!failure_.empty()) return Error::BadRequest(failure_);
    if (taken_ + 1 != object_.size()) return Error::BadRequest("has an unknown field");
    return {};
  }

 private:
  const Json* Take(std::string_view name) {
    const Json* member = object_.if_contains(name);
    if (member) ++taken_;
    return member;
  }
  void Fail(std::string_view name, std::string_view why) {
    if (failure_.empty()) failure_ = fmt::format("{} {}", name, why);
  }

  const JsonObject& object_;
  size_t taken_ = 0;
  std::string failure_;
};

template <class Type>
bool ReadAs(std::string_view name, const JsonObject& object,
            std::optional<Result<Operation>>& out) {
  if (Type::kName != name) return false;
  Type operation;
  JsonReader reader(object);
  Type::Visit(operation, reader);
  const Result<void> finished = reader.Finish();
  out = finished.ok() ? Result<Operation>(Operation(std::move(operation)))
                      : Result<Operation>(finished.error().WithContext(name));
  return true;
}

template <size_t... I>
std::optional<Result<Operation>> ReadAny(std::string_view name, const JsonObject& object,
                                         std::index_sequence<I...>) {
  std::optional<Result<Operation>> out;
  (ReadAs<std::variant_alternative_t<I, Operation::variant>>(name, object, out) || ...);
  return out;
}

// "GetKernelModule" → "get kernel module".
std::string Words(std::string_view name) {
  std::string words;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') {
      if (!words.empty()) words += ' ';
      words += static_cast<char>(c - 'A' + 'a');
    } else {
      words += c;
    }
  }
  return words;
}

// The first field names what the operation is about.
struct SubjectFinder {
  void operator()(std::string_view, const std::string& value) {
    if (!std::exchange(seen, true)) subject = value;
  }
  void operator()(std::string_view, int64_t value) {
    if (!std::exchange(seen, true)) subject = fmt::to_string(value);
  }
  void operator()(std::string_view, bool) { seen = true; }
  void Bytes(std::string_view, const std::string&) { seen = true; }

  bool seen = false;
  std::string subject;
};

std::string FirstLine(std::string_view text) {
  constexpr size_t kShown = 80;
  const std::string_view line = text.substr(0, text.find('\n'));
  if (line.size() == text.size() && line.size() <= kShown) return std::string(line);
  return fmt::format("{}…", line.substr(0, kShown));
}

std::string DescribeOne(const SetService& op) {
  std::string words = op.active;
  if (!op.enabled.empty()) words += fmt::format("{}{}", words.empty() ? "" : " and ", op.enabled);
  return fmt::format("{} {}", words, op.service);
}
std::string DescribeOne(const SetKernelModule& op) {
  return fmt::format("{} kernel module {}", op.loaded ? "load" : "unload", op.module);
}
std::string DescribeOne(const SetSysctl& op) {
  return fmt::format("set {} = {}", op.key, op.value);
}
std::string DescribeOne(const auto& op) {
  using Type = std::decay_t<decltype(op)>;
  SubjectFinder finder;
  Type::Visit(op, finder);
  return fmt::format("{} {}", Words(Type::kName), FirstLine(finder.subject));
}

}  // namespace

OperationResult::OperationResult() = default;
OperationResult::OperationResult(const OperationResult&) = default;
OperationResult::OperationResult(OperationResult&&) noexcept = default;
OperationResult& OperationResult::operator=(const OperationResult&) = default;
OperationResult& OperationResult::operator=(OperationResult&&) noexcept = default;
OperationResult::~OperationResult() = default;

Operation::Operation() = default;
Operation::Operation(const Operation&) = default;
Operation::Operation(Operation&&) noexcept = default;
Operation& Operation::operator=(const Operation&) = default;
Operation& Operation::operator=(Operation&&) noexcept = default;
Operation::~Operation() = default;

bool Operation::operator==(const Operation& other) const {
  const variant& self = *this;
  const variant& others = other;
  return self == others;
}

std::string_view OperationName(const Operation& operation) {
  return std::visit([](const auto& op) { return std::decay_t<decltype(op)>::kName; }, operation);
}

bool IsQuery(const Operation& operation) {
  const std::string_view name = OperationName(operation);
  return name.starts_with("Get") || name == Probe::kName;
}

std::string Describe(const Operation& operation) {
  return std::visit([](const auto& op) { return DescribeOne(op); }, operation);
}

JsonObject ToJson(const Operation& operation) {
  return std::visit(
      [](const auto& op) {
        using Type = std::decay_t<decltype(op)>;
        JsonWriter writer;
        writer.object["operation"] = Type::kName;
        Type::Visit(op, writer);
        return std::move(writer.object);
      },
      operation);
}

Result<Operation> OperationFromJson(const Json& json) {
  const std::string_view name = FindString(json, "operation");
  if (name.empty()) return Error::BadRequest("an operation must be an object with \"operation\"");
  auto read = ReadAny(name, json.get_object(),
                      std::make_index_sequence<std::variant_size_v<Operation::variant>>());
  if (!read) return Error::BadRequest(fmt::format("\"{}\" is not an operation", name));
  return *std::move(read);
}

bool Facts::HasAll(std::span<const Operation> queries) const {
  return std::all_of(queries.begin(), queries.end(),
                     [this](const Operation& query) { return FindResult(query) != nullptr; });
}

const OperationResult* Facts::FindResult(const Operation& query) const {
  const auto* path = std::get_if<GetPath>(&query);
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (entry->first == query) return &entry->second;
    const auto* asked = std::get_if<GetPath>(&entry->first);
    if (path && asked && asked->path == path->path && asked->content) return &entry->second;
  }
  return nullptr;
}

}  // namespace kubexms::automation
