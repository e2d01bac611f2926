// What is made of a structure predicts what the structure says, row by row, also behind a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "sightglass/base/error.h"
#include "sightglass/data/table.h"
#include "sightglass/model/evaluator.h"
#include "sightglass/model/learned/learned_model.h"
#include "sightglass/model/learned/term_model_internal.h"
#include "sightglass/model/trees/ensemble.h"
#include "support/learned_files.h"

namespace sightglass {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double unseen = -1;

// Two numbers and three categories, one of which has a single level.
const std::vector<FeatureInfo> features = {{.name = "a"},
                                           {.name = "c", .categorical = true, .levels = {"red", "blue", "green"}},
                                           {.name = "b"},
                                           {.name = "e", .categorical = true, .levels = {"only"}},
                                           {.name = "f", .categorical = true, .levels = {"x", "y"}}};

Signature signature_of(std::size_t outputs, Link link) {
  Signature signature;
  signature.format = "sightglass";
  signature.version = "0.1.0";
  signature.objective = "made-up";
  signature.task = outputs > 1 ? Task::multiclass : link == Link::logistic ? Task::binary : Task::regression;
  signature.features = features;
  for (std::size_t k = 0; k < outputs; ++k) signature.outputs.push_back("output " + std::to_string(k));
  signature.has_margin = link != Link::identity;
  return signature;
}

// Per row the number of each feature; a level that the model does not know is `unseen`.
using Rows = std::vector<std::vector<double>>;

// Numbers on a grid of halves, so that edges and thresholds are hit exactly, and next to it.
double number(std::mt19937_64& random) {
  const double on_grid = static_cast<double>(random() % 21) / 2 - 5;
  switch (random() % 8) {
    case 0: return NAN;
    case 1: return std::nextafter(on_grid, infinity);
    case 2: return std::nextafter(on_grid, -infinity);
    case 3: return random() % 2 == 0 ? infinity : -infinity;
    default: return on_grid;
  }
}

Rows random_rows(std::mt19937_64& random, std::size_t count) {
  Rows rows(count);
  for (auto& row : rows) {
    for (const FeatureInfo& feature : features) {
      if (!feature.categorical) {
        row.push_back(number(random));
      } else {
        const std::size_t pick = random() % (feature.levels.size() + 2);
        row.push_back(pick < feature.levels.size()    ? static_cast<double>(pick)
                      : pick == feature.levels.size() ? unseen
                                                      : NAN);
      }
    }
  }
  return rows;
}

// Columns in another order than the features, levels in another order than the model's.
Table table_of(const Rows& rows) {
  std::vector<ColumnInfo> infos;
  std::vector<Column> columns;
  for (std::size_t f = features.size(); f-- > 0;) {
    infos.push_back({.name = features[f].name});
    if (!features[f].categorical) {
      std::vector<double> values;
      for (const auto& row : rows) values.push_back(row[f]);
      columns.push_back(column_of(std::move(values)));
      continue;
    }
    std::vector<std::string> words(features[f].levels.rbegin(), features[f].levels.rend());
    words.emplace_back("never seen");
    infos.back().type = DType::categorical;
    infos.back().dictionary = std::make_shared<const Dictionary>(words);
    const auto last = static_cast<std::int32_t>(words.size()) - 1;
    std::vector<std::int32_t> codes;
    for (const auto& row : rows) {
      codes.push_back(std::isnan(row[f]) ? -1 : row[f] == unseen ? last : last - 1 - static_cast<std::int32_t>(row[f]));
    }
    columns.push_back(column_of(std::move(codes), infos.back().dictionary.get()));
  }
  return {Schema(std::move(infos)), std::move(columns)};
}

Matrix predict(const Model& model, const Rows& rows, Scale scale) {
  const Table table = table_of(rows);
  Context context(2);
  Evaluator evaluator(model, table, {}, {.predict = {.scale = scale}}, context);
  evaluator.begin("test", table.rows());
  Matrix out;
  const auto stream = table.open(evaluator.columns(), table.rows());
  evaluator.evaluate(*stream->next(), out);
  return out;
}

// The plainest readings of what structure.h says.

std::vector<double> evaluated(const TreeStructure& tree, const std::vector<double>& row, std::size_t outputs) {
  const TreeNode* node = tree.nodes.data();
  while (!node->is_leaf()) {
    const double x = row[static_cast<std::size_t>(node->feature)];
    const bool categorical = features[static_cast<std::size_t>(node->feature)].categorical;
    bool left = false;
    if (std::isnan(x) || (categorical && x == unseen)) {
      left = node->missing_left;
    } else if (categorical) {
      left = tree.category_sets[static_cast<std::size_t>(node->categories)].contains(static_cast<std::int64_t>(x));
    } else {
      left = x <= node->threshold && node->threshold != -infinity;
    }
    node = &tree.nodes[static_cast<std::size_t>(left ? node->left : node->right)];
  }
  if (outputs == 1) return {node->threshold};
  const auto first = tree.leaf_values.begin() + node->leaf * static_cast<std::ptrdiff_t>(outputs);
  return {first, first + static_cast<std::ptrdiff_t>(outputs)};
}

bool plainly_meets(const TermCondition& condition, double x) {
  if (std::isnan(x)) return condition.missing;
  if (!features[condition.feature].categorical) {
    return (x > condition.above || condition.above == -infinity) && x <= condition.at_most;
  }
  if (x == unseen) return false;
  return std::count(condition.levels.begin(), condition.levels.end(), static_cast<std::uint32_t>(x)) > 0;
}

std::vector<double> evaluated(const TermStructure& structure, const std::vector<double>& row, std::size_t outputs) {
  std::vector<double> sums = structure.intercept;
  for (const Term& term : structure.terms) {
    double value = 1;
    for (const TermCondition& condition : term.conditions)
      value *= plainly_meets(condition, row[condition.feature]) ? 1 : 0;
    if (term.conditions.empty()) {
      const double x = row[term.feature];
      value = std::isnan(x) ? term.missing : std::min(std::max(x, term.low), term.high);
    }
    for (std::size_t k = 0; k < outputs; ++k) sums[k] += term.weights[k] * value;
  }
  return sums;
}

std::vector<double> evaluated(const StepStructure& structure, const std::vector<double>& row, std::size_t outputs) {
  std::vector<double> sums = structure.intercept;
  for (const StepTerm& term : structure.terms) {
    std::size_t cell = 0;
    for (std::size_t i = 0; i < term.features.size(); ++i) {
      const FeatureInfo& feature = features[term.features[i]];
      const std::size_t bins = (feature.categorical ? feature.levels.size() : term.edges[i].size() + 1) + 1;
      const double x = row[term.features[i]];
      std::size_t bin = bins - 1;
      if (feature.categorical) {
        if (!std::isnan(x) && x != unseen) bin = static_cast<std::size_t>(x);
      } else if (!std::isnan(x)) {
        bin = 0;
        while (bin < term.edges[i].size() && x > term.edges[i][bin]) ++bin;
      }
      cell = cell * bins + bin;
    }
    for (std::size_t k = 0; k < outputs; ++k) sums[k] += term.values[cell * outputs + k];
  }
  return sums;
}

// Random structures.

double weight(std::mt19937_64& random) { return static_cast<double>(random() % 2001) / 1000 - 1; }

std::vector<double> weights(std::mt19937_64& random, std::size_t count) {
  std::vector<double> numbers(count);
  for (double& each : numbers) each = weight(random);
  return numbers;
}

std::int32_t grow(TreeStructure& tree, std::mt19937_64& random, int depth, std::size_t outputs) {
  const std::size_t index = tree.nodes.size();
  tree.nodes.emplace_back();
  tree.covers.push_back(static_cast<double>(1 + random() % 50));
  TreeNode node;
  if (depth == 0 || random() % 6 == 0) {
    const std::vector<double> values = weights(random, outputs);
    if (outputs == 1) {
      node.threshold = values[0];
    } else {
      node.leaf = static_cast<std::int32_t>(tree.leaf_values.size() / outputs);
      tree.leaf_values.insert(tree.leaf_values.end(), values.begin(), values.end());
    }
  } else {
    node.feature = static_cast<std::int32_t>(random() % features.size());
    const FeatureInfo& feature = features[static_cast<std::size_t>(node.feature)];
    node.missing_left = random() % 2 == 0;
    if (feature.categorical) {
      node.categories = static_cast<std::int32_t>(tree.category_sets.size());
      node.categories_left = true;
      const std::uint64_t all = (std::uint64_t{1} << feature.levels.size()) - 1;
      tree.category_sets.push_back({{random() & all}});
    } else {
      node.threshold = random() % 10 == 0   ? infinity
                       : random() % 10 == 0 ? -infinity
                                            : static_cast<double>(random() % 21) / 2 - 5;
    }
    node.left = grow(tree, random, depth - 1, outputs);
    node.right = grow(tree, random, depth - 1, outputs);
  }
  tree.nodes[index] = node;
  return static_cast<std::int32_t>(index);
}

TermCondition random_condition(std::mt19937_64& random) {
  TermCondition condition;
  condition.feature = static_cast<std::uint32_t>(random() % features.size());
  condition.missing = random() % 3 == 0;
  const FeatureInfo& feature = features[condition.feature];
  if (feature.categorical) {
    for (std::uint32_t level = 0; level < feature.levels.size(); ++level) {
      if (random() % 2 == 0) condition.levels.push_back(level);
    }
    return condition;
  }
  if (random() % 2 == 0) condition.above = static_cast<double>(random() % 21) / 2 - 5;
  if (random() % 2 == 0) condition.at_most = static_cast<double>(random() % 21) / 2 - 5;
  if (random() % 10 == 0) condition.above = infinity;  // only a missing value
  return condition;
}

TermStructure random_terms(std::mt19937_64& random, std::size_t outputs, bool rules_only) {
  TermStructure structure;
  structure.intercept = weights(random, outputs);
  for (int t = 0; t < 12; ++t) {
    Term& term = structure.terms.emplace_back();
    term.weights = weights(random, outputs);
    if (!rules_only && random() % 2 == 0) {
      term.feature = random() % 2 == 0 ? 0 : 2;  // the numbers
      if (random() % 2 == 0) term.low = -2.5;
      term.high = random() % 2 == 0 ? 3 : 20;
      if (random() % 4 != 0) term.low = std::max(term.low, -20.0);  // rows may be infinite
      term.missing = weight(random);
      continue;
    }
    for (std::size_t i = 0; i < 1 + random() % 3; ++i) term.conditions.push_back(random_condition(random));
  }
  return structure;
}

StepStructure random_steps(std::mt19937_64& random, std::size_t outputs) {
  StepStructure structure;
  structure.intercept = weights(random, outputs);
  for (int t = 0; t < 10; ++t) {
    StepTerm& term = structure.terms.emplace_back();
    term.features = {static_cast<std::uint32_t>(random() % features.size())};
    if (random() % 2 == 0) {
      term.features.push_back(static_cast<std::uint32_t>((term.features[0] + 1 + random() % 4) % features.size()));
    }
    std::size_t cells = outputs;
    for (const std::uint32_t f : term.features) {
      auto& edges = term.edges.emplace_back();
      if (!features[f].categorical) {
        for (double edge = -5; edge <= 5; edge += 0.5) {
          if (random() % 3 == 0) edges.push_back(edge);
        }
      }
      cells *= (features[f].categorical ? features[f].levels.size() : edges.size() + 1) + 1;
    }
    // Few different values, so that neighbouring bins are joined.
    for (std::size_t i = 0; i < cells; ++i) term.values.push_back(static_cast<double>(random() % 3) / 4);
  }
  return structure;
}

// A row with an infinite number has no finite prediction where a term multiplies it.
bool is_defined(const std::vector<double>& margins) {
  return std::all_of(margins.begin(), margins.end(), [](double margin) { return std::isfinite(margin); });
}

template <class Kind>
void expect_predictions(const Model& model, const Kind& structure, const Rows& rows, LinkFunction link,
                        const std::string& what) {
  const std::size_t outputs = model.signature().outputs.size();
  Rows defined;
  for (const auto& row : rows) {
    if (is_defined(evaluated(structure, row, outputs))) defined.push_back(row);
  }
  ASSERT_GT(defined.size(), rows.size() / 2);
  const Matrix margins = predict(model, defined, Scale::margin);
  const Matrix responses = predict(model, defined, Scale::response);
  for (std::size_t row = 0; row < defined.size(); ++row) {
    std::vector<double> expected = evaluated(structure, defined[row], outputs);
    for (std::size_t k = 0; k < outputs; ++k) {
      ASSERT_NEAR(margins(row, k), expected[k], 1e-12 * (1 + std::abs(expected[k]))) << what << ", row " << row;
    }
    link.apply(expected.data(), outputs, 1);
    for (std::size_t k = 0; k < outputs; ++k) {
      ASSERT_NEAR(responses(row, k), expected[k], 1e-12 * (1 + std::abs(expected[k]))) << what << ", row " << row;
    }
  }
}

// The model itself, and the one that its file holds.
template <class Kind>
void expect_as_structure(const Kind& structure, std::size_t outputs, Link link, std::mt19937_64& random,
                         bool is_trees) {
  const Rows rows = random_rows(random, 400);
  const LinkFunction function{.link = link};
  const Signature signature = signature_of(outputs, link);
  const auto made = make_model(signature, function, structure, "made");
  EXPECT_EQ(made->trees() != nullptr, is_trees);
  expect_predictions(*made, structure, rows, function, "made");
  const auto read = testing::read_learned(testing::learned_file(signature, link, structure));
  EXPECT_EQ(read->trees() != nullptr, is_trees);
  expect_predictions(*read, structure, rows, function, "read");
}

struct Outputs {
  std::size_t count;
  Link link;
};
constexpr Outputs kinds[] = {
    {1, Link::identity}, {1, Link::logistic}, {1, Link::exponential}, {3, Link::softmax}, {3, Link::identity}};

TEST(MakeModel, Trees) {
  std::mt19937_64 random(1);
  for (const auto& [outputs, link] : kinds) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      TreeStructure tree;
      grow(tree, random, 5, outputs);
      expect_as_structure(tree, outputs, link, random, true);
    }
  }
}

TEST(MakeModel, ATreeOfOneLeaf) {
  std::mt19937_64 random(2);
  TreeStructure tree;
  tree.nodes.emplace_back();
  tree.nodes[0].threshold = 2.5;
  tree.covers = {7};
  expect_as_structure(tree, 1, Link::identity, random, true);
}

TEST(MakeModel, RulesAreTrees) {
  std::mt19937_64 random(3);
  for (const auto& [outputs, link] : kinds) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      expect_as_structure(random_terms(random, outputs, true), outputs, link, random, true);
    }
  }
}

TEST(MakeModel, TermsWithSlopes) {
  std::mt19937_64 random(4);
  for (const auto& [outputs, link] : kinds) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      expect_as_structure(random_terms(random, outputs, false), outputs, link, random, false);
    }
  }
}

// What the terms were on the rows they were fitted to is in the file; in older ones it is not.
TEST(MakeModel, MomentsOfTerms) {
  const auto read = [](const TermStructure& terms) {
    const Signature signature = signature_of(1, Link::identity);
    const auto model = testing::read_learned(testing::learned_file(signature, Link::identity, terms));
    return std::get<TermStructure>(model->learned()->structure());
  };
  TermStructure terms{
      .intercept = {0},
      .terms = {{.conditions = {{.feature = 0, .above = 1}}, .weights = {2}, .moments = TermMoments{0.25, 0.43}},
                {.feature = 2, .weights = {1}, .moments = TermMoments{-7.5, 3}}}};
  const TermStructure known = read(terms);
  EXPECT_EQ(known.terms.at(0).moments->mean, 0.25);
  EXPECT_EQ(known.terms.at(0).moments->sd, 0.43);
  EXPECT_EQ(known.terms.at(1).moments->mean, -7.5);
  EXPECT_EQ(known.terms.at(1).moments->sd, 3);
  terms.terms[0].moments.reset();
  EXPECT_FALSE(read(terms).terms.at(0).moments);
}

// As trees, and as terms that are added.
TEST(MakeModel, RulesAreTheSameEitherWay) {
  std::mt19937_64 random(5);
  const TermStructure rules = random_terms(random, 2, true);
  const Rows rows = random_rows(random, 500);
  const Signature signature = signature_of(2, Link::softmax);
  const LinkFunction link{.link = Link::softmax};
  const auto trees = make_model(signature, link, rules, "made");
  TermStructure with_slope = rules;
  with_slope.terms.push_back({.weights = {0, 0}});
  with_slope.terms.back().low = with_slope.terms.back().high = 1;
  const auto terms = make_model(signature, link, with_slope, "made");
  ASSERT_NE(trees->trees(), nullptr);
  ASSERT_EQ(terms->trees(), nullptr);
  for (const Scale scale : {Scale::margin, Scale::response}) {
    const Matrix a = predict(*trees, rows, scale), b = predict(*terms, rows, scale);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::size_t k = 0; k < 2; ++k) ASSERT_NEAR(a(row, k), b(row, k), 1e-12) << row;
    }
  }
}

TEST(MakeModel, StepsAreTrees) {
  std::mt19937_64 random(6);
  for (const auto& [outputs, link] : kinds) {
    for (int repeat = 0; repeat < 4; ++repeat) {
      expect_as_structure(random_steps(random, outputs), outputs, link, random, true);
    }
  }
}

TEST(MakeModel, NoTermsAtAll) {
  std::mt19937_64 random(7);
  expect_as_structure(StepStructure{.intercept = {0.5}, .terms = {}}, 1, Link::identity, random, true);
  expect_as_structure(TermStructure{.intercept = {0.5, 1, 2}, .terms = {}}, 3, Link::softmax, random, false);
}

// A step is at its edge, which belongs to the bin before it.
TEST(MakeModel, EdgesBelongToTheLowerBin) {
  StepStructure steps{.intercept = {10}, .terms = {{.features = {0}, .edges = {{1, 2}}, .values = {1, 2, 3, 4}}}};
  const auto model = make_model(signature_of(1, Link::identity), {}, steps, "made");
  Rows rows;
  for (const double x : {1.0, std::nextafter(1, 2), 2.0, std::nextafter(2, 3), static_cast<double>(NAN)}) {
    rows.push_back({x, 0, 0, NAN, 0});
  }
  const Matrix out = predict(*model, rows, Scale::response);
  std::vector<double> found;
  for (std::size_t row = 0; row < rows.size(); ++row) found.push_back(out(row, 0));
  EXPECT_THAT(found, ::testing::ElementsAre(11, 12, 12, 13, 14));
}

TEST(MakeModel, RefusesMissingValuesIfTold) {
  TermStructure terms{.intercept = {0}, .terms = {{.feature = 0, .weights = {1}}}, .refuses_missing = true};
  const auto model = make_model(signature_of(1, Link::identity), {}, terms, "made");
  EXPECT_EQ(predict(*model, {{3, 0, 0, unseen, 1}}, Scale::response)(0, 0), 3);
  EXPECT_THAT([&] { (void)predict(*model, {{3, 0, NAN, unseen, 1}}, Scale::response); },
              ThrowsMessage<Error>(HasSubstr("row 0 of b is missing")));
}

template <class Kind>
void expect_refused(const Kind& structure, const std::string& words, Signature signature) {
  try {
    (void)make_model(std::move(signature), {}, structure, "made");
    ADD_FAILURE() << "accepted: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::model);
    EXPECT_THAT(error.what(), HasSubstr(words));
  }
}

TEST(MakeModel, RefusesWhatContradictsItself) {
  const Signature one = signature_of(1, Link::identity);
  const auto steps = [](StepTerm term) { return StepStructure{.intercept = {0}, .terms = {std::move(term)}}; };
  expect_refused(StepStructure{}, "has no outputs", one);
  expect_refused(steps({.features = {}, .edges = {}, .values = {}}), "one or two features", one);
  expect_refused(steps({.features = {9}, .edges = {{}}, .values = {0, 0}}), "has no feature for term 0", one);
  expect_refused(steps({.features = {0, 0}, .edges = {{}, {}}, .values = {0, 0, 0, 0}}), "twice in term 0", one);
  expect_refused(steps({.features = {0}, .edges = {{2, 1}}, .values = {0, 0, 0, 0}}), "do not ascend", one);
  expect_refused(steps({.features = {0}, .edges = {{1, 1}}, .values = {0, 0, 0, 0}}), "do not ascend", one);
  expect_refused(steps({.features = {0}, .edges = {{infinity}}, .values = {0, 0, 0}}), "do not ascend", one);
  expect_refused(steps({.features = {1}, .edges = {{1}}, .values = {0, 0, 0, 0}}), "edges of a categorical", one);
  expect_refused(steps({.features = {0}, .edges = {{1}}, .values = {0, 0}}), "a value for each bin", one);
  expect_refused(steps({.features = {0}, .edges = {{1}}, .values = {0, NAN, 0}}), "not finite", one);
  expect_refused(StepStructure{.intercept = {0, 0}, .terms = {}}, "another number of outputs", one);
  expect_refused(StepStructure{.intercept = {infinity}, .terms = {}}, "not finite", one);

  const auto terms = [](Term term) { return TermStructure{.intercept = {0}, .terms = {std::move(term)}}; };
  const auto rule = [&](TermCondition condition) {
    return terms({.conditions = {std::move(condition)}, .weights = {1}});
  };
  expect_refused(TermStructure{}, "has no outputs", one);
  expect_refused(terms({.weights = {}}), "a weight for each output in term 0", one);
  expect_refused(terms({.weights = {NAN}}), "not finite in term 0", one);
  expect_refused(terms({.feature = 1, .weights = {1}}), "multiplies a categorical feature", one);
  expect_refused(terms({.feature = 7, .weights = {1}}), "has no feature for term 0", one);
  expect_refused(terms({.feature = 0, .low = 2, .high = 1, .weights = {1}}), "contradict each other", one);
  expect_refused(terms({.feature = 0, .low = infinity, .weights = {1}}), "contradict each other", one);
  expect_refused(terms({.weights = {1}, .moments = TermMoments{NAN, 1}}), "no finite mean and spread of term 0", one);
  expect_refused(terms({.weights = {1}, .moments = TermMoments{0, -1}}), "no finite mean and spread of term 0", one);
  expect_refused(terms({.conditions = {{.feature = 0}}, .weights = {1}, .moments = TermMoments{1.5, 0}}),
                 "a share of rows that is none in term 0", one);
  expect_refused(rule({.feature = 8}), "has no feature for a condition of term 0", one);
  expect_refused(rule({.feature = 0, .above = NAN}), "no number", one);
  expect_refused(rule({.feature = 0, .at_most = -infinity}), "nothing can meet", one);
  expect_refused(rule({.feature = 0, .levels = {0}}), "asks a number for its level", one);
  expect_refused(rule({.feature = 1, .levels = {2, 0}}), "levels out of order", one);
  expect_refused(rule({.feature = 1, .levels = {1, 1}}), "levels out of order", one);
  expect_refused(rule({.feature = 1, .levels = {3}}), "a level that there is not", one);
  Signature twice = one;
  twice.features[2].name = "a";
  expect_refused(terms({.weights = {1}}), "two features called a", twice);

  TreeStructure tree;
  tree.nodes = {{.left = 1, .right = 2, .feature = 0, .threshold = 0}, {}, {}};
  expect_refused(tree, "a value for each output", signature_of(2, Link::identity));
  tree.nodes[0].right = 7;
  expect_refused(tree, "made", one);
}

}  // namespace
}  // namespace sightglass
