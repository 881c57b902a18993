from django.apps import AppConfig

from core.languages import say


class ReviewConfig(AppConfig):
    name = "review"

    def ready(self) -> None:
        from annotation.releases.datasheets import made_facts
        from annotation.releases.files import formats, tables
        from core.accounts import work
        from core.leaving import own_data, pseudonyms
        from core.models import events
        from core.navigation.downloads import as_format, register_downloads
        from core.webhooks import feed, outbox
        from judging.responses import listing
        from judging.runs import blinding

        from . import finders, first_page, nav_items
        from .models import Adjudication, Judgment, SetAside, TakenBack
        from .models.hooks import ROUND_FINISHED
        from .rounds import announcing
        from .rounds.comments import adjudicates, note_comments_read
        from .rounds.reviewers import accounts, handing_over
        from .rounds.reviewers.own_data import judgments_of
        from .rounds.rounds import held_back, hidden_events, hidden_from

        own_data.register("judgments", judgments_of)
        pseudonyms.register_fields(Judgment, "comment")
        pseudonyms.register_fields(Adjudication, "reason")
        pseudonyms.register_fields(SetAside, "reason")
        pseudonyms.register_fields(TakenBack, "comment", "reason")
        work.register_free(handing_over.free_open)
        accounts.register()
        nav_items.register_nav_items()
        outbox.register(ROUND_FINISHED)
        feed.register(announcing.newest)
        finders.register()
        first_page.register()
        register_downloads(
            report_download=lambda name, kind: f"{title_of_report(name)} {as_format(kind)}",
            report_picture=lambda name, number, kind: f"plot {number} of {title_of_report(name)} {as_format(kind)}",
            person_quality_download=lambda pk, kind: f"the quality of person {pk}'s work {as_format(kind)}",
            person_quality_picture=lambda pk, number, kind: (
                f"plot {number} of the quality of person {pk}'s work {as_format(kind)}"
            ),
            annotator_disagreements_download=lambda: "disagreements of annotators as CSV",
            judgment_export=lambda what, kind: f"{what.replace('-', ' ')} {as_format(kind)}",
            release_site=lambda number: f"the site of release {number}",
        )
        events.register_hidden(hidden_events)
        listing.register_act(listing.TickedAct(say("Begin a round"), "round_new"))
        blinding.register(hidden_from)
        blinding.register_adjudicating(adjudicates, note_comments_read)
        blinding.register_held_back(held_back)
        tables.register_tables(release_tables)
        made_facts.register_agreement(agreement_of_annotators)
        formats.register_for_all("site", formats.FolderFormat("static pages of it and its results", write_site))


def title_of_report(name: str) -> str:
    """The report's title; the name in its address if this version has no such report."""
    from .reports.registry import all_reports

    entry = all_reports().get(name)
    return entry.label if entry else name


def agreement_of_annotators(annotations):
    from .reports.people.released_agreement import released_agreement

    return released_agreement(annotations)


def release_tables():
    from .files.release_tables import TABLES

    return TABLES


def write_site(release, folder):
    from .site.pages import Site
    from .site.writing import fill

    fill(folder, Site(release))
