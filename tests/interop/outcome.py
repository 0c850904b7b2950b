"""What can come of asking a peer."""


class Skipped(Exception):
    """It cannot be had on this machine."""


class Failed(Exception):
    """It is there, and it did not work with the hub."""


def expect(holds: object, words: str) -> None:
    if not holds:
        raise Failed(words)
