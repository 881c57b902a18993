"""Texts with full stops that end no sentence, each with its sentences: for all that asks where sentences end."""

CASES = [
    ("William H. Graye Jr. built it. It fell.", ["William H. Graye Jr. built it.", "It fell."]),
    (
        "The bridge of St. Velm by Franklin D. Roosevelt opened.",
        ["The bridge of St. Velm by Franklin D. Roosevelt opened."],
    ),
    ("Dr. Graye met Mr. Velm. They left.", ["Dr. Graye met Mr. Velm.", "They left."]),
    ("J. R. Graye built it! Prof. Velm did not.", ["J. R. Graye built it!", "Prof. Velm did not."]),
    ("It cost 3.5 million. He died.", ["It cost 3.5 million.", "He died."]),
    ("It opened in 1903. 300 people came.", ["It opened in 1903.", "300 people came."]),
    ("Vol. II tells it. So does ed. 3.", ["Vol. II tells it.", "So does ed. 3."]),
    ("It is approx. 12 m high. It stands.", ["It is approx. 12 m high.", "It stands."]),
]
