// Reads Kubernetes manifests from standard input, any number of YAML or JSON documents, and prints
// each as one line of canonical JSON, or an error with its position.

#include <iostream>
#include <iterator>
#include <string>

#include "kubexms/base/json/json.h"
#include "kubexms/base/json/yaml.h"

int main() {
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  const auto documents = kubexms::ParseYaml(text);
  if (!documents.ok()) {
    std::cerr << "error: " << documents.error().message() << "\n";
    return 1;
  }
  for (const kubexms::YamlDocument& document : *documents) {
    std::cout << kubexms::WriteJson(document.value) << "\n";
  }
  return 0;
}
