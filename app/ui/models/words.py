"""How the page says sizes, fits and times."""

from __future__ import annotations

import time

from PySide6.QtCore import QCoreApplication

from app.models.rows import FitRow, TransferRow
from app.sizes import as_size, as_time

ROLES = {"fits": "small", "tight": "warning", "too big": "error"}


def _tr(text: str) -> str:
    return QCoreApplication.translate("Models", text)


def say_fit(fit: FitRow | None) -> tuple[str, str]:
    """A verdict in a word, and the role of its label."""
    if fit is None:
        return "", "small"
    words = {"fits": _tr("Fits"), "tight": _tr("Tight"), "too big": _tr("Too big")}
    return words.get(fit.verdict, ""), ROLES.get(fit.verdict, "small")


def say_place(place: str) -> str:
    """Where a model was found."""
    names = {"hub": _tr("hub cache"), "lmstudio": _tr("LM Studio"), "starter": _tr("starter")}
    return names.get(place, "")


def say_used(used_at: float) -> str:
    """When a model was last used."""
    if not used_at:
        return _tr("not used yet")
    days = int((time.time() - used_at) // 86_400)
    if days <= 0:
        return _tr("used today")
    return _tr("used yesterday") if days == 1 else _tr("used {n} days ago").format(n=days)


def say_transfer(row: TransferRow) -> str:
    """How far a model on its way is."""
    done = _tr("{done} of {total}").format(
        done=as_size(row.done_bytes), total=as_size(row.total_bytes)
    )
    match row.doing:
        case "queued":
            return _tr("Waits for its turn")
        case "asking":
            return _tr("Asking the hub for the list of files")
        case "paused":
            return _tr("Paused at {done}").format(done=done) if row.done_bytes else _tr("Paused")
        case "checking":
            return _tr("Checking what came")
        case "waiting" | "failed":
            return row.note
        case _:
            pass
    parts = [done]
    if row.speed:
        parts.append(_tr("{size} a second").format(size=as_size(round(row.speed))))
    if row.seconds_left is not None:
        parts.append(_tr("{time} left").format(time=as_time(row.seconds_left)))
    return " · ".join(parts)
