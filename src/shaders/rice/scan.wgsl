// A scan over the workgroup's invocations, 256 at most.
// Algorithm: sums of 4, then of 32, then of all. Each invocation adds the sums before it at each level.

import package::rice::brick::threads;

// The type to scan: one number, or two with `scans_pairs`.
@if(scans_pairs) alias Scanned = vec2u;
@else alias Scanned = u32;

var<workgroup> wg_scan: array<Scanned, threads>;
var<workgroup> wg_scan_groups: array<Scanned, threads / 4u>;
var<workgroup> wg_scan_rows: array<Scanned, threads / 32u>;

struct Scan { before: Scanned, total: Scanned }

// Exclusive: the sum of the values of the invocations before this one, and the total. The whole workgroup must call it. One scan
// may follow another at once: a value that an invocation may still read is overwritten only after a barrier of the next scan.
fn scan(thread: u32, value: Scanned) -> Scan {
  let group = thread / 4u;
  wg_scan[thread] = value;
  workgroupBarrier(); // the values are stored
  var before = Scanned();
  var sum = Scanned();
  for (var i = 0u; i < 4u; i++) {
    if (i == thread % 4u) { before = sum; }
    sum += wg_scan[4u * group + i];
  }
  if (thread % 4u == 0u) { wg_scan_groups[group] = sum; }
  workgroupBarrier(); // the sums of 4 are stored
  sum = Scanned();
  for (var i = 0u; i < 8u; i++) {
    if (i == group % 8u) { before += sum; }
    sum += wg_scan_groups[(group & ~7u) + i];
  }
  if (thread % 32u == 0u) { wg_scan_rows[group / 8u] = sum; }
  workgroupBarrier(); // the sums of 32 are stored
  sum = Scanned();
  for (var i = 0u; i < threads / 32u; i++) {
    if (i == group / 8u) { before += sum; }
    sum += wg_scan_rows[i];
  }
  return Scan(before, sum);
}
