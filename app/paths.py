"""Where things live on this machine; `CABOCHON_HOME` moves all of them below one folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import platformdirs

NAME = "Cabochon"


@dataclass(frozen=True, slots=True)
class Paths:
    """The folders of the app, made when they are first asked for by `make`.

    Attributes:
        data: What the user would miss: conversations, settings, models.
        cache: What can be made again: converted weights, snapshots.
        logs: Counts and times, never text.
    """

    data: Path
    cache: Path
    logs: Path

    @property
    def database(self) -> Path:
        """The one SQLite file."""
        return self.data / "cabochon.sqlite3"

    @property
    def settings(self) -> Path:
        """The settings file."""
        return self.data / "settings.json"

    @property
    def models(self) -> Path:
        """Where downloaded models are put."""
        return self.data / "models"

    @property
    def log(self) -> Path:
        """The newest log file."""
        return self.logs / "cabochon.log"

    def make(self) -> Paths:
        """Make the folders, readable by their owner alone, and return self."""
        for folder in (self.data, self.cache, self.logs):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return self


def find_paths(environ: Mapping[str, str]) -> Paths:
    """Find the app's folders from the environment; nothing is made yet."""
    home = environ.get("CABOCHON_HOME", "")
    if home:
        top = Path(home).expanduser().absolute()
        return Paths(top / "data", top / "cache", top / "logs")
    dirs = platformdirs.PlatformDirs(NAME, appauthor=False)
    return Paths(Path(dirs.user_data_dir), Path(dirs.user_cache_dir), Path(dirs.user_log_dir))
