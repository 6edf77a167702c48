// Runs the controller of website.h.
//
//   stages --print-crds | kubectl apply -f -
//   stages &
//   printf 'apiVersion: example.io/v1\nkind: Website\nmetadata: {name: home}\nspec: {text: hi}\n' |
//     kubectl apply -f -
//   kubectl wait --for=condition=Ready website/home
//   kubectl describe website home

#include "kubexms/controller.h"
#include "website.h"

using namespace kubexms;

int main(int argc, char** argv) {
  return RunManagerProgram(argc, argv,
                           {.name = "website-controller",
                            .description = "Run the controller of Websites.",
                            .kinds = {&TypeOf<website::Website>()},
                            .controllers = {website::WebsiteController()}});
}
