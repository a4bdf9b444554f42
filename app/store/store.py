"""The one SQLite file, room by room. One thread uses a store, from its opening to its closing."""

from __future__ import annotations

from pathlib import Path

from app.store.conversations import TRASH_DAYS, Conversations
from app.store.experiments import Experiments
from app.store.kept import Kept
from app.store.library import Library
from app.store.messages import Messages, prompt_messages
from app.store.opening import open_database
from app.store.rows import Node
from app.store.runs import Runs
from app.store.search import Search
from app.store.wiping import Wiping
from inference import Message

# Ids of temporary conversations and their messages begin here, so that they are told apart.
FIRST_TEMPORARY_ID = 1 << 30  # a Qt signal carries 31 bits


def is_temporary(an_id: int) -> bool:
    """Tell whether a conversation or message leaves no trace on disk."""
    return an_id > FIRST_TEMPORARY_ID


class Store:
    """Everything that is kept. What was committed survives the death of the process.

    Attributes:
        notice: One sentence when an unreadable file was set aside, else "".
    """

    def __init__(self, path: Path | None) -> None:
        """Open the file; `None` opens a store that lives in memory alone.

        Raises:
            StoreError: The file cannot be used and was left as it is.
        """
        self.db, self.notice = open_database(path)
        self.path = path
        self.messages = Messages(self.db)
        self.wiping = Wiping(self.db)
        self.conversations = Conversations(self.db, self.messages, self.wiping)
        self.runs = Runs(self.db)
        self.search = Search(self.db)
        self.library = Library(self.db)
        self.experiments = Experiments(self.db)
        self.kept = Kept(self.db)
        if path is None:
            for table in ("conversation", "message"):
                self.db.execute(
                    "INSERT INTO sqlite_sequence(name, seq) VALUES (?,?)",
                    (table, FIRST_TEMPORARY_ID),
                )

    def recover(self) -> tuple[int, ...]:
        """Put in order what the last run left; called once after opening.

        Interrupted replies keep their text, sends that waited go back into their chat's draft, and
        what lay in the trash for 30 days is gone.

        Returns:
            The conversations that are gone for good.
        """
        self.messages.recover()
        for i in self.conversations.with_waiting():
            opened = self.conversations.open(i)
            texts = [opened.draft, *(one.text for one in opened.waiting)]
            self.conversations.set_draft(i, "\n\n".join(text for text in texts if text))
            for one in opened.waiting:
                if not one.attachments:
                    self.conversations.remove_waiting(one.id)
        return self.conversations.empty_trash(TRASH_DAYS)

    def prompt(self, path: tuple[Node, ...], system: str) -> tuple[Message, ...]:
        """Make the prompt for a visible path, with the token ids that are known."""
        spoken = self.messages.spoken([node.id for node in path if node.role == "assistant"])
        return prompt_messages(path, system, spoken)

    def sizes(self) -> dict[str, int]:
        """Count what is kept, for the privacy page."""
        tables = ("conversation", "message", "run", "embedding", "attachment")
        return {
            table: int(self.db.execute(f"SELECT count(*) FROM {table}").fetchone()[0])
            for table in tables
        }

    def erase_everything(self) -> None:
        """Remove every conversation, record, prompt and experiment, and give the room back."""
        for table in (
            "conversation",
            "folder",
            "tag",
            "preset",
            "saved_prompt",
            "experiment",
            "run",
        ):
            self.db.execute(f"DELETE FROM {table}")
        self.wiping.want()
        self.wiping.finish()
        self.db.execute("VACUUM")
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close the file."""
        self.db.close()
