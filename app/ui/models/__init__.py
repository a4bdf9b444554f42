"""The page of models: widgets that are told what is here and emit what a person did."""
