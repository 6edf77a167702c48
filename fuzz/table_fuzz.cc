// Tables of arbitrary JSON: printers and the paths of custom columns must accept every object and
// write valid JSON. The first line of the input is the path of a column.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kubexms/apiserver/read/raw_member.h"
#include "kubexms/apiserver/table/table.h"
#include "kubexms/base/check.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/utf8.h"

namespace kubexms {
namespace {

void Print(const Resource& resource, std::string_view object) {
  const Result<std::string> table = TablePrinter(resource).Print(object, {});
  if (table.ok()) KUBEXMS_CHECK(ParseJson(*table, {.max_depth = 600}).ok());
}

}  // namespace
}  // namespace kubexms

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kubexms;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line = input.find('\n');
  if (line == std::string_view::npos) return 0;
  const std::string path(input.substr(0, line));
  const std::string_view object = input.substr(line + 1);
  FindRawMember(object, "metadata");
  if (const Result<Json> json = ParseJson(object); !json.ok() || !json->is_object()) return 0;
  if (!IsValidUtf8(path)) return 0;  // a definition cannot contain it

  Print({.custom = true, .printer_columns = {{.type = "string", .json_path = path}}}, object);
  for (const char* kind : {"Pod", "Node", "Service", "Event", "Endpoints", "PersistentVolume"}) {
    Print({.version = "v1", .kind = kind}, object);
  }
  Print({.group = "autoscaling", .version = "v2", .kind = "HorizontalPodAutoscaler"}, object);
  Print({.group = "apps", .version = "v1", .kind = "DaemonSet"}, object);
  return 0;
}
