// As scan.wgsl, by subgroups.

var<workgroup> wg_scan_rows: array<Scanned, 32>;

struct Scan { before: Scanned, total: Scanned }

// Exclusive: what the invocations before this one brought; and what all brought. The workgroup calls it together.
fn scan(thread: u32, value: Scanned) -> Scan {
  let size = subgroupAdd(1u);
  let row = thread / size;
  var before = subgroupExclusiveAdd(value);
  workgroupBarrier(); // everyone has read the scan before
  if (thread % size == size - 1u) { wg_scan_rows[row] = before + value; }
  workgroupBarrier(); // the subgroups' sums are there
  var sum = Scanned();
  for (var i = 0u; i < threads / size; i++) {
    if (i == row) { before += sum; }
    sum += wg_scan_rows[i];
  }
  return Scan(before, sum);
}
