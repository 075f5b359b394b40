#!/usr/bin/env bash
# Tells Snakemake 7 how a Slurm job is doing: running, success or failed. `scontrol` works without Slurm's accounting database.
answer=$(scontrol -o show job "$1" 2>&1)
state=$(sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p' <<<"$answer")
case $state in
  COMPLETED) echo success ;;
  PENDING | CONFIGURING | RUNNING | COMPLETING | REQUEUED | SUSPENDED | RESIZING | STOPPED) echo running ;;
  '')
    # A busy or restarting controller says nothing about the job.
    case $answer in
      *'timed out'* | *'Unable to contact slurm controller'*) echo running ;;
      *) echo failed ;;
    esac
    ;;
  *) echo failed ;;
esac
