"""The start of a round: which responses are judged, by whom and in what order."""
