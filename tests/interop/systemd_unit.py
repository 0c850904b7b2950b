"""systemd with the unit of `deploy`: it accepts the unit, and counts how much of the machine the hub could reach."""

import re
import shutil
import subprocess

from hub import binary
from outcome import Skipped, expect
from public_site import KIT, fill_in
from scene import Scene

PEER = "systemd"
SPEAKS = "units"
# Of 10. Sockets and the network, which a hub needs, are most of it.
MAX_EXPOSURE = 1.5
MAX_EXPOSURE_WITH_PROGRAMS = 3.0


def check(scene: Scene) -> list[str]:
    program = shutil.which("systemd-analyze")
    if not program:
        raise Skipped("systemd-analyze is missing; install systemd")
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout.split()[1]
    unit = scene.folder / "plexus.service"
    unit.write_text(fill_in("plexus.service", {"/usr/local/bin/plexus": str(binary())}))
    verified = subprocess.run([program, "verify", "--man=no", unit], capture_output=True, text=True)
    expect(verified.returncode == 0 and not verified.stderr.strip(), f"verify: {verified.stderr}")
    alone = exposure(program, scene, unit.read_text())
    relaxed = exposure(program, scene, unit.read_text() + (KIT / "programs.conf").read_text())
    expect(alone <= MAX_EXPOSURE, f"the exposure is {alone}")
    expect(relaxed <= MAX_EXPOSURE_WITH_PROGRAMS, f"the exposure with programs.conf is {relaxed}")
    return [f"systemd {version}: accepts the unit; exposure {alone} of 10, with programs.conf {relaxed}"]


def exposure(program: str, scene: Scene, unit: str) -> float:
    """A drop-in repeats sections of a unit, so both are one file here."""
    file = scene.folder / "whole.service"
    file.write_text(unit)
    command = [program, "security", "--offline=yes", "--no-pager", file]
    said = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", said.stdout)
    expect(found, f"security: {said.stderr}")
    return float(found.group(1))
