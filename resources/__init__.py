"""Icons, style sheets, catalogue and licences that ship with the app."""
