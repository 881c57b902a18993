"""Tables as editors write them: with magic words for pipes, and with markup that is never closed.

`{A}` and `{B}` stand for a tag each. What MediaWiki makes of them is compared in `test_tables_mediawiki`.
"""

TAGS = {"{A}": "{{Inconsistent|date=May 2023}}", "{B}": "{{Inconsistent|date=June 2024}}"}

# Wikitext -> the cells of each tag's row.
ROWS: dict[str, list[list[str]]] = {
    # --- Marks by magic word and by template
    "{|\n| a {{!}}{{!}} b {A}\n|-\n{{!}} c |{{!}} d {{!}}| e {B}\n|}": [["a", "b"], ["c", "d", "e"]],
    "{|\n| a {{!!}} b {A}\n{{!-}}\n{{!}} c {{!!}} d {B}\n|}": [["a", "b"], ["c", "d"]],
    "{{{!}} class=x\n{{!}}+ Caption\n{{!}}-\n{{!}} a {A}\n{{!}}{{!}} b\n{{!}}- style=x\n{{!}} c {B}\n{{!}}}": [
        ["a", "b"],
        ["c"],
    ],
    "{{(!}} class=x\n{{!+}} Caption\n{{!-}}\n{{!}} a {A}\n{{!)}}\n{|\n| b {B}\n|}": [["a"], ["b"]],
    "Text\n: {{(!}}\n{{!}} a {A} {{!!}} b\n {{!)}}\n{{{!}}\n| c {B}\n|}": [["a", "b"], ["c"]],
    "{|\n! a {{!}}{{!}} b !! c {A}\n! style=x {{!}} d\n|-\n| e !! f {B}\n|}": [["a", "b", "c", "d"], ["e !! f"]],
    "{|\n| style=x {{!}} a | b {A}\n| colspan{{=}}1 | c {{!!}} title{{=}}x {{!}} d {B}\n|}": [
        ["a | b", "c", "d"],
        ["a | b", "c", "d"],
    ],
    "{|\n| {{!}} a {A}\n|-\n| {{ ! }} b {B}\n|}": [["a"], ["b"]],
    "{|\n|<!-- x -->- y\n| a {A} |<!-- x -->| b\n|-<!-- x -->\n| c {B}\n|}": [["a", "b"], ["c"]],
    "{|\n| [[Alder{{!}}a]] {A} || [[Birch{{!}}b]] || c\n|-\n| d {B}\n|}": [["a", "b", "c"], ["d"]],
    "{|\n| [[Alder{{!}}a]] | b {A}\n|-\n| [[Alder|a{{!!}}b]] || c {B}\n|}": [["a | b"], ["a", "b", "c"]],
    # --- Tables in tables
    "{|\n| a\n{{(!}}\n{{!}} b {A} {{!!}} c\n{{!)}}\n| d\n|-\n| e {B}\n|}": [["b", "c"], ["e"]],
    "{|\n| a {{(!}}\n{{!}} b {A} {{!!}} c\n{{!)}}\n| d\n|-\n| e {B}\n|}": [["b", "c"], ["e"]],
    # --- Never closed
    "{|\n| a || [[Alder {A}\n|-\n| b || c {B}\n|}": [["a", "[[Alder"], ["b", "c"]],
    "{|\n| a || [[Alder|b {A}\n|-\n| c || d {B}\n|}": [["a", "[[Alder|b"], ["c", "d"]],
    "{|\n| a {A} || [[Alder|b\n|-\n| c || d ]] {B}\n|}": [["a", "b"], ["c", "d"]],
    "{|\n| a || [[Alder {A}\n|-\n| c || d ]] {B}\n|}": [["a", "[[Alder"], ["c", "d ]]"]],
    "{|\n| [[Alder|a [[Birch]] {A}\n|-\n| [[Cedar]] ]] {B}\n|}": [["[[Alder|a Birch"], ["Cedar ]]"]],
    "{|\n| [[Alder|a || b]] || c {A}\n|-\n! [[Alder|a !! b]] || c {B}\n|}": [["a", "b", "c"], ["a", "b", "c"]],
    "{|\n| a [[File:No such.jpg|b {A}\n|-\n| c {B}\n|}": [["a [[File:No such.jpg|b"], ["c"]],
    "{|\n| a {{Convert|5 {A}\n|-\n| b {B}\n|}": [["5"], ["b"]],
    "{|\n| a {{Convert {A}\n|-\n| b {B}\n|}": [["a {{Convert"], ["b"]],
    "{|\n| ''a {A}\n|-\n| '''b || ''c {B}\n|}": [["a"], ["b", "c"]],
    "{|\n| a<span>b {A}\n|-\n| c</span> {B}\n|}": [["ab"], ["c"]],
    "{|\n| a [http://x.example b {A}\n|-\n| c] {B}\n|}": [["a [http://x.example b"], ["c]"]],
    "{|\n| a {A}\n|-\n| b {B} || c\n": [["a"], ["b", "c"]],
    "{|\n| a\n{|\n| b {A} || c\n|-\n| d {B}": [["b", "c"], ["d"]],
}


def tagged(wikitext: str) -> str:
    for letter, tag in TAGS.items():
        wikitext = wikitext.replace(letter, tag)
    return wikitext
