#include "sightglass/learn/rules/rule_gram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "sightglass/base/each_processor.h"

// Counting the bits of eight words at once is one instruction of some processors, which compilers do not find.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(SIGHTGLASS_PLAIN_KERNELS)
#include <immintrin.h>
#define SIGHTGLASS_COUNT_BY_HAND
#endif

namespace sightglass {

namespace {

constexpr std::size_t rules_at_once = 8, others_at_once = 16;
constexpr double largest_whole_weight = 0xFFFF;

// None if a weight is no whole number, or too large for bits to pay.
RowSetTable bits_of_weights(std::span<const double> weights, std::size_t words) {
  double largest = 0;
  for (const double weight : weights) {
    if (weight != std::floor(weight)) return RowSetTable(0);
    largest = std::max(largest, weight);
  }
  if (largest > largest_whole_weight) return RowSetTable(0);
  RowSetTable table(words);
  for (std::uint32_t bit = 0; (std::uint32_t{1} << bit) <= static_cast<std::uint32_t>(largest); ++bit) {
    std::vector<RowWord> rows(words);
    for (std::size_t i = 0; i < weights.size(); ++i)
      rows[i / rows_per_word] |= RowWord{static_cast<std::uint32_t>(weights[i]) >> bit & 1} << (i % rows_per_word);
    table.push_back(rows.data());
  }
  return table;
}

#ifdef SIGHTGLASS_COUNT_BY_HAND
__attribute__((target("avx512f,avx512vpopcntdq"))) void count_by_hand(const RowWord* a, const RowWord* b,
                                                                      std::span<const std::size_t> first_word,
                                                                      double unit, double* out, std::size_t stride) {
  for (std::size_t fold = 0; fold + 1 < first_word.size(); ++fold) {
    __m512i counts = _mm512_setzero_si512();
    const std::size_t end = first_word[fold + 1];
    std::size_t w = first_word[fold];
    for (; w + 8 <= end; w += 8) {
      const __m512i shared = _mm512_and_si512(_mm512_loadu_si512(a + w), _mm512_loadu_si512(b + w));
      counts = _mm512_add_epi64(counts, _mm512_popcnt_epi64(shared));
    }
    if (w < end) {
      const auto rest = static_cast<__mmask8>((1U << (end - w)) - 1);
      const __m512i shared =
          _mm512_and_si512(_mm512_maskz_loadu_epi64(rest, a + w), _mm512_maskz_loadu_epi64(rest, b + w));
      counts = _mm512_add_epi64(counts, _mm512_popcnt_epi64(shared));
    }
    alignas(64) std::uint64_t eight[8];
    _mm512_store_si512(eight, counts);
    const std::uint64_t count =
        ((eight[0] + eight[1]) + (eight[2] + eight[3])) + ((eight[4] + eight[5]) + (eight[6] + eight[7]));
    out[fold * stride] += unit * static_cast<double>(count);
  }
}
#endif

SIGHTGLASS_FOR_EACH_PROCESSOR
void count_plainly(const RowWord* a, const RowWord* b, std::span<const std::size_t> first_word, double unit,
                   double* out, std::size_t stride) {
  for (std::size_t fold = 0; fold + 1 < first_word.size(); ++fold) {
    std::uint64_t even = 0, odd = 0;
    std::size_t w = first_word[fold];
    for (; w + 1 < first_word[fold + 1]; w += 2) {
      even += static_cast<std::uint64_t>(std::popcount(a[w] & b[w]));
      odd += static_cast<std::uint64_t>(std::popcount(a[w + 1] & b[w + 1]));
    }
    if (w < first_word[fold + 1]) even += static_cast<std::uint64_t>(std::popcount(a[w] & b[w]));
    out[fold * stride] += unit * static_cast<double>(even + odd);
  }
}

// Adds the number of shared rows of each fold, in units; `stride` apart.
void count_by_folds(const RowWord* a, const RowWord* b, std::span<const std::size_t> first_word, double unit,
                    double* out, std::size_t stride) {
#ifdef SIGHTGLASS_COUNT_BY_HAND
  static const bool can = __builtin_cpu_supports("avx512vpopcntdq") != 0;
  if (can) return count_by_hand(a, b, first_word, unit, out, stride);
#endif
  count_plainly(a, b, first_word, unit, out, stride);
}

double dot(const double* a, const double* b, std::size_t first, std::size_t end) {
  double sum = 0;
  for (std::size_t i = first; i < end; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

RuleGram::RuleGram(const RuleTerms& terms, const Context& context)
    : terms_(terms),
      size_(terms.size()),
      folds_(terms.rows.rows.folds()),
      all_rules_(terms.rules.size()),
      weight_bits_(bits_of_weights(terms.rows.weights, terms.rows.rows.words())),
      products_(terms.size()) {
  std::iota(all_rules_.begin(), all_rules_.end(), 0U);
  const FoldedRows& rows = terms.rows.rows;
  weight_sums_.resize(folds_ + 1);
  for (std::size_t fold = 0; fold < folds_; ++fold) {
    for (std::size_t i = rows.first_word[fold] * rows_per_word; i < rows.first_word[fold + 1] * rows_per_word; ++i)
      weight_sums_[fold] += terms.rows.weights[i];
    weight_sums_[folds_] += weight_sums_[fold];
  }
  term_sums_ = sums(terms.rows.weights.data(), context);
  linear_sums_.resize(terms.linear.size());
  for (std::size_t l = 0; l < terms.linear.size(); ++l) {
    std::vector<double> weighted = terms.linear[l].values;
    for (std::size_t i = 0; i < weighted.size(); ++i) weighted[i] *= terms.rows.weights[i];
    linear_sums_[l] = sums(weighted.data(), context);
  }
}

std::vector<double> RuleGram::sums(const double* weighted, const Context& context) const {
  std::vector<double> result((folds_ + 1) * size_);
  const FoldedRows& rows = terms_.rows.rows;
  context.parallel_for(folds_, [&](std::size_t fold) {
    context.check();
    double* out = result.data() + fold * size_;
    add_sums(terms_.sets, all_rules_, weighted, rows.first_word[fold], rows.first_word[fold + 1], out);
    for (std::size_t l = 0; l < terms_.linear.size(); ++l) {
      out[all_rules_.size() + l] = dot(weighted, terms_.linear[l].values.data(), rows.first_word[fold] * rows_per_word,
                                       rows.first_word[fold + 1] * rows_per_word);
    }
  });
  for (std::size_t fold = 0; fold < folds_; ++fold) {
    for (std::size_t term = 0; term < size_; ++term) result[folds_ * size_ + term] += result[fold * size_ + term];
  }
  return result;
}

void RuleGram::sums_without(std::size_t fold, std::span<const std::uint32_t> terms, const double* weighted,
                            double* out) const {
  // Rules among them, and where their sums go.
  std::vector<std::uint32_t> rules, places;
  const FoldedRows& rows = terms_.rows.rows;
  const std::size_t skip = fold < folds_ ? rows.first_word[fold] : rows.words();
  const std::size_t resume = fold < folds_ ? rows.first_word[fold + 1] : rows.words();
  for (std::size_t t = 0; t < terms.size(); ++t) {
    if (terms[t] < all_rules_.size()) {
      rules.push_back(terms[t]);
      places.push_back(static_cast<std::uint32_t>(t));
      continue;
    }
    const double* values = terms_.linear[terms[t] - all_rules_.size()].values.data();
    out[t] = dot(weighted, values, 0, skip * rows_per_word) +
             dot(weighted, values, resume * rows_per_word, rows.words() * rows_per_word);
  }
  std::vector<double> sums(rules.size());
  add_sums(terms_.sets, rules, weighted, 0, skip, sums.data());
  add_sums(terms_.sets, rules, weighted, resume, rows.words(), sums.data());
  for (std::size_t r = 0; r < rules.size(); ++r) out[places[r]] = sums[r];
}

void RuleGram::require(std::span<const std::uint32_t> terms, const Context& context) {
  std::vector<std::uint32_t> rules, others;
  for (const std::uint32_t term : terms) {
    if (!products_[term].empty()) continue;
    products_[term].resize((folds_ + 1) * size_);
    (term < all_rules_.size() && weight_bits_.size() > 0 ? rules : others).push_back(term);
  }
  context.parallel_for((rules.size() + rules_at_once - 1) / rules_at_once, [&](std::size_t task) {
    context.check();
    const std::size_t first = task * rules_at_once;
    count_shared_rows(std::span(rules).subspan(first, std::min(rules_at_once, rules.size() - first)));
  });
  context.parallel_for(others.size(), [&](std::size_t i) {
    context.check();
    find_products(others[i]);
  });
}

void RuleGram::count_shared_rows(std::span<const std::uint32_t> rules) {
  const FoldedRows& rows = terms_.rows.rows;
  std::vector<RowWord> masked(rows.words() * rules.size());
  for (std::size_t bit = 0; bit < weight_bits_.size(); ++bit) {
    for (std::size_t r = 0; r < rules.size(); ++r) {
      for (std::size_t w = 0; w < rows.words(); ++w)
        masked[r * rows.words() + w] = terms_.sets[rules[r]][w] & weight_bits_[bit][w];
    }
    const double unit = std::ldexp(1.0, static_cast<int>(bit));
    // Of some others at a time, so that what is written stands together.
    std::vector<double> counts(folds_ * others_at_once);
    for (std::size_t first = 0; first < all_rules_.size(); first += others_at_once) {
      const std::size_t end = std::min(first + others_at_once, all_rules_.size());
      for (std::size_t r = 0; r < rules.size(); ++r) {
        std::fill(counts.begin(), counts.end(), 0.0);
        for (std::size_t other = first; other < end; ++other) {
          count_by_folds(masked.data() + r * rows.words(), terms_.sets[other], rows.first_word, unit,
                         counts.data() + (other - first), others_at_once);
        }
        for (std::size_t fold = 0; fold < folds_; ++fold) {
          double* out = products_[rules[r]].data() + fold * size_;
          for (std::size_t other = first; other < end; ++other)
            out[other] += counts[fold * others_at_once + other - first];
        }
      }
    }
  }
  for (const std::uint32_t rule : rules) {
    add_linear(rule);
    take_from_totals(rule);
  }
}

// Of a linear term, or of a rule with weights that are no whole numbers.
void RuleGram::find_products(std::uint32_t term) {
  std::vector<double>& products = products_[term];
  if (term >= all_rules_.size()) {
    products = linear_sums_[term - all_rules_.size()];
    std::fill(products.begin() + static_cast<std::ptrdiff_t>(folds_ * size_), products.end(), 0.0);
    take_from_totals(term);
    return;
  }
  const FoldedRows& rows = terms_.rows.rows;
  std::vector<double> weighted(rows.positions());
  for (std::size_t i = 0; i < weighted.size(); ++i)
    weighted[i] = has_row(terms_.sets[term], i) ? terms_.rows.weights[i] : 0;
  for (std::size_t fold = 0; fold < folds_; ++fold) {
    add_sums(terms_.sets, all_rules_, weighted.data(), rows.first_word[fold], rows.first_word[fold + 1],
             products.data() + fold * size_);
  }
  add_linear(term);
  take_from_totals(term);
}

void RuleGram::add_linear(std::uint32_t rule) {
  for (std::size_t l = 0; l < linear_sums_.size(); ++l) {
    for (std::size_t fold = 0; fold < folds_; ++fold)
      products_[rule][fold * size_ + all_rules_.size() + l] = linear_sums_[l][fold * size_ + rule];
  }
}

// From sums over each fold to sums over all rows but those.
void RuleGram::take_from_totals(std::uint32_t term) {
  std::vector<double>& products = products_[term];
  double* total = products.data() + folds_ * size_;
  for (std::size_t fold = 0; fold < folds_; ++fold) {
    for (std::size_t other = 0; other < size_; ++other) total[other] += products[fold * size_ + other];
  }
  for (std::size_t fold = 0; fold < folds_; ++fold) {
    double* of_fold = products.data() + fold * size_;
    for (std::size_t other = 0; other < size_; ++other) of_fold[other] = total[other] - of_fold[other];
  }
}

}  // namespace sightglass
