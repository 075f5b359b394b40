#!/usr/bin/env bash
# Deposits particles as a Slurm job array, and adds the parts up in a job that depends on it. See docs/SLURM.md.
#
#   export STRIA_VALUES="--quantity density --scale log --type u8"
#   workflows/slurm/deposit.sh sim.00100 density.stria 8 --size 512 --box=-0.5,-0.5,-0.5,1,1,1 [options of stria deposit]
#
# Run it again after a failure: existing parts are complete, and are not deposited again.
set -euo pipefail

if [ $# -lt 3 ]; then
  echo "usage: deposit.sh PARTICLES OUTPUT PARTS [options of stria deposit]" >&2
  exit 2
fi
for word in "${@:4}"; do
  case $word in
    --levels | --levels=* | --no-levels)
      echo "deposit.sh does not take $word: change the levels of the output with \`stria levels\`." >&2
      exit 2
      ;;
  esac
done
export STRIA_WORK=deposit
source "$(dirname "$0")/jobs.sh"
