"""Names of templates used within sentences of the English Wikipedia, in groups that are rendered alike.

A name is written as `inline_templates` looks it up: case-folded, blanks for underscores, aliases beside it.
"""


def _names(text: str) -> frozenset[str]:
    return frozenset(" ".join(name.split()) for name in text.split(",") if name.strip())


# The text is the first argument: what is set, linked, marked or quoted.
FIRST = _names("""
    nowrap, nobr, nobreak, no wrap, small, smaller, larger, large, big, huge, center, centre, left, right,
    align, em, strong, strikethrough, strike, s, mono, code, tt, var, mvar, math, smallcaps,
    smallcaps all, small caps, sc, sc2, aut, highlight, underline, u, overline, not a typo, not typo, typo,
    as written, proper name, text, plain text, wide, normal, noitalic, bold, italic, abbr, abbrv, tooltip,
    hover title, keypress, key, kbd, samp, char, unichar, format link, visible anchor, vanchor, script, hebrew,
    blockquote, quote, cquote, quotation, rquote, pull quote, tq, tqq, block indent, poem quote, poemquote,
    poem, clarify span, citation needed span, citation-needed span, cnspan, cn-span, hidden, flag, flagu,
    flagcountry, flag country, noflag, fb, fbw, nft, cr, ru, rl, mlb year, mlby, nfl year, nba year, goal,
    active, good, bad, format price, formatnum, nts, number table sorting, lc, uc, ucfirst, lcfirst
""")

# The first argument is a language, the second the text.
SECOND = _names("lang, langx, wikt-lang, wt, audio-ipa, hover")

# The last argument is the text, behind a language, a size, a colour or a key to sort by.
LAST = _names("""
    transl, transliteration, translit, resize, resized, font size, font, fsize, color, colour, fontcolor,
    font color, background color, bg, sort, legend inline, party name, ipa
""")

# The arguments are pieces of one word.
JOINED = _names("gaps, linktext, e-mail")

# The argument is a list, one item a line.
LINES = _names("plainlist, plain list, flatlist, flat list, div col, columns-list, unbulleted indent list")

# The arguments are the items of a list.
LISTED = _names("""
    hlist, ubl, ublist, unbulleted list, bulleted list, ordered list, cslist, comma separated entries,
    comma separated values, csv
""")

CONVERT = _names("convert, cvt, conv, convinfobox")
FRACTION = _names("frac, fraction, sfrac, fract, vulgar fraction")
DURATION = _names("duration")

DATE = _names("""
    birth date, birth date and age, bda, dob, death date, death date and age, dda, start date, end date,
    start date and age, end date and age, birth year and age, birth year, death year, death year and age,
    film date, launch date, date of birth, date of death, start date and years ago
""")
WRITTEN_DATE = _names("""
    dts, date, date table sorting, birth-date, birth-date and age, death-date, death-date and age, dmy, mdy
""")

SHIP_PREFIXES = (
    "ARA", "BAP", "BRP", "CSS", "FV", "GTS", "HDMS", "HMAS", "HMCS", "HMNZS", "HMS", "HMT", "HMY", "HNLMS",
    "HNoMS", "HSC", "HSwMS", "INS", "JDS", "JS", "KRI", "MF", "MS", "MT", "MV", "MY", "NMS", "NRP", "ORP",
    "PNS", "PS", "RMS", "RNLB", "ROKS", "RV", "SMS", "SS", "SY", "TCG", "TS", "TSS", "USAT", "USCGC", "USNS",
    "USRC", "USS",
)  # fmt: skip
SHIP_CLASS = _names("sclass, sclass2, sclass-, sclass2-, ship class")

FOREIGN_LINK = _names("""
    ill, illm, ill-wd, iw, interlanguage link, interlanguage link multi, link-interwiki, link interwiki
""")
CHINESE = _names("zh, korean, ko-hhrm, cjkv")
AUTHOR_YEAR = _names("harvtxt, harvnb, harvcoltxt, harvcolnb, citet")
WORK = _names("""
    citation, cite arxiv, cite av media, cite av media notes, cite book, cite conference, cite dictionary,
    cite encyclopaedia, cite encyclopedia, cite episode, cite interview, cite journal, cite magazine, cite map,
    cite news, cite patent, cite podcast, cite press release, cite report, cite sign, cite speech, cite thesis,
    cite video, cite web
""")

CURRENCIES = {
    "US$": "usd, us$, us dollar", "A$": "aud, a$", "C$": "cad, c$, can$", "NZ$": "nzd, nz$", "HK$": "hkd, hk$",
    "€": "eur, euro, €", "£": "gbp, pound sterling, £", "¥": "jpy, cny, yen, rmb, ¥",
    "₹": "inr, indian rupee, rupee, indian rupees, ₹", "₩": "krw", "₽": "rub", "₱": "php, philippine peso",
    "Rs. ": "pkr, rs", "₪": "ils, nis", "CHF ": "chf", "₺": "try",
}  # fmt: skip

# Templates without arguments that show a sign.
SIGNS = {
    " ": "thinsp, thin space, hair space, hairsp, space, spaces, pad, break, br, crlf, -, em space, en space",
    " – ": "snd, spnd, sndash, spaced ndash, spaced en dash, snds, spaced endash",
    " — ": "spaced mdash, spaced em dash, smd, spaced emdash",
    "–": "ndash, endash, en dash, nd, en-dash, –",
    "—": "mdash, emdash, em dash, md, em-dash, —",
    "-": "hyphen, nbhyph, nbhyphen",
    " · ": "·, dot, middot, interpunct, spaced dot",
    " • ": "•, bull, bullet",
    "'": "', apostrophe, `",
    "'s": "'s",
    '"': '", quot',
    "'\"": "'\", ' \"",
    "\"'": "\"', \" '",
    "|": "!, pipe",
    "||": "!!",
    "{|": "(!",
    "|}": "!)",
    "|-": "!-",
    "|+": "!+",
    "=": "=, equals",
    "{": "(",
    "}": ")",
    "*": "*, asterisk, star",
    "&": "&, amp",
    "@": "@, at",
    "×": "×, times",
    "−": "minus, minus sign",
    "÷": "divide",
    "°": "deg, degree, degrees, °",
    "π": "pi",
    "…": "ellipsis, ..., …",
    "†": "dagger, †",
    "‡": "double dagger, double-dagger, ‡",
    "♯": "sharp, music sharp",
    "♭": "flat, music flat",
    "№": "numero, №",
    "§": "section sign, §",
    "✓": "check mark, tick, ya, aye",
    "✗": "x mark, cross, na cross, nay",
    "N/A": "n/a, not applicable",
    "?": "dunno, ?",
    "TBA": "tba, tbd",
}

# Coloured cells, with their default text.
CELLS = {
    "yes": "Yes",
    "no": "No",
    "partial": "Partial",
    "won": "Won",
    "nom": "Nominated",
    "pending": "Pending",
    "na": "N/A",
}

# Banners that hold banners. They wrap a tag without being its paragraph.
WRAPPERS = _names(
    "multiple issues, multiple problems, article issues, issues, mi, multiple, many issues, section issues"
)

# Notes and references.
NOTES = _names("""
    sfn, sfnp, sfnm, sfnmp, sfnref, harv, harvp, harvs, harvid, efn, efn-ua, efn-la, efn-lr, efn-ur, efn-lg,
    efn-ug, refn, r, rp, ref, ref label, note, note label, notetag, notelist, cref, cref2, cnote, cnote2, fn,
    fnb, mn, mnb, reflist, refbegin, refend, ran, raf, isbn, issn, oclc, doi, pmid, pmc, arxiv, bibcode, jstor,
    webarchive, wayback, cite doi, dead link, link rot, subscription required, subscription,
    registration required, registration, closed access, open access, free access, in lang, lang icon,
    languageicon, pdf, pdf link, inflation, inflation-year, inflation/year, inflation/fn, source attribution
""")

# Editors' remarks, which readers see as small words in brackets. Names that end in "needed" or "inline" are
# recognised by that.
REMARKS = _names("""
    cn, fact, facts, citeneeded, clarify, clarifyme, dubious, disputed-inline, discuss, when, who, whom,
    by whom, by who, according to whom, which, where, why, how, how many, vague, verify, verify source, vs,
    failed verification, fv, not in source, bsn, psi, sps, self-published source, pn, page number, or, syn,
    weasel-inline, pov-statement, pov statement, lopsided, update after, needs update, outdated, nonspecific,
    specify, quantify, definition, example, examples, awkward, cite check, ambiguous, attribution, verification,
    cite quote, unreliable source, unreliable medical source, explain, opinion, circular reference,
    irrelevant citation, medrs, medcn, bcn, better source, request quotation, full, fcn, fix,
    not verified in body, nvib, inconsistent citations
""")

# Sounds, maps, pictures, flags and colours.
PICTURES = _names("""
    ipac-en, respell, pronunciation, pron-en, listen, coord, coords, coordinates, flagicon, flag icon, flagdeco,
    flagicon image, increase, decrease, steady, gain, loss, nochange, up, down, hs, hidden sort key, ntsh, dtsh,
    color box, colorbox, legend, party color, party stripe, party color cell, superimpose, location map,
    osm location map, routemap, annotated image, multiple image, css image crop, portal, portal bar,
    portal-inline, commons, commons category, commons category-inline, sister project links, wikisource,
    wikiquote, spoken wikipedia, gold1, silver2, bronze3
""")

# Layout, housekeeping, and banners that may stand on the same line as a tag.
HOUSEKEEPING = _names("""
    main, main article, see also, see, further, further information, about, for, for2, for multi, distinguish,
    redirect, redirect2, hatnote, other uses, other people, broader, more, details, anchor, anchors,
    short description, engvarb, italic title, displaytitle, defaultsort, clear, clear left, clear right, clr,
    toc, toc left, toc right, tocleft, tocright, toclimit, toc limit, stack begin, stack end, nowrap begin,
    nowrap end, zwj, zwnj, zwsp, wj, shy, wbr, lrm, rlm, void, sticky header, col-begin, col-end, col-break,
    col-2, div col end, hidden begin, hidden end, good article, featured article, pp, coi, npov, blp,
    authority control, unreferenced, unreferenced section, refimprove, more citations needed section,
    refimprove section, original research, pov, pov section, cleanup, cleanup section, disputed,
    disputed section, in use, under construction, update, globalize, orphan, notability, advert, no footnotes,
    more footnotes, one source, primary sources, blp sources, lead too short, lead too long, confusing,
    essay-like, copy edit, copyedit, overly detailed, too technical, technical, like resume, current,
    expand section
""")
