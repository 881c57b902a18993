"""Facts from files: read, stored, and judged fit for claims or not."""
