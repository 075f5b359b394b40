// Spreads particles over 1 (ngp), 2 (cic) or 3 (tsc) voxels along each axis. docs/PARTICLES.md, "Kernels".
// One invocation owns a particle, and adds its shares to voxels that it may share with others.
// Dispatch: one workgroup for 64 particles, spread over x and y.
// Invariants: those of sums.wgsl; the last neighbour's share is the remainder, so that nothing is lost.

import package::particles::fixed::{minus, times16};
import package::particles::sums::{add_share, grid};

// Neighbours along each axis.
override neighbours: u32 = 2u;

const words_per_particle = 5u;

// Of each particle: position x, y, z (i32, in 1/65,536 voxel), and mass (low and high word).
@group(0) @binding(3) var<storage, read> particles: array<u32>;

struct Axis { first: i32, weights: vec3u }

// The voxels that share a particle along an axis, and their weights in 1/65,536.
fn axis_of(position: i32) -> Axis {
  let inside = u32(position) & 0xffffu;
  if (neighbours == 1u) { return Axis(position >> 16u, vec3u(65536u, 0u, 0u)); }
  if (neighbours == 2u) {
    // Voxel centres lie at one half.
    let moved = position - 32768;
    let beyond = u32(moved) & 0xffffu;
    return Axis(moved >> 16u, vec3u(65536u - beyond, beyond, 0u));
  }
  let below = (65536u - inside) >> 1u;
  let above = inside >> 1u;
  let first = (below * below) >> 15u;
  let last = (above * above) >> 15u;
  return Axis((position >> 16u) - 1, vec3u(first, 65536u - first - last, last));
}

// A neighbour's share of the mass that is divided along an axis.
fn share_of(whole: vec2u, rest: vec2u, weights: vec3u, neighbour: u32) -> vec2u {
  if (neighbour == neighbours - 1u) { return rest; }
  return times16(whole, weights[neighbour]);
}

@compute @workgroup_size(64)
fn main(
  @builtin(local_invocation_index) thread: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(num_workgroups) workgroups: vec3u,
) {
  let number = (workgroup.x + workgroup.y * workgroups.x) * 64u + thread;
  if (number >= grid.particle_count) { return; }
  let at = (grid.first_particle + number) * words_per_particle;
  let xs = axis_of(i32(particles[at]));
  let ys = axis_of(i32(particles[at + 1u]));
  let zs = axis_of(i32(particles[at + 2u]));
  let mass = vec2u(particles[at + 3u], particles[at + 4u]);
  var z_rest = mass;
  for (var k = 0u; k < neighbours; k++) {
    let z_share = share_of(mass, z_rest, zs.weights, k);
    z_rest = minus(z_rest, z_share);
    var y_rest = z_share;
    for (var j = 0u; j < neighbours; j++) {
      let y_share = share_of(z_share, y_rest, ys.weights, j);
      y_rest = minus(y_rest, y_share);
      var x_rest = y_share;
      for (var i = 0u; i < neighbours; i++) {
        let x_share = share_of(y_share, x_rest, xs.weights, i);
        x_rest = minus(x_rest, x_share);
        add_share(vec3i(xs.first, ys.first, zs.first) + vec3i(vec3u(i, j, k)), x_share);
      }
    }
  }
}
