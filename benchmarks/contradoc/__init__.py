"""ContraDoc: documents that contradict themselves."""
