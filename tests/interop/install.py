"""Environments of peers under .cache/interop, each made once. What cannot be made is skipped, and says why."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from outcome import Skipped

ROOT = Path(__file__).parents[2]
PEERS = ROOT / ".cache/interop"
LONGEST_INSTALL = 1800.0


def python_packages(
    name: str, versions: str, packages: list[str], *, from_source: tuple[str, ...] = (), without: tuple[str, ...] = ()
) -> Path:
    """The interpreter of an environment that holds these packages, of one of these versions of Python.

    Only packages named in `from_source` are built here; all others come as they were built by others. With `without`, the
    first package gets all that it asks for but these: such as need gigabytes, and are loaded only when they are used.
    """
    folder = PEERS / name
    python = folder / "bin/python"
    recipe = "\n".join([versions, *packages, *(f"without {one}" for one in without)])
    if made_from(folder) == recipe:
        return python
    interpreter = interpreter_of(versions)
    print(f"{name}: installing {packages[0]} into .cache/interop/{name}, once", flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    run([interpreter, "-m", "venv", folder])
    built = [f"--no-binary={package}" for package in from_source]
    install = [folder / "bin/pip", "install", "--quiet", "--only-binary", ":all:", *built]
    if without:
        run([*install, "--no-deps", packages[0]], tries=2)
        packages = [*packages[1:], *asked_for(python, packages[0], without)]
    run([*install, *packages], tries=2)
    remember(folder, recipe)
    return python


def asked_for(python: Path, package: str, without: tuple[str, ...]) -> list[str]:
    """What an installed package says it needs, without its extras and without these."""
    asks = f"import importlib.metadata as m; print('\\n'.join(m.requires('{package.partition('==')[0]}')))"
    lines = subprocess.run([python, "-c", asks], capture_output=True, text=True, check=True).stdout.splitlines()
    needed = [line for line in lines if "extra ==" not in line]
    return [line for line in needed if re.match(r"[\w.-]+", line).group() not in without]


def npm_packages(name: str, *packages: str, node: Path | None = None) -> Path:
    """The folder `node_modules` with these packages, installed by the Node in the folder `node` or else the machine's."""
    folder = PEERS / name
    recipe = " ".join(packages)
    if made_from(folder) != recipe:
        npm = shutil.which("npm")
        if not npm:
            raise Skipped("npm is missing")
        print(f"{name}: installing {recipe} into .cache/interop/{name}, once", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        # Without its own package.json, npm would install into the project's folder.
        (folder / "package.json").write_text('{"private": true}')
        path = f"{node}:{os.environ['PATH']}" if node else os.environ["PATH"]
        line = [npm, "install", "--no-audit", "--no-fund", "--loglevel=error", *packages]
        run(line, cwd=folder, tries=2, env={**os.environ, "PATH": path})
        remember(folder, recipe)
    return folder / "node_modules"


def debian_program(name: str, package: str, path: str) -> Path:
    """A program of the machine, or else out of a package of Debian, which is unpacked and not installed."""
    if own := shutil.which(name):
        return Path(own)
    folder = PEERS / name
    if made_from(folder) != package:
        if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
            raise Skipped(f"{name} is missing; install it")
        print(f"{name}: unpacking the package {package} into .cache/interop/{name}, once", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        run(["apt-get", "download", "--quiet", package], cwd=folder, tries=2)
        archive = next(folder.glob("*.deb"))
        run(["dpkg-deb", "--extract", archive, folder])
        archive.unlink()
        remember(folder, package)
    return folder / path


def interpreter_of(versions: str) -> str:
    """An interpreter of one of these versions, the first the best: on the path, or one of pyenv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in versions.split():
        own = sorted(pyenv.glob(f"{version}.*/bin/python{version}"), reverse=True)
        for candidate in [shutil.which("python3"), shutil.which(f"python{version}"), *own]:
            if candidate and is_version(candidate, version):
                return str(candidate)
    raise Skipped(f"Python {versions.replace(' ', ' or ')} is missing")


def is_version(candidate: str | Path, version: str) -> bool:
    asks = f"import sys, venv, ensurepip; sys.exit('%d.%d' % sys.version_info[:2] != '{version}')"
    return subprocess.run([candidate, "-c", asks], capture_output=True).returncode == 0


def run(command: list, cwd: Path | None = None, tries: int = 1, env: dict | None = None) -> None:
    for left in reversed(range(tries)):
        done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=LONGEST_INSTALL)
        if done.returncode == 0:
            return
        if left:
            print(f"  failed once, trying again: {' '.join(map(str, command[:3]))} …", flush=True)
    last = "\n".join(done.stderr.strip().splitlines()[-5:])
    raise Skipped(f"it could not be installed: {last}")


def made_from(folder: Path) -> str | None:
    stamp = folder / "made-from"
    return stamp.read_text() if stamp.exists() else None


def remember(folder: Path, recipe: str) -> None:
    """Written last, so a folder that was not finished is made again."""
    (folder / "made-from").write_text(recipe)
