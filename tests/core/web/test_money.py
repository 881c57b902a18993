"""Amounts of money name their currency, by one function."""

from decimal import Decimal

import pytest

from config.reading.environment import BadSetting, Environment
from core.words import in_currency, money


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("0", "US$0.00"),
        ("12.4", "US$12.40"),
        ("1234.565", "US$1,234.57"),
        ("0.25", "US$0.25"),
        ("0.0031", "US$0.0031"),
        ("0.00000001234", "US$0.000000012"),
        ("-2", "-US$2.00"),
    ],
)
def test_an_amount_has_its_currency_and_two_figures(amount, text):
    assert money(Decimal(amount)) == text


def test_an_unknown_amount_is_no_amount():
    assert money(None) == "–"
    assert money(None, "no price") == "no price"


def test_a_code_stands_apart_from_the_amount(settings):
    settings.CURRENCY = "EUR"
    assert money(Decimal("12.4")) == "EUR\N{NO-BREAK SPACE}12.40"
    assert in_currency("Budget") == "Budget (EUR)"


@pytest.mark.parametrize("written", ["€", "EUR", "kr", "US$", "£", "zł", "R$"])
def test_signs_and_codes_are_read(monkeypatch, written):
    monkeypatch.setenv("CURRENCY", written)
    assert Environment().currency("CURRENCY", "US$") == written


@pytest.mark.parametrize("written", ["5", "US dollars", "<b>", "EUR 5", "=1"])
def test_anything_else_ends_the_start(monkeypatch, written):
    monkeypatch.setenv("CURRENCY", written)
    with pytest.raises(BadSetting, match="CURRENCY is"):
        Environment().currency("CURRENCY", "US$")
