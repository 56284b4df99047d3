"""The version of the distribution that the packages belong to."""

from importlib.metadata import PackageNotFoundError, version


def installed_version() -> str:
    """What pip says, or "0+unknown" for packages that are imported from a folder."""
    try:
        return version("staticgrad")
    except PackageNotFoundError:
        return "0+unknown"
