// A scan over the workgroup's 64 invocations. No entry point: kernels.ts puts it in front of the others.
// Algorithm: eight invocations sum up eight values each; then each invocation adds what stands before its own.

var<workgroup> wg_scan: array<u32, 64>;
var<workgroup> wg_scan_sums: array<u32, 8>;

// Exclusive: what the invocations before this one brought. The workgroup calls it together.
fn scan(thread: u32, value: u32) -> u32 {
  workgroupBarrier(); // everyone has read the scan before
  wg_scan[thread] = value;
  workgroupBarrier(); // the values are there
  if (thread < 8u) {
    var sum = 0u;
    for (var i = 0u; i < 8u; i++) { sum += wg_scan[8u * thread + i]; }
    wg_scan_sums[thread] = sum;
  }
  workgroupBarrier(); // the sums of eight are there
  var before = 0u;
  for (var i = 0u; i < thread / 8u; i++) { before += wg_scan_sums[i]; }
  for (var i = thread & ~7u; i < thread; i++) { before += wg_scan[i]; }
  return before;
}
