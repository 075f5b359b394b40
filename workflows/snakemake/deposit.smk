# Deposits particles into a volume in parts, on one machine or a cluster. See docs/SNAKEMAKE.md.
#
#   snakemake --snakefile workflows/snakemake/deposit.smk --profile workflows/snakemake/profiles/local \
#     --config input=sim.00100 output=density.stria parts=8 how="--size 512 --box=-0.5,-0.5,-0.5,1,1,1"

from glob import glob

STRIA = config.get("stria", "stria")
OUTPUT = config["output"]
# How particles are spread: the size, the box, the kernel. All parts must use the same.
HOW = config["how"]
# The final volume: the quantity, the scale and the type.
VALUES = config.get("values", "")
OPTIONS = config.get("options", "")
FOLDER = f"{OUTPUT}.parts"
# Several files, each of which is a part; empty if one input is divided into parts.
FILES = sorted(glob(config["inputs"])) if "inputs" in config else []
if "inputs" in config and not FILES:
    raise ValueError(f"no files match inputs={config['inputs']}")
PARTS = len(FILES) if FILES else int(config["parts"])


def number_of(wildcards):
    return int(wildcards.number)


rule all:
    input:
        OUTPUT,


rule deposit:
    input:
        lambda wildcards: FILES[number_of(wildcards) - 1] if FILES else config["input"],
    output:
        temp(FOLDER + "/part-{number}.stria"),
    wildcard_constraints:
        number=r"\d+",
    params:
        part=lambda wildcards: "--sums" if FILES else f"--part {wildcards.number}/{PARTS}",
        # As parameters, because a part that was made by others must be made again.
        how=HOW,
        options=OPTIONS,
    threads: int(config.get("threads", 1))
    retries: 2
    shell:
        "{STRIA} deposit {input:q} {params.part} {params.how} --threads {threads} --quiet {params.options} -o {output:q}"


rule merge:
    input:
        expand(FOLDER + "/part-{number}.stria", number=range(1, PARTS + 1)),
    output:
        temp(OUTPUT + ".sums.stria"),
    params:
        folder=FOLDER,
    retries: 2
    shell:
        # Not the folder: whatever else it holds would be added, even the parts of an earlier run.
        "{STRIA} merge {params.folder:q}/part-{{1..{PARTS}}}.stria --by sum {OPTIONS} -o {output:q}"


rule finish:
    input:
        OUTPUT + ".sums.stria",
    output:
        OUTPUT,
    retries: 2
    shell:
        "{STRIA} deposit {input:q} {VALUES} --quiet {OPTIONS} -o {output:q}"
