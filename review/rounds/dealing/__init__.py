"""The start of a round: the responses to be judged, by whom and in what order."""
