"""What every check is given: a folder of its own, and the programs that run inside peers."""

from dataclasses import dataclass
from pathlib import Path


@dataclass
class Scene:
    folder: Path
    programs: Path = Path(__file__).parent / "programs"
