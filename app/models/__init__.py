"""Finding, fetching, checking and removing models. One file here goes out: `downloads`."""
