"""The prompt lab without its widgets: experiments, suites, comparisons, replays.

`plan` says what a grid is and makes its requests; `lab` runs one through the worker; `inputs` reads
CSV and JSON Lines; `expectations` and `suite` judge replies; `votes`, `word_diff` and `json_schema`
compare and check them; `tables` writes them out; `replay` makes an answer again from its record.
"""
