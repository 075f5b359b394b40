// Spreads particles over the voxels within their smoothing radius, by the cubic spline. docs/PARTICLES.md, "Kernels".
// One invocation owns a particle. It visits the voxels twice: for the sum of their weights, and to give each its share.
// Dispatch: one workgroup for 64 particles, spread over x and y.
// Invariants: those of sums.wgsl; shares are differences of running totals, so that nothing is lost.

import package::particles::fixed::{fraction32, minus, times32};
import package::particles::sums::{add_share, grid};

const words_per_particle = 8u;
const steps = 1024u;

// Of each particle: position x, y, z (i32, in 1/65,536 voxel), mass (low and high word), radius along x, y, z (1/256 voxel).
@group(0) @binding(3) var<storage, read> particles: array<u32>;
// The weight at each step of the squared distance: `steps` words.
@group(0) @binding(4) var<storage, read> weights: array<u32>;

struct Sphere { center: vec3i, radius: vec3u, first: vec3i, last: vec3i }

fn sphere_of(at: u32) -> Sphere {
  var sphere: Sphere;
  sphere.center = vec3i(i32(particles[at]), i32(particles[at + 1u]), i32(particles[at + 2u]));
  sphere.radius = vec3u(particles[at + 5u], particles[at + 6u], particles[at + 7u]);
  let reach = vec3i(sphere.radius * 256u);
  sphere.first = (sphere.center - reach) >> vec3u(16u);
  sphere.last = (sphere.center + reach) >> vec3u(16u);
  return sphere;
}

// The weight of a voxel by the distance of its centre.
fn weight_of(sphere: Sphere, place: vec3i) -> u32 {
  let distance = vec3u(abs(place * 65536 + 32768 - sphere.center)) >> vec3u(8u);
  // In 1/4096 of the radius.
  let relative = (distance * (vec3u(1u << 30u) / sphere.radius)) >> vec3u(18u);
  let step = (relative.x * relative.x + relative.y * relative.y + relative.z * relative.z) >> 14u;
  if (step >= steps) { return 0u; }
  return weights[step];
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
  let sphere = sphere_of(at);
  let mass = vec2u(particles[at + 3u], particles[at + 4u]);
  var sum = 0u;
  for (var z = sphere.first.z; z <= sphere.last.z; z++) {
    for (var y = sphere.first.y; y <= sphere.last.y; y++) {
      for (var x = sphere.first.x; x <= sphere.last.x; x++) { sum += weight_of(sphere, vec3i(x, y, z)); }
    }
  }
  if (sum == 0u) {
    // The sphere is too small to reach a voxel's centre.
    add_share(sphere.center >> vec3u(16u), mass);
    return;
  }
  var reached = 0u;
  var given = vec2u(0u);
  for (var z = sphere.first.z; z <= sphere.last.z; z++) {
    for (var y = sphere.first.y; y <= sphere.last.y; y++) {
      for (var x = sphere.first.x; x <= sphere.last.x; x++) {
        let weight = weight_of(sphere, vec3i(x, y, z));
        if (weight == 0u) { continue; }
        reached += weight;
        var until = mass;
        if (reached < sum) { until = times32(mass, fraction32(reached, sum)); }
        add_share(vec3i(x, y, z), minus(until, given));
        given = until;
      }
    }
  }
}
