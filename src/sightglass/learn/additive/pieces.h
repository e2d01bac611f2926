// The pieces of which shapes are boosted: steps along one feature with few leaves, and along two features with four.
// Each is the best one for sums over bins of gradients (downhill, weighted) and curvatures (second derivatives); a
// leaf's value is the sum of its gradients over that of its curvatures, a Newton step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sightglass/learn/training_data.h"

namespace sightglass::additive {

struct BinSums {
  std::vector<double> gradient, curvature, weight;

  BinSums() = default;
  explicit BinSums(std::size_t bins) : gradient(bins), curvature(bins), weight(bins) {}
  [[nodiscard]] std::size_t size() const { return gradient.size(); }
};

struct PieceRules {
  std::size_t leaves = 3;
  double least_weight = 1;  // of a leaf
  double largest_step = std::numeric_limits<double>::infinity();
  double learning_rate = 1;
  std::uint64_t seed = 0, stream = 0;  // of random cuts
};

// How neighbouring bins belong together.
enum class BinOrder {
  numbers,  // only neighbours share a leaf
  levels,   // any may; they are taken in the order of their means
};

// Finds pieces; keeps its memory from one to the next.
class PieceFinder {
 public:
  explicit PieceFinder(PieceRules rules) : rules_(rules) {}

  // Whether cuts are drawn at random from now on, rather than being the best. Sums of many such pieces are smooth.
  void draw_cuts(bool at_random) { at_random_ = at_random; }

  // The step of each bin. The last bin is for what is missing: beside numbers a leaf of its own, among levels one of
  // them. False: there is none, nothing was written.
  bool along_one(const BinSums& sums, BinOrder order, Monotone direction, std::span<float> step);

  // Bins of the first feature × of the second, those of the second side by side. One cut along either feature, then one
  // along the other on each side. A first cut takes one level from the others, a second one any of them.
  bool along_two(const BinSums& sums, BinOrder first, BinOrder second, std::size_t second_bins, std::span<float> step);

 private:
  struct Cut {
    std::size_t at = 0;  // 0: none
    double gain = -1;
  };
  struct Bounds {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
    bool rising = false;
  };
  // A line of bins with running sums, in an order in which it can be cut.
  struct Line {
    std::vector<std::size_t> order;
    std::vector<double> gradient, curvature, weight;  // of all bins before
    [[nodiscard]] double value(std::size_t begin, std::size_t end) const;
    [[nodiscard]] double gain(std::size_t begin, std::size_t end) const;
  };
  struct FirstCut {
    double gain = -1;
    bool swapped = false;  // the second feature is cut first
    std::size_t at = 0;
  };

  void lay_out(const double* gradient, const double* curvature, const double* weight, std::size_t bins, BinOrder order);
  Cut best_cut(std::size_t begin, std::size_t end, const Bounds& bounds);
  double draw();  // from 0 to below 1
  // Any row is as likely as any other to be the last before the cut.
  std::size_t draw_cut(std::size_t begin, std::size_t end);
  [[nodiscard]] float newton_step(double value) const;
  void best_first_cut(const BinSums& sums, BinOrder first, BinOrder second, std::size_t second_bins, bool swapped,
                      FirstCut& best);
  double cut_side(const BinSums& side, BinOrder order, std::vector<float>* step);

  PieceRules rules_;
  bool at_random_ = false;
  std::uint64_t drawn_ = 0;  // so many numbers
  Line line_;
  std::vector<double> gains_;
  BinSums total_, near_, far_, turned_;
};

}  // namespace sightglass::additive
