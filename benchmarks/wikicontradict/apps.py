from django.apps import AppConfig


class WikicontradictConfig(AppConfig):
    name = "benchmarks.wikicontradict"
    label = "wikicontradict"

    def ready(self) -> None:
        """Register with the apps below everything that this benchmark offers."""
        from annotation.kinds import registry
        from annotation.releases.files import formats
        from judging.protocol import tasks
        from review.site import entries as sites

        from . import files
        from .reports import entries as reports
        from .tasks import PASSAGES

        registry.register(files.WIKICONTRADICT)
        formats.register_on_use(files.WIKICONTRADICT.code, files.own_formats)
        tasks.register(PASSAGES)
        reports.register_reports()
        sites.register(files.WIKICONTRADICT.code, presentation)


def presentation():
    from .site import PRESENTATION

    return PRESENTATION
