"""Ask three questions and write `.env`, which `docker compose` and the program read: `make env`.

An existing `.env` is kept. Keys and passwords are made here, and the file is closed to others.
"""

import os
import secrets
import sys
from pathlib import Path

from .addresses import is_host

PATH = Path(__file__).resolve().parents[2] / ".env"
QUESTIONS = (
    "Domain of the site, such as workbench.example.org (empty: only this machine): ",
    "Your email address or web page, which wikis are told (empty: no public wiki is asked): ",
    "Hosts of models, separated by commas, such as api.openai.com (empty: none): ",
)


def domain_problem(domain: str) -> str:
    """The reason why this cannot be the domain of a site; "" if it can be."""
    if domain and (not is_host(domain) or "." not in domain.strip(".") or ":" in domain or domain.startswith(".")):
        return "Write only the name, such as workbench.example.org: no https://, no port, no path."
    return ""


def hosts_problem(hosts: str) -> str:
    """The reason why these cannot be hosts of models; "" if they can be."""
    wrong = [host for host in hosts.split(",") if host.strip() and not is_host(host.strip())]
    return f"“{wrong[0].strip()}” is not a host: write it without https:// and path." if wrong else ""


def contact_problem(contact: str) -> str:
    """The reason why wikis cannot reach someone there; "" if they can."""
    if contact and "@" not in contact and "://" not in contact:
        return "Write an email address, or a web page with https://."
    return "" if contact.isprintable() and "'" not in contact else "Leave out quotes and unprintable characters."


PROBLEMS = (domain_problem, contact_problem, hosts_problem)


def lines(domain: str, contact: str, hosts: str) -> list[str]:
    """The lines of the file for these answers."""
    found = [
        "# Written by `make env`. docs/settings.md lists what else can stand here.",
        f"SECRET_KEY={secrets.token_urlsafe(50)}",
        f"POSTGRES_PASSWORD={secrets.token_hex(24)}",
        f"REDIS_PASSWORD={secrets.token_hex(24)}",
        f"ALLOWED_HOSTS={domain or 'localhost'}",
    ]
    if domain:
        found += [f"DOMAIN={domain}", f"SITE_ADDRESS=https://{domain}", f"CSRF_TRUSTED_ORIGINS=https://{domain}"]
        found += ["HTTPS=true", "# The proxy with TLS (Caddy). Leave it out if you have a proxy of your own."]
        found += ["COMPOSE_PROFILES=tls"]
    if contact:
        found.append(f"WIKI_CONTACT='{contact}'")
    if named := [host.strip() for host in hosts.split(",") if host.strip()]:
        found += [f"LLM_ALLOWED_HOSTS={','.join(named)}", "# A model's key: list its variable, and set it."]
        found += ["#LLM_KEY_NAMES=OPENAI_API_KEY", "#OPENAI_API_KEY="]
    return found


def ask(question: str, number: int) -> str:
    """The answer to a question, asked again until it can be used."""
    while True:
        answer = input(question).strip()
        if not (problem := PROBLEMS[number](answer)):
            return answer
        print(problem)


def main() -> int:
    if PATH.exists():
        print(f"{PATH.name} exists and is kept. To answer the questions again, move it away first.")
        return 0
    try:
        domain, contact, hosts = (ask(question, number) for number, question in enumerate(QUESTIONS))
    except (EOFError, KeyboardInterrupt):
        print("\nNothing was written.")
        return 1
    with os.fdopen(os.open(PATH, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write("\n".join(lines(domain, contact, hosts)) + "\n")
    (PATH.parent / "secrets").mkdir(mode=0o700, exist_ok=True)
    print(f"{PATH.name} was written; only you can read it. Next: docker compose up -d")
    return 0


if __name__ == "__main__":
    sys.exit(main())
