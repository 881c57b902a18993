"""Tables 2 and 3 of the paper: final verdicts by model, prompt template, and kind of conflict.

The way from a scope to a table: `query` asks the database, `numbers` counts and computes, `layout` makes cells,
headings, sentences and files, `plot` draws. `tables` calls each once, in this order.

The paper's rules: templates with one passage (2 and 3) are reported over instances whose two passages differ; an
instance whose reasoning type is not known counts in "all" only; percentages are of the responses with a final
verdict, half up to one decimal. A response without one is counted beside them and is never "incorrect".
"""
