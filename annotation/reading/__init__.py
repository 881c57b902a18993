"""The article beside the form: a wiki's page arranged for reading, and made safe."""
