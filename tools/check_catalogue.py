"""Compares the catalogue with the hub, on a machine that may reach it: `make catalogue`.

Tells each model that is gone, asks for a licence, or has another size than the list says.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from app.models.catalogue import read_catalogue
from app.models.downloads import Hub
from app.models.errors import ConnectionFailedError, ModelError, OfflineError
from app.models.fetch import choose_files
from app.models.request_log import RequestLog
from app.sizes import as_size

TOLERANCE = 0.05  # of the size; the list rounds


def main() -> int:
    """Check every entry.

    Returns:
        0 when all agree, 1 when some do not, 2 when the hub cannot be reached.
    """
    with tempfile.TemporaryDirectory() as folder:
        hub = Hub(RequestLog(Path(folder) / "log"), is_offline=lambda: False)
        wrong = 0
        for offer in read_catalogue():
            try:
                model = choose_files(hub.look_up(offer.repository))
            except (ConnectionFailedError, OfflineError) as error:
                print(f"The hub cannot be reached: {error}")
                return 2
            except ModelError as error:
                found = str(error)
            else:
                agrees = abs(model.size - offer.size_bytes) <= TOLERANCE * model.size
                found = "agrees" if agrees else f"is {as_size(model.size)}"
            wrong += found != "agrees"
            print(f"{offer.repository}\t{as_size(offer.size_bytes)}\t{found}")
        hub.close()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
