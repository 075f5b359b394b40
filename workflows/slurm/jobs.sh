# Submits both jobs: an array that makes the parts, and the merge. Sourced by submit.sh and deposit.sh.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export STRIA_INPUT=$1 STRIA_OUTPUT=$2 STRIA_PARTS=$3
shift 3
# Parts have no levels: the merge makes them, with the same codecs.
levels='--(levels(=[^ ]+)?|no-levels)'
coding='--(codec|prefer|axis|effort|device)[= ][^ ]+'
export STRIA_OPTIONS STRIA_MERGE_OPTIONS
STRIA_OPTIONS=$(sed -E "s/$levels( |\$)//g; s/ +\$//" <<<"$*")
STRIA_MERGE_OPTIONS=$(grep -oE -e "$coding" -e "$levels" <<<"$*" | tr '\n' ' ' || true)
export STRIA_FOLDER=${STRIA_FOLDER:-$STRIA_OUTPUT.parts}
# Slurm limits the length of an array (MaxArraySize, 1001 unless configured). With more parts, each task makes several.
export STRIA_TASKS=$((STRIA_PARTS < ${STRIA_MAX_TASKS:-1000} ? STRIA_PARTS : ${STRIA_MAX_TASKS:-1000}))
mkdir -p "$STRIA_FOLDER"

# Parts of a run with other settings must not be merged with those of this one.
record=$STRIA_FOLDER/stria-run.txt
settings=$(printf '%s\n' "work: $STRIA_WORK" "parts: $STRIA_PARTS" "input: $(realpath -ms -- "$STRIA_INPUT")" "options: $STRIA_OPTIONS")
fault=
if [ -e "$record" ]; then
  [ "$(cat "$record")" = "$settings" ] || fault="belongs to a run with other settings, which $record names"
elif [ -n "$(find "$STRIA_FOLDER" -maxdepth 1 -name 'part-[0-9]*.stria' -print -quit)" ]; then
  fault="holds parts of an unknown run"
fi
if [ -n "$fault" ]; then
  echo "The folder $STRIA_FOLDER $fault. Remove its parts and stria-run.txt, or name another folder in STRIA_FOLDER." >&2
  exit 2
fi
printf '%s\n' "$settings" >"$record"

# STRIA_SBATCH is a list of words.
array=$(sbatch --parsable --array="1-$STRIA_TASKS" --export=ALL ${STRIA_SBATCH:-} "$here/part.sbatch")
merge=$(sbatch --parsable --dependency="afterok:$array" --kill-on-invalid-dep=yes --export=ALL ${STRIA_SBATCH:-} "$here/merge.sbatch")
echo "making the parts as job $array, merging as job $merge"
