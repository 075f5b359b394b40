#!/usr/bin/env bash
# Tells Snakemake 7 how a Slurm job is doing: running, success or failed. `scontrol` works without Slurm's accounting database.
state=$(scontrol -o show job "$1" 2>/dev/null | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p')
case $state in
  COMPLETED) echo success ;;
  PENDING | CONFIGURING | RUNNING | COMPLETING | REQUEUED | SUSPENDED | RESIZING | STOPPED) echo running ;;
  *) echo failed ;;
esac
