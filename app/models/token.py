"""The hub's access token: in the system's keychain, or for this run only; in no file and no log."""

from __future__ import annotations

import logging

import keyring
from keyring.errors import KeyringError, NoKeyringError, PasswordDeleteError

SERVICE = "Cabochon"
ACCOUNT = "huggingface.co"
_log = logging.getLogger(__name__)


class TokenKeeper:
    """Keeps one token. Asked when a request needs it, never before."""

    def __init__(self) -> None:
        self._for_this_run = ""

    def read(self) -> str:
        """Give the token, empty if there is none."""
        if self._for_this_run:
            return self._for_this_run
        try:
            return keyring.get_password(SERVICE, ACCOUNT) or ""
        except KeyringError as error:
            _log.info("The keychain cannot be read: %s", type(error).__name__)
            return ""

    def keep(self, token: str) -> bool:
        """Keep a token.

        Returns:
            Whether the keychain has it; otherwise it is kept until the program ends.
        """
        token = token.strip()
        try:
            keyring.set_password(SERVICE, ACCOUNT, token)
        except (KeyringError, NoKeyringError) as error:
            _log.info("The keychain takes no token: %s", type(error).__name__)
        self._for_this_run = token
        try:
            return keyring.get_password(SERVICE, ACCOUNT) == token
        except KeyringError:
            return False

    def forget(self) -> None:
        """Forget the token everywhere."""
        self._for_this_run = ""
        try:
            keyring.delete_password(SERVICE, ACCOUNT)
        except (PasswordDeleteError, KeyringError) as error:
            _log.info("The keychain had no token to forget: %s", type(error).__name__)
