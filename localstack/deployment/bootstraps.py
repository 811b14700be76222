"""The functions' programs: built here or by others, and looked at before anybody gets them."""

import json
import re
import subprocess

from sam import ROOT
from trouble import Trouble

# `e_machine` of an ELF header, as Lambda names it (https://refspecs.linuxfoundation.org/elf/gabi4+/ch4.eheader.html).
MACHINES = {62: "x86_64", 183: "arm64"}
# The C library of provided.al2023: a program that was linked with a newer one does not start there
# (https://docs.aws.amazon.com/linux/al2023/ug/compare-with-al2.html#glibc-gcc-and-binutils).
GLIBC = (2, 34)
ELSEWHERE = "build with `cargo lambda build --release` (https://www.cargo-lambda.info), which links for provided.al2023, and pass --built target/lambda"


def names(template):
    """`{path of the code: name of the binary}` of the template's functions."""
    functions = [r for r in template["Resources"].values() if r["Type"] == "AWS::Serverless::Function"]
    return {f["Properties"]["CodeUri"]: f["Metadata"]["BuildProperties"]["Binary"] for f in functions}


def build(binaries, profile):
    """Builds the functions' packages, and none else: a workspace build would put what is local only into them. `{name: path}`."""
    command = ["cargo", "build", "--locked", "--profile", profile]
    for name in binaries:
        command += ["--package", f"fn-{name}"]
    try:
        metadata = subprocess.run(["cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"], cwd=ROOT, check=True, capture_output=True).stdout
        subprocess.run(command, cwd=ROOT, check=True)
    except FileNotFoundError:
        raise Trouble("there is no cargo; install the Rust toolchain (https://rustup.rs), or pass --built with a directory of NAME/bootstrap") from None
    except subprocess.CalledProcessError:
        raise Trouble("cargo could not build the functions; look at the lines above") from None
    return {name: f"{json.loads(metadata)['target_directory']}/{profile}/{name}" for name in binaries}


def built(binaries, directory):
    """What `cargo lambda build` has left: `NAME/bootstrap`. `{name: path}`."""
    found = {name: directory / name / "bootstrap" for name in binaries}
    for name, path in found.items():
        if not path.is_file():
            raise Trouble(f"there is no {path}; {ELSEWHERE}")
    return found


def architecture(programs, on_this_machine):
    """That of the programs, `{name: bytes}`, which must be one. Those that do not run on this machine must run on provided.al2023."""
    found = set()
    for name, program in programs.items():
        machine = MACHINES.get(int.from_bytes(program[18:20], "little")) if program[:4] == b"\x7fELF" else None
        if machine is None:
            raise Trouble(f"the program {name} is not one of Linux on x86_64 or arm64; {ELSEWHERE}")
        needed = max((tuple(int(part) for part in version.split(b".")) for version in re.findall(rb"GLIBC_(2\.\d+)", program)), default=GLIBC)
        if needed > GLIBC and not on_this_machine:
            raise Trouble(f"the program {name} needs glibc {needed[0]}.{needed[1]}, and provided.al2023 has {GLIBC[0]}.{GLIBC[1]}; {ELSEWHERE}")
        found.add(machine)
    if len(found) != 1:
        raise Trouble(f"the programs are of several architectures: {', '.join(sorted(found))}; build them all for one")
    return found.pop()
