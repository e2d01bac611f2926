#include "sightglass/learn/training_fit.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "sightglass/numeric/exact_sum.h"

namespace sightglass {

namespace {

constexpr std::size_t block_rows = 4096;
// Probabilities are kept this far from 0 and 1 before their logarithm is taken.
constexpr double least_probability = 1e-15;

std::vector<Figure> figures_of_numbers(const Matrix& predicted, const TrainingData& data) {
  ExactSum weights, sum;
  for (std::size_t row = 0; row < data.rows; ++row) {
    weights.add(data.weight(row));
    sum.add(data.weight(row) * data.outcome[row]);
  }
  const double mean = sum.value() / weights.value();
  ExactSum residual, total;
  for (std::size_t row = 0; row < data.rows; ++row) {
    const double error = data.outcome[row] - predicted(row, 0), off = data.outcome[row] - mean;
    residual.add(data.weight(row) * error * error);
    total.add(data.weight(row) * off * off);
  }
  std::vector<Figure> figures;
  if (total.value() > 0) {
    figures.push_back({.name = "R² on training rows",
                       .id = "training-r2",
                       .loss = LossKind::r2,
                       .output = {},
                       .group = {},
                       .value = 1 - residual.value() / total.value(),
                       .se = {},
                       .meaning =
                           "share of the outcome's variance that the model explains, of the rows that it was fitted "
                           "to; on others it will be less"});
  }
  figures.push_back({.name = "root mean squared error on training rows",
                     .id = "training-rmse",
                     .loss = LossKind::rmse,
                     .output = {},
                     .group = {},
                     .value = std::sqrt(residual.value() / weights.value()),
                     .se = {},
                     .meaning = "in units of the outcome, of the rows that it was fitted to"});
  return figures;
}

std::vector<Figure> figures_of_classes(const Matrix& predicted, const TrainingData& data) {
  ExactSum weights, right, loss;
  for (std::size_t row = 0; row < data.rows; ++row) {
    const auto truth = static_cast<std::size_t>(data.outcome[row]);
    const std::span<const double> row_predicted = predicted.span().row(row);
    const std::size_t best = most_probable_class(row_predicted);
    double probability = data.classes.size() > 2 ? row_predicted[truth] : row_predicted[0];
    if (data.classes.size() == 2 && truth == 0) probability = 1 - probability;
    weights.add(data.weight(row));
    if (best == truth) right.add(data.weight(row));
    loss.add(-data.weight(row) * std::log(std::clamp(probability, least_probability, 1.0)));
  }
  return {{.name = "accuracy on training rows",
           .id = "training-accuracy",
           .loss = LossKind::accuracy,
           .output = {},
           .group = {},
           .value = right.value() / weights.value(),
           .se = {},
           .meaning = "share of the rows that it was fitted to whose class it gets right; of others it will be less"},
          {.name = "log-loss on training rows",
           .id = "training-log-loss",
           .loss = LossKind::log_loss,
           .output = {},
           .group = {},
           .value = loss.value() / weights.value(),
           .se = {},
           .meaning = "of the rows that it was fitted to"}};
}

}  // namespace

std::size_t most_probable_class(std::span<const double> probabilities, double even) {
  if (probabilities.size() == 1) return probabilities[0] > even ? 1 : 0;
  return most_probable(probabilities);
}

Table table_of(const TrainingData& data) {
  std::vector<ColumnInfo> infos;
  std::vector<Column> columns;
  for (const TrainingFeature& feature : data.features) {
    ColumnInfo& info = infos.emplace_back();
    info.name = feature.info.name;
    if (!feature.info.categorical) {
      columns.push_back({.view = view_of(std::span<const double>(feature.values)), .owner = nullptr});
      continue;
    }
    info.type = DType::categorical;
    info.dictionary = std::make_shared<const Dictionary>(feature.info.levels);
    std::vector<std::int32_t> codes(data.rows);
    for (std::size_t row = 0; row < data.rows; ++row) {
      codes[row] = std::isnan(feature.values[row]) ? -1 : static_cast<std::int32_t>(feature.values[row]);
    }
    columns.push_back(column_of(std::move(codes), info.dictionary.get()));
  }
  return {Schema(std::move(infos)), std::move(columns)};
}

Matrix predict(const Model& model, const TrainingData& data, const Context& context) {
  const Table table = table_of(data);
  const auto bound = model.bind(table.schema());
  Matrix all(data.rows, model.signature().outputs.size());
  const MatrixSpan<double> out = all.span();
  context.parallel_for((data.rows + block_rows - 1) / block_rows, [&](std::size_t number) {
    context.check();
    const std::size_t first = number * block_rows, rows = std::min(block_rows, data.rows - first);
    std::vector<ColumnView> views;
    for (const Column& column : table.columns()) views.push_back(column.view.slice(first, rows));
    const RowBlock block{
        .first_row = first, .rows = rows, .columns = views, .overrides = {}, .weights = {}, .row_ids = {}};
    Context alone(1);
    bound->predict(block, {}, out.rows(first, rows), alone);
  });
  return all;
}

std::vector<Figure> training_figures(const Model& model, const TrainingData& data, const Context& context) {
  const Matrix predicted = predict(model, data, context);
  return data.classes.empty() ? figures_of_numbers(predicted, data) : figures_of_classes(predicted, data);
}

}  // namespace sightglass
