"""The guideline beside the six steps: its versions, which never change, and who has read which."""
