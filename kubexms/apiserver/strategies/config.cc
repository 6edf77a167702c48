#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/fields.h"
#include "kubexms/base/text/base64.h"

namespace kubexms {
namespace {

constexpr size_t kMaxDataSize = 1024 * 1024;
constexpr std::string_view kFrozen = "field is immutable when `immutable` is set";

size_t DecodedSize(std::string_view base64) {
  const size_t padding = base64.ends_with("==") ? 2 : base64.ends_with('=') ? 1 : 0;
  return base64.size() / 4 * 3 - (base64.empty() ? 0 : padding);
}

// Validates the keys of a data map; returns the total size of its values in bytes.
size_t ValidateData(const Field& data, bool base64) {
  size_t size = 0;
  for (std::string_view key : data.Keys()) {
    const Field entry = data.Entry(key);
    for (const std::string& problem : ValidateConfigMapKey(key)) entry.Invalid(Json(key), problem);
    size += base64 ? DecodedSize(entry.Text()) : entry.Text().size();
  }
  return size;
}

// With `immutable: true`, that field and the data cannot change.
void ValidateImmutableData(const JsonObject& object, const JsonObject& old_object,
                           std::initializer_list<std::string_view> data, FieldErrors& errors) {
  if (!TrueAt(old_object, "immutable")) return;
  const Field root(object, errors);
  if (!root["immutable"].IsTrue()) root["immutable"].Forbidden(kFrozen);
  for (std::string_view name : data) {
    if (!SameAt(object, old_object, name)) root[name].Forbidden(kFrozen);
  }
}

class ConfigMapStrategy : public KindStrategy {
 public:
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field data = root["data"];
    const Field binary = root["binaryData"];
    for (std::string_view key : data.Keys()) {
      if (binary.Entry(key))
        data.Entry(key).Invalid(Json(key), "duplicate of key present in binaryData");
    }
    const size_t size = ValidateData(data, false) + ValidateData(binary, true);
    if (size > kMaxDataSize) root.TooLong(kMaxDataSize);
  }
  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override {
    ValidateImmutableData(object, old_object, {"data", "binaryData"}, errors);
  }
};

class SecretStrategy : public KindStrategy {
 public:
  void SetDefaults(JsonObject& secret) const override {
    const JsonObject* texts = FindObject(std::as_const(secret), "stringData");
    if (texts != nullptr && !texts->empty()) {
      const JsonObject copy = *texts;
      JsonObject& data = EnsureObject(secret, "data");
      for (const auto& text : copy) {
        if (text.value().is_string())
          data[text.key()] = EncodeBase64(AsView(text.value().get_string()));
      }
    }
    secret.erase("stringData");
    if (TextAt(secret, "type").empty()) secret["type"] = "Opaque";
  }

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field data = root["data"];
    if (ValidateData(data, true) > kMaxDataSize) data.TooLong(kMaxDataSize);
    ValidateType(root);
  }

  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field old(old_object);
    root["type"].Immutable(old["type"]);
    ValidateImmutableData(object, old_object, {"data"}, errors);
  }

 private:
  // The keys that Secrets of well-known types must have.
  static void ValidateType(const Field& root) {
    const std::string_view type = root["type"].Text();
    const Field data = root["data"];
    const auto require = [&](std::string_view key) {
      if (!data.Entry(key)) data.Entry(key).Required();
    };
    if (type == "kubernetes.io/service-account-token") {
      const Field annotations = root["metadata.annotations"];
      const Field account = annotations.Entry("kubernetes.io/service-account.name");
      if (account.empty()) account.Required();
    } else if (type == "kubernetes.io/dockercfg") {
      ValidateJsonEntry(data, ".dockercfg");
    } else if (type == "kubernetes.io/dockerconfigjson") {
      ValidateJsonEntry(data, ".dockerconfigjson");
    } else if (type == "kubernetes.io/basic-auth") {
      if (data.Entry("username") || data.Entry("password")) return;
      require("username");
      require("password");
    } else if (type == "kubernetes.io/ssh-auth") {
      if (data.Entry("ssh-privatekey").empty()) data.Entry("ssh-privatekey").Required();
    } else if (type == "kubernetes.io/tls") {
      require("tls.crt");
      require("tls.key");
    }
  }

  static void ValidateJsonEntry(const Field& data, std::string_view key) {
    const Field entry = data.Entry(key);
    if (!entry) return entry.Required();
    const Result<std::string> text = DecodeBase64(entry.Text());
    if (!text.ok()) return;
    const Result<Json> document = ParseJson(*text);
    if (!document.ok())
      entry.Invalid(Json("<secret contents redacted>"), document.error().message());
  }
};

}  // namespace

void AddConfigStrategies(StrategyTable& table) {
  table.Add("", "ConfigMap", std::make_unique<ConfigMapStrategy>());
  table.Add("", "Secret", std::make_unique<SecretStrategy>());
}

}  // namespace kubexms
