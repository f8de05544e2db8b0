"""The checksum of a bundle, as `svc release register` computes it: python3 -m release_governance.checksum BUNDLE..."""

from __future__ import annotations

import hashlib
import os
import re
import sys

TEXT = re.compile(r"[^/]\.(md|ya?ml|txt|json|csv|toml)\Z", re.IGNORECASE | re.ASCII)
LEFT_OUT = {".git", "__pycache__"}


def checksum(bundle: str) -> str:
    """64 lowercase hex characters."""
    digest = hashlib.sha256()
    for path, file in sorted(_files_of(bundle).items()):
        with open(file, "rb") as opened:
            digest.update(path.encode() + b"\0" + _canonical(path, opened.read()) + b"\0")
    return digest.hexdigest()


def _files_of(bundle: str) -> dict[str, str]:
    if os.path.isfile(bundle):
        return {os.path.basename(bundle): bundle}
    files = {}
    for folder, folders, names in os.walk(bundle):
        folders[:] = [name for name in folders if name not in LEFT_OUT]
        for name in names:
            file = os.path.join(folder, name)
            if name not in LEFT_OUT and os.path.isfile(file) and not os.path.islink(file):
                files[os.path.relpath(file, bundle).replace(os.sep, "/")] = file
    return files


def _canonical(path: str, data: bytes) -> bytes:
    if not TEXT.search(path):
        return data
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit("usage: python3 -m release_governance.checksum BUNDLE...")
    for bundle in sys.argv[1:]:
        print(checksum(bundle))
