#!/usr/bin/env bash
# Compresses a volume as a Slurm job array, and merges the parts in a job that depends on it. See docs/SLURM.md.
#
#   workflows/slurm/submit.sh scan.nii scan.stria 200 [options of stria compress]
#
# Run it again after a failure: parts that exist are whole, and are not compressed again.
set -euo pipefail

if [ $# -lt 3 ]; then
  echo "usage: submit.sh INPUT OUTPUT PARTS [options of stria compress]" >&2
  exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
export STRIA_INPUT=$1 STRIA_OUTPUT=$2 STRIA_PARTS=$3
shift 3
export STRIA_OPTIONS="$*"
export STRIA_FOLDER=${STRIA_FOLDER:-$STRIA_OUTPUT.parts}
# Slurm limits the length of an array (MaxArraySize, 1001 unless configured). With more parts, each task makes several.
export STRIA_TASKS=$((STRIA_PARTS < ${STRIA_MAX_TASKS:-1000} ? STRIA_PARTS : ${STRIA_MAX_TASKS:-1000}))
mkdir -p "$STRIA_FOLDER"

array=$(sbatch --parsable --array="1-$STRIA_TASKS" --export=ALL ${STRIA_SBATCH:-} "$here/compress.sbatch")
merge=$(sbatch --parsable --dependency="afterok:$array" --kill-on-invalid-dep=yes --export=ALL ${STRIA_SBATCH:-} "$here/merge.sbatch")
echo "compressing as job $array, merging as job $merge"
