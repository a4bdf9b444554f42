"""One rotating log file with counts and times: no message text, token ids or titles, ever."""

from __future__ import annotations

import logging
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path

MAX_BYTES = 1_000_000
N_OLD_FILES = 3


def start_logging(path: Path, level: int = logging.INFO) -> logging.Handler:
    """Send the app's own log to a file; libraries are heard from warnings up.

    Returns:
        The handler, to be given to `stop_logging`.
    """
    handler = RotatingFileHandler(
        path, maxBytes=MAX_BYTES, backupCount=N_OLD_FILES, encoding="utf-8", delay=True
    )
    form = "%(asctime)s %(levelname)s %(threadName)s %(name)s: %(message)s"
    handler.setFormatter(logging.Formatter(form))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    for name in ("app", "inference"):
        logging.getLogger(name).setLevel(level)
    return handler


def stop_logging(handler: logging.Handler) -> None:
    """Close the log file."""
    logging.getLogger().removeHandler(handler)
    handler.close()


def log_failure(log: logging.Logger, what: str, error: BaseException) -> None:
    """Log where something failed and the kind of error; its message may quote a user's text."""
    places = "".join(traceback.format_tb(error.__traceback__))
    log.error("%s: %s\n%s", what, type(error).__name__, places)
