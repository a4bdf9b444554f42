"""What can go wrong with a model's files, each with one plain sentence for the user.

ModelError
├── OfflineError          the switch that blocks every connection is on
├── LicenceNeededError    the hub wants an accepted licence and a token
├── NotFoundError         there is no such repository, revision or file
├── NotEnoughSpaceError   the volume is too full; nothing was fetched
├── DamagedError          what came is not what the hub says it should be
└── ConnectionFailedError no answer in time, or one that makes no sense; what was fetched is kept
"""

from __future__ import annotations


class ModelError(Exception):
    """Something is wrong with a model; the message is one sentence for the user."""


class OfflineError(ModelError):
    """Every connection is blocked by the user's own switch."""


class LicenceNeededError(ModelError):
    """The hub wants an accepted licence and a token.

    Attributes:
        licence_url: The page on which the licence is accepted.
    """

    def __init__(self, repository: str, licence_url: str) -> None:
        super().__init__(
            f"{repository} asks for a licence: accept it on {licence_url}, then paste an access "
            "token. What was fetched is kept."
        )
        self.licence_url = licence_url


class NotFoundError(ModelError):
    """There is no such thing on the hub."""


class NotEnoughSpaceError(ModelError):
    """The volume is too full."""


class DamagedError(ModelError):
    """Files differ from what they should be."""


class ConnectionFailedError(ModelError):
    """The hub did not answer, or not with sense; fetching may be tried again.

    Attributes:
        retry_after_seconds: How long the hub asks to be left alone.
        may_retry: Whether trying again can help.
    """

    def __init__(
        self, sentence: str, *, retry_after_seconds: float = 0.0, may_retry: bool = True
    ) -> None:
        super().__init__(sentence)
        self.retry_after_seconds = retry_after_seconds
        self.may_retry = may_retry
