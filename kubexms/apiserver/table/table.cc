#include "kubexms/apiserver/table/table.h"

#include <optional>

#include "kubexms/api/codec.h"
#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/read/partial_metadata.h"
#include "kubexms/apiserver/read/raw_member.h"
#include "kubexms/apiserver/table/printers/json_path.h"
#include "kubexms/apiserver/table/printers/printer.h"

namespace kubexms {
namespace {

using printers::Column;
using printers::Printer;
using printers::Row;

// Columns of kinds without a printer of their own.
constexpr Column kDefaultColumns[] = {printers::kName, printers::kCreatedAt};

void PrintDefault(JsonView object, Row& row) {
  row.Add(printers::Name(object));
  row.AddJson(object["metadata"]["creationTimestamp"]);
}

constexpr Printer kDefaultPrinter{"", "", "", kDefaultColumns, PrintDefault};

const Printer& FindPrinter(const Resource& resource) {
  for (const auto printers :
       {printers::ClusterPrinters(), printers::ConfigPrinters(), printers::NetworkPrinters(),
        printers::PodPrinters(), printers::PolicyPrinters(), printers::StoragePrinters(),
        printers::WorkloadPrinters()}) {
    for (const Printer& printer : printers) {
      if (printer.kind == resource.kind && printer.group == resource.group &&
          printer.version == resource.version) {
        return printer;
      }
    }
  }
  return kDefaultPrinter;
}

TableColumn MakeColumn(const Column& column) {
  return {.name = std::string(column.name),
          .type = std::string(column.type),
          .format = std::string(column.format),
          .description = std::string(column.description),
          .priority = column.priority};
}

TableColumn MakeColumn(const PrinterColumn& column) {
  return {.name = column.name,
          .type = column.type,
          .format = column.format,
          .description = column.description.empty() ? "The value at " + column.json_path + "."
                                                    : column.description,
          .priority = column.priority};
}

std::string EncodeColumns(const std::vector<TableColumn>& columns) {
  JsonArray definitions;
  for (const TableColumn& column : columns) {
    definitions.push_back(JsonObject{{"name", column.name},
                                     {"type", column.type},
                                     {"format", column.format},
                                     {"description", column.description},
                                     {"priority", column.priority}});
  }
  return WriteJson(Json(std::move(definitions)));
}

// The columns of a custom resource besides its name; the age by default.
std::vector<PrinterColumn> ColumnsOf(const Resource& resource) {
  if (!resource.printer_columns.empty()) return resource.printer_columns;
  return {{.name = "Age",
           .type = "date",
           .description = std::string(printers::kAge.description),
           .json_path = ".metadata.creationTimestamp"}};
}

void AppendCompletion(const Row& row, TextBuffer& out) {
  if (row.complete_reason().empty()) return;
  out.Append(R"(,"conditions":[{"message":)");
  AppendJsonString(row.complete_message(), out);
  out.Append(R"(,"reason":)");
  AppendJsonString(row.complete_reason(), out);
  out.Append(R"(,"status":"True","type":"Completed"}])");
}

}  // namespace

class TablePrinter::Cells {
 public:
  virtual ~Cells() = default;
  virtual void Print(JsonView object, Row& row) const = 0;
};

class TablePrinter::BuiltinCells final : public Cells {
 public:
  explicit BuiltinCells(const Printer& printer) : printer_(printer) {}

  void Print(JsonView object, Row& row) const override { printer_.print(object, row); }

 private:
  const Printer& printer_;
};

class TablePrinter::CustomCells final : public Cells {
 public:
  explicit CustomCells(const std::vector<PrinterColumn>& columns) {
    for (const PrinterColumn& column : columns) {
      Result<JsonPath> path = JsonPath::Parse(column.json_path);
      columns_.push_back({column.type, path.ok() ? std::optional(*std::move(path)) : std::nullopt});
    }
  }

  void Print(JsonView object, Row& row) const override {
    row.Add(printers::Name(object));
    for (const Column& column : columns_) {
      PrintCell(column.type, column.path ? column.path->FirstIn(object) : JsonView(), row);
    }
  }

 private:
  struct Column {
    std::string type;
    std::optional<JsonPath> path;  // absent if the path in the definition is invalid
  };

  // Values that do not have the type of the column are not shown.
  static void PrintCell(std::string_view type, JsonView value, Row& row) {
    if (value && type == "string") {
      row.Add(value.ToText());
    } else if (value.IsNumber() && type == "integer") {
      row.Add(value.Number(static_cast<int64_t>(value.AsDouble())));
    } else if ((value.IsNumber() && type == "number") || (value.IsBool() && type == "boolean")) {
      row.AddJson(value);
    } else if (value.IsText() && type == "date") {
      row.Add(Time::Parse(value.Text()).ok() ? row.Since(value) : "<invalid>");
    } else {
      row.AddNull();
    }
  }

  std::vector<Column> columns_;
};

Result<RowObject> ParseRowObject(std::string_view text) {
  if (text.empty() || text == "Metadata") return RowObject::kMetadata;
  if (text == "Object") return RowObject::kObject;
  if (text == "None") return RowObject::kNone;
  return Error::BadRequest("unrecognized includeObject value: \"" + std::string(text) + "\"");
}

TablePrinter::TablePrinter(const Resource& resource) {
  if (resource.custom) {
    const std::vector<PrinterColumn> columns = ColumnsOf(resource);
    columns_.push_back(MakeColumn(printers::kName));
    for (const PrinterColumn& column : columns) columns_.push_back(MakeColumn(column));
    cells_ = std::make_unique<CustomCells>(columns);
  } else {
    const Printer& printer = FindPrinter(resource);
    for (const Column& column : printer.columns) columns_.push_back(MakeColumn(column));
    cells_ = std::make_unique<BuiltinCells>(printer);
  }
  column_definitions_ = EncodeColumns(columns_);
}

TablePrinter::TablePrinter(TablePrinter&&) noexcept = default;
TablePrinter& TablePrinter::operator=(TablePrinter&&) noexcept = default;
TablePrinter::~TablePrinter() = default;

void TablePrinter::AppendRow(const JsonView& object, std::string_view bytes,
                             const TableOptions& options, TextBuffer& out) const {
  Row row(out, options.now);
  out.Append(R"({"cells":[)");
  cells_->Print(object, row);
  out.Append(']');
  AppendCompletion(row, out);
  out.Append(R"(,"object":)");
  switch (options.row_object) {
    case RowObject::kMetadata: {
      const std::string_view metadata = FindRawMember(bytes, "metadata");
      AppendPartialObjectMetadata(metadata.empty() ? "{}" : metadata, options.version, out);
      break;
    }
    case RowObject::kObject: out.Append(bytes); break;
    case RowObject::kNone: out.Append("null"); break;
  }
  out.Append('}');
}

void TablePrinter::AppendHead(const ListMeta& metadata, const TableOptions& options,
                              TextBuffer& out) const {
  out.Append(R"({"apiVersion":"meta.k8s.io/)");
  out.Append(options.version);
  out.Append(R"(","columnDefinitions":)");
  out.Append(options.column_definitions ? std::string_view(column_definitions_) : "null");
  out.Append(R"(,"kind":"Table","metadata":)");
  AppendEncoded(metadata, out);
  out.Append(R"(,"rows":[)");
}

Result<std::string> TablePrinter::Print(std::string_view object,
                                        const TableOptions& options) const {
  ASSIGN_OR_RETURN(const simdjson::dom::element root, JsonReader::Read(object));
  const JsonView view(root);
  ListMeta metadata;
  metadata.resource_version = view["metadata"]["resourceVersion"].Text();
  TextBuffer out(4096);
  AppendHead(metadata, options, out);
  AppendRow(view, object, options, out);
  out.Append("]}");
  return out.ToString();
}

Result<void> TableWriter::Add(std::string_view object) {
  ASSIGN_OR_RETURN(const simdjson::dom::element root, JsonReader::Read(object));
  if (rows_.size() != 0) rows_.Append(',');
  printer_.AppendRow(JsonView(root), object, options_, rows_);
  return {};
}

std::string TableWriter::Finish(const ListMeta& metadata) {
  TextBuffer head(4096);
  printer_.AppendHead(metadata, options_, head);
  std::string table;
  table.reserve(head.size() + rows_.size() + 2);
  table.append(head.view()).append(rows_.view()).append("]}");
  return table;
}

}  // namespace kubexms
