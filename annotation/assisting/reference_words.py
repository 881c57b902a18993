"""The word lists that `references` and `rows` use."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# End a noun phrase: what follows is a verb, a preposition, a conjunction or another determiner.
STOP = _words(
    """
    a about above after against all along also although among an and are as at be became because become been
    before began being below beside between both but by came can could did do does down during each ended every
    for from gave goes got had has have he her his in include includes into is it its just led lies made may might
    must near never no not now off often on only or out over ran rose runs said she should since so some still
    stood such than that the their then they this through thus to took towards under until up upon was went were
    when where which while who whom whose will with within without won would
    """
)

# Definite without having been mentioned before: there is only one, or it is meant in general.
UNIQUE = _words(
    """
    age beginning bottom center centre country day earth east edge end environment evening fact first front future
    internet last left majority middle moon morning most name night north number only other past present public
    rest right sea sky south sun term time title top universe use way west word world year
    """
)

# Nouns by which an article refers to its subject.
HEADS = _words(
    """
    actor actress administration aircraft airline airport album archipelago area army article artist association
    author band bank base battle bay bill bishop boat book borough brand bridge brigade building campaign canal
    capital car case castle cathedral cemetery championship channel character church city club coin collection
    college colony commission committee community company competition compound conference constituency council
    county couple court crew currency dam department disease district division drug duo dynasty election empire
    engine episode event expedition factory family festival film firm fleet foundation franchise game garrison
    gene genus government group hall harbor harbour highway hospital hotel house hurricane incident institute
    institution island islands journal king kingdom lake language law league library lighthouse line magazine man
    manuscript massacre match metro mission model monastery monument mosque mountain movement movie museum
    musician network newspaper novel observatory office operation orchestra order organisation organization
    painting palace parish park parliament party peninsula plan plane planet plant poem poet politician port
    president prison product program programme project province queen race railroad railway record regiment region
    reign republic river road route school season series service settlement ship show siege singer single site
    society software song species squadron stadium stamp state station statue store storm strait street studio
    suburb system team temple theater theatre torpedo tournament tower town track train treaty tree tribe tunnel
    unit university valley vessel viaduct video village virus volcano war watch wing woman work writer zoo
    """
)

# Roles of persons among them.
PERSONS = _words(
    "actor actress artist author bishop king man musician poet politician president queen singer woman writer"
)

# Labels of rows with a date: "Died: 1901" is "He died in 1901", "Founded: 1721" is "It was founded in 1721".
OCCURRED = _words("began closed died ended opened retired started")
DONE = _words(
    """
    abolished adopted born built buried commissioned completed consecrated constructed created decommissioned
    demolished destroyed disbanded discontinued discovered disestablished dissolved established formed founded
    inaugurated incorporated introduced invented launched merged published raised rebuilt released renamed restored
    signed
    """
)

# Labels, or their first or last word, of rows with a value: "The length of Harbour Bridge is 300 m."
MEASURES = _words(
    """
    altitude architect area attendance author budget builder capacity capital circulation cost country course crew
    currency denomination depth designer diameter director elevation engineer genre headquarters height industry
    language length location manager manufacturer material mayor motto nationality number occupation operator owner
    population predecessor president publisher religion runtime size speed status style successor total voltage volume
    weight width
    """
)
