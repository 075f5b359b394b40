// Solves the equations of each part's fits for the weights of the neighbours, by the operations of `solveWeights` in
// src/core/codecs/wave/choose.ts in their order, so that every bit agrees.
// One workgroup owns one set of equations: those of slice 0, or those of the other slices. Dispatch: parts × 2.

import package::wave::doubles::{
  Double, double_of, double_of_signed, floor_of, negated, product_of, quotient_of, scaled, sum_of,
};

const neighbours = 28u;
const in_plane_neighbours = 10u;
const sum_count = 434u;
const weight_words = 40u;
const threads = 256u;

// See fitting.wgsl.
@group(0) @binding(0) var<storage, read> sums: array<u32>;
// For each part: the weights of the 28 neighbours, those of the first ten in slice 0, and two words that are not used.
@group(0) @binding(1) var<storage, read_write> weights: array<i32>;

const one = vec2u(0x3ff00000u, 0u);
const half = vec2u(0x3fe00000u, 0u);

// Rows of coefficients, each with its right-hand side behind them.
var<workgroup> wg_matrix: array<vec2u, 812>;
// The factors of the rows below a pivot.
var<workgroup> wg_factors: array<vec2u, neighbours>;
var<workgroup> wg_weights: array<i32, neighbours>;

fn difference_of(a: Double, b: Double) -> Double { return sum_of(a, negated(b)); }

// The sum of products of two columns, the first of which is not after the second.
fn sum_at(start: u32, row: u32, column: u32) -> Double {
  let at = start + row * (neighbours + 1u) - (row * (row + 1u)) / 2u + column;
  return double_of(vec2u(sums[at + sum_count], sums[at]));
}

@compute @workgroup_size(threads)
fn main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) workgroup: vec3u) {
  let number = workgroup.x;
  let is_later = workgroup.y == 1u;
  let count = select(in_plane_neighbours, neighbours, is_later);
  let size = count + 1u;
  let start = (2u * number + workgroup.y) * 2u * sum_count;
  for (var at = thread; at < count * size; at += threads) {
    let row = at / size;
    let column = select(at % size, neighbours, at % size == count);
    var element = sum_at(start, min(row, column), max(row, column));
    // Regularization, which ensures a solution if neighbours are linearly dependent.
    if (row == column) { element = sum_of(element, sum_of(one, scaled(element, -20))); }
    wg_matrix[at] = element;
  }
  for (var i = 0u; i + 1u < count; i++) {
    // Wait until the rows are as the last pivot left them.
    workgroupBarrier();
    let rows = count - 1u - i;
    let pivot_row = i * size;
    if (thread < rows) {
      wg_factors[i + 1u + thread] = quotient_of(wg_matrix[pivot_row + (thread + 1u) * size + i], wg_matrix[pivot_row + i]);
    }
    // Wait for the factors.
    workgroupBarrier();
    let columns = count - i;
    for (var at = thread; at < rows * columns; at += threads) {
      let j = i + 1u + at / columns;
      let k = i + 1u + at % columns;
      let product = product_of(wg_factors[j], wg_matrix[pivot_row + k]);
      wg_matrix[j * size + k] = difference_of(wg_matrix[j * size + k], product);
    }
  }
  // Wait for the matrix.
  workgroupBarrier();
  // Back substitution uses rounded weights, so that later weights compensate for the rounding of earlier ones. Each of the first
  // invocations has one equation.
  let own = min(thread, count - 1u) * size;
  let diagonal = wg_matrix[own + min(thread, count - 1u)];
  var rest = scaled(wg_matrix[own + count], 8);
  let to = weight_words * number + select(neighbours, 0u, is_later);
  for (var left = count; left > 0u; left--) {
    let i = left - 1u;
    if (thread == i) {
      let weight = floor_of(sum_of(quotient_of(rest, diagonal), half));
      wg_weights[i] = weight;
      weights[to + i] = weight;
    }
    // Wait for the weight.
    workgroupBarrier();
    if (thread < i) { rest = difference_of(rest, product_of(wg_matrix[own + i], double_of_signed(wg_weights[i]))); }
  }
}
