// A scan over the workgroup's 64 invocations.
// Algorithm: eight invocations sum up eight values each. Then each invocation adds up what comes before its own value.

var<workgroup> wg_scan: array<u32, 64>;
var<workgroup> wg_scan_sums: array<u32, 8>;

// Exclusive: the sum of the values of the invocations before this one. The whole workgroup must call it.
fn scan(thread: u32, value: u32) -> u32 {
  workgroupBarrier(); // everyone has read the previous scan
  wg_scan[thread] = value;
  workgroupBarrier(); // the values are stored
  if (thread < 8u) {
    var sum = 0u;
    for (var i = 0u; i < 8u; i++) { sum += wg_scan[8u * thread + i]; }
    wg_scan_sums[thread] = sum;
  }
  workgroupBarrier(); // the sums of eight are stored
  var before = 0u;
  for (var i = 0u; i < thread / 8u; i++) { before += wg_scan_sums[i]; }
  for (var i = thread & ~7u; i < thread; i++) { before += wg_scan[i]; }
  return before;
}
