#!/usr/bin/env bash
# Compresses a volume as a Slurm job array, and merges the parts in a job that depends on it. See docs/SLURM.md.
#
#   workflows/slurm/submit.sh scan.nii scan.stria 200 [options of stria compress]
#
# Run it again after a failure: existing parts are complete, and are not compressed again.
set -euo pipefail

if [ $# -lt 3 ]; then
  echo "usage: submit.sh INPUT OUTPUT PARTS [options of stria compress]" >&2
  exit 2
fi
export STRIA_WORK=compress
source "$(dirname "$0")/jobs.sh"
