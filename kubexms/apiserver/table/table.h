#pragma once

// Tables, as `kubectl get` requests them: instead of objects, the client receives a document with
// columns and one row of cells per object, and can show kinds that it does not know. Built-in kinds
// have Kubernetes' columns, custom resources those of their definition.
//
//   const TablePrinter printer(*resource);          // one per resource
//   TableWriter table(printer, {.now = clock.Now()});
//   for (const auto& object : list) RETURN_IF_ERROR(table.Add(object->bytes()));
//   return table.Finish(metadata);

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/apiserver/resources/resource.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/result.h"
#include "kubexms/base/text/text_buffer.h"

namespace kubexms {

class JsonView;

namespace printers {
class Row;
}

struct TableColumn {
  std::string name;
  std::string type;    // string, integer, number, boolean, date
  std::string format;  // "name" for the column with the object's name
  std::string description;
  int priority = 0;  // above zero: only with `-o wide`

  bool operator==(const TableColumn&) const = default;
};

// The value of ?includeObject=Metadata|Object|None: what a row contains besides its cells.
enum class RowObject { kMetadata, kObject, kNone };

// Empty text is the default, Metadata.
Result<RowObject> ParseRowObject(std::string_view text);

struct TableOptions {
  Clock::WallTime now;  // ages are relative to this
  RowObject row_object = RowObject::kMetadata;
  // False in a watch after the first event: column definitions are sent once.
  bool column_definitions = true;
  std::string_view version = "v1";  // of meta.k8s.io: v1 or v1beta1
};

// The columns of one resource and the cells of its objects. Immutable: any thread may use it.
class TablePrinter {
 public:
  explicit TablePrinter(const Resource& resource);
  TablePrinter(TablePrinter&&) noexcept;
  TablePrinter& operator=(TablePrinter&&) noexcept;
  ~TablePrinter();

  const std::vector<TableColumn>& columns() const { return columns_; }

  // A table with one row, for a single object or a watch event. `object` is the object's JSON.
  Result<std::string> Print(std::string_view object, const TableOptions& options) const;

 private:
  friend class TableWriter;
  class Cells;
  class BuiltinCells;
  class CustomCells;

  void AppendRow(const JsonView& object, std::string_view bytes, const TableOptions& options,
                 TextBuffer& out) const;
  void AppendHead(const ListMeta& metadata, const TableOptions& options, TextBuffer& out) const;

  std::vector<TableColumn> columns_;
  std::string column_definitions_;  // columns_ as JSON
  std::unique_ptr<const Cells> cells_;
};

// Writes the table of a list, row by row.
class TableWriter {
 public:
  // `printer` must outlive the writer.
  TableWriter(const TablePrinter& printer, const TableOptions& options)
      : printer_(printer), options_(options) {}

  // `object` is the object's JSON.
  Result<void> Add(std::string_view object);
  // Returns the table, with the metadata of the list. Must be called once, last.
  std::string Finish(const ListMeta& metadata);

 private:
  const TablePrinter& printer_;
  const TableOptions options_;
  TextBuffer rows_{64 * 1024};
};

}  // namespace kubexms
