// A custom kind. `widget crd` prints its CustomResourceDefinition; `widget` reads an object from
// standard input and prints it with its defaults, or all its validation errors.

#include <iostream>
#include <iterator>
#include <string>

#include "kubexms/api/crd/crd.h"
#include "kubexms/api/object.h"
#include "kubexms/api/schema/defaulting.h"
#include "kubexms/api/schema/pruning.h"
#include "kubexms/api/schema/validation.h"
#include "kubexms/base/json/yaml.h"

using namespace kubexms;

struct WidgetSpec : Struct {
  int32_t size = 0;
  std::string color;

  static void Describe(Type<WidgetSpec>& type) {
    type.Doc("Desired state of a widget.");
    type.Field("size", &WidgetSpec::size, "Size of the widget.").Minimum(1).Maximum(10).Default(3);
    type.Field("color", &WidgetSpec::color, "Color of the widget.")
        .Required()
        .Enum({"red", "blue"});
  }
};

struct WidgetStatus : Struct {
  std::string phase;

  static void Describe(Type<WidgetStatus>& type) {
    type.Field("phase", &WidgetStatus::phase, "Phase of the widget.").Column("Phase");
  }
};

struct Widget : Object<WidgetSpec, WidgetStatus> {
  static constexpr KindName kKind{
      .group = "example.io", .version = "v1", .kind = "Widget", .short_names = "wd"};
};

Result<Widget> Read(const std::string& text) {
  ASSIGN_OR_RETURN(YamlDocument document, ParseYamlOne(text));
  const Schema& schema = SchemaOf<Widget>();
  Prune(document.value, schema);
  ApplyDefaults(document.value, schema);
  if (auto causes = Validate(document.value, schema); !causes.empty()) {
    const Json* metadata = FindMember(document.value, "metadata");
    const std::string_view name = metadata == nullptr ? "" : FindString(*metadata, "name");
    return Error::Invalid("Widget.example.io", name, std::move(causes));
  }
  return FromJson<Widget>(document.value);
}

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "crd") {
    std::cout << WriteYaml(CrdOf<Widget>());
    return 0;
  }
  const Result<Widget> widget = Read({std::istreambuf_iterator<char>(std::cin), {}});
  if (!widget.ok()) {
    std::cerr << "error: " << widget.error().message() << "\n";
    return 1;
  }
  std::cout << "a " << widget->spec.color << " widget of size " << widget->spec.size << "\n"
            << WriteYaml(ToJson(*widget));
  return 0;
}
