"""The human evaluation in the released shape, in and out."""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotation.models import Instance
from core.models import Event
from judging.models import LanguageModel, Response, Run
from review.models import EvaluatedRecord, FinalVerdict, How
from tests.factories.review import give_all, make_round

from .evaluation import evaluation_file, record

pytestmark = pytest.mark.django_db


def printed(*arguments, **options) -> str:
    output = io.StringIO()
    call_command(*arguments, stdout=output, **options)
    return output.getvalue()


def imported(path, **options) -> str:
    return printed("import_human_evaluation", str(path), **options)


def verdicts() -> dict[str, str]:
    return {
        f"{final_verdict.model} {final_verdict.template}": final_verdict.verdict
        for final_verdict in FinalVerdict.objects.select_related("model", "template")
    }


def test_answers_become_responses_with_final_verdicts(tmp_path):
    said = imported(evaluation_file(tmp_path, record()))
    assert said == "1 new record of 1 model on 1 instance: 2 responses, 2 with a final verdict.\n"
    assert verdicts() == {"mist 1": "partially_correct", "mist 5": "correct"}
    final_verdict = FinalVerdict.objects.get(template__code="5")
    assert final_verdict.how == How.IMPORTED
    assert final_verdict.item is None
    assert final_verdict.response.text == "One source says 1903, another one 1899."
    assert final_verdict.response.messages == [{"role": "user", "content": "Question and passages."}]
    assert (final_verdict.category, final_verdict.subcategory) == ("EXP", "")
    instance = Instance.objects.get()
    assert (instance.question, instance.content["answer_1"], instance.content["semantic_types"]) == (
        "When did bridge 1 open?",
        "1903",
        ["DATE"],
    )
    assert Event.objects.get(action="imported").after == {"records": 1, "responses": 2, "verdicts": 2}


def test_importing_twice_changes_nothing(tmp_path):
    path = evaluation_file(tmp_path, record(1), record(2))
    imported(path)
    before = [list(model.objects.values()) for model in (Response, FinalVerdict, EvaluatedRecord, Event, Run)]
    assert imported(path) == "Nothing changed: all 2 records are already here.\n"
    assert [list(model.objects.values()) for model in (Response, FinalVerdict, EvaluatedRecord, Event, Run)] == before


def test_a_longer_file_adds_what_is_new(tmp_path):
    imported(evaluation_file(tmp_path, record(1)))
    said = imported(evaluation_file(tmp_path, record(1), record(2)))
    assert "1 new record " in said
    assert "1 record was already here" in said
    assert Run.objects.count() == 1
    assert Response.objects.count() == 4


def test_checking_writes_nothing(tmp_path):
    said = imported(evaluation_file(tmp_path, record()), check=True)
    assert said.startswith("Validated only: nothing was written.")
    assert "2 responses" in said
    assert not Response.objects.exists()
    assert not Run.objects.exists()
    assert not LanguageModel.objects.filter(name="mist").exists()


def test_what_cannot_be_fitted_is_kept_and_exported_again_to_the_byte(tmp_path):
    odd = record() | {
        "ModelAnswer_prompt_1": "1903",
        "ModelAnswer_prompt_1_humanEval": "Partially correct",
        "ModelInput_prompt_1": "1903",
        "ModelAnswer_prompt_17": "For a template of another project.",
        "ModelAnswer_prompt_17_humanEval": "Correct",
        "taxonomy-contradictTypeIV": "unknown",
        "notes": {"nested": [1, None, 2.5, "Ünïcode \u2028 text"]},
        "title": None,
    }
    path = evaluation_file(tmp_path, odd, record(2))
    assert "1 answer belongs to a prompt that is not known here" in imported(path)
    # A third verdict on a template that offers two.
    assert verdicts()["mist 2"] == "partially_correct"
    # The released file has the answer where the prompt of template 2 should stand: no prompt is shown for it.
    assert Response.objects.get(template__code="2").messages == []
    assert FinalVerdict.objects.filter(instance__question=odd["question1"]).values("category")[0] == {"category": ""}
    assert printed("export_human_evaluation") == path.read_text()


def test_a_question_asked_twice_of_one_model_is_two_responses(tmp_path):
    path = evaluation_file(tmp_path, record(), record(ModelAnswer_prompt_4="Between 1899 and 1903."))
    imported(path)
    assert Response.objects.filter(template__code="5").values_list("repetition", flat=True).count() == 2
    assert printed("export_human_evaluation") == path.read_text()
    assert imported(path) == "Nothing changed: all 2 records are already here.\n"


def test_a_record_that_comes_twice_counts_once_and_is_exported_again(tmp_path):
    path = evaluation_file(tmp_path, record(1), record(2), record(1))
    assert imported(path) == (
        "3 new records of 1 model on 2 instances: 4 responses, 4 with a final verdict.\n"
        "1 record comes twice, with the same question_ID and the same content: its responses count once.\n"
    )
    assert Response.objects.count() == FinalVerdict.objects.count() == 4
    assert printed("export_human_evaluation") == path.read_text()
    assert imported(path).startswith("Nothing changed: all 3 records are already here.\n")
    # In another file the same record brings nothing, either.
    imported(evaluation_file(tmp_path, record(1), record(1), record(1)))
    assert Response.objects.count() == 4


def test_a_number_that_names_two_questions_of_one_model_is_refused(tmp_path):
    other = record(1, question1_context2="Bridge 1 opened in 1898.")
    path = evaluation_file(tmp_path, record(1), record(2), other)
    with pytest.raises(CommandError, match=r"mist, record 3 \(“Bridge 1”\): .*question_ID.* is 1, .*record 1"):
        imported(path)
    assert not Instance.objects.exists()


def test_a_number_that_names_other_texts_for_another_model_is_said(tmp_path):
    other = record(2, question1_context2="Bridge 2 opened in 1898.")
    said = imported(evaluation_file(tmp_path, mist=[record(1), record(2)], llam=[record(1), other]))
    assert said == (
        "4 new records of 2 models on 3 instances: 8 responses, 8 with a final verdict.\n"
        "1 question_ID has other texts for one model than for another, so it is more than one instance: 2.\n"
    )


def test_numbers_are_not_needed(tmp_path):
    first, second = record(1), record(2)
    del first["question_ID"], second["question_ID"]
    assert imported(evaluation_file(tmp_path, first, second)).startswith("2 new records")


def test_the_same_instance_of_two_models_is_one_instance(tmp_path):
    imported(evaluation_file(tmp_path, mist=[record()], llam=[record()]))
    assert Instance.objects.count() == 1
    assert Response.objects.count() == 4


def test_an_answer_without_verdict_has_none(tmp_path):
    without = record()
    del without["ModelAnswer_prompt_4_humanEval"]
    imported(evaluation_file(tmp_path, without))
    assert verdicts() == {"mist 1": "partially_correct"}
    assert Response.objects.count() == 2


def test_a_verdict_that_would_change_is_refused(tmp_path):
    imported(evaluation_file(tmp_path, record(1)))
    changed = record(1, ModelAnswer_prompt_4_humanEval="Incorrect")
    with pytest.raises(CommandError, match="differs in ModelAnswer_prompt_4_humanEval") as refused:
        imported(evaluation_file(tmp_path, record(2), changed))
    assert "mist, record 2 (“Bridge 1”)" in str(refused.value)
    assert verdicts() == {"mist 1": "partially_correct", "mist 5": "correct"}
    assert Response.objects.count() == 2


def test_with_skip_bad_the_good_records_come_in(tmp_path):
    bad = tmp_path / "bad.jsonl"
    imported(evaluation_file(tmp_path, record(1)))
    changed, wrong = record(1, ModelAnswer_prompt_4_humanEval="Incorrect"), record(3, question1=7)
    models = {"mist": [changed, wrong, record(2)], "x" * 200: [record(4), record(5)]}
    said = imported(evaluation_file(tmp_path, **models), skip_bad=str(bad))
    assert said.startswith("1 new record of 1 model on 1 instance")
    skipped = {each["where"]: each for each in map(json.loads, bad.read_text().splitlines())}
    assert skipped["The file"]["record"] is None
    assert skipped["mist, record 2 (“Bridge 3”)"]["record"] == wrong
    assert "differs in ModelAnswer_prompt_4_humanEval" in skipped["mist, record 1 (“Bridge 1”)"]["problem"]
    assert (len(skipped), EvaluatedRecord.objects.count()) == (3, 2)


BROKEN: dict[str, tuple[Any, str]] = {
    "wrong verdict": (record(ModelAnswer_prompt_4_humanEval="Right"), "ModelAnswer_prompt_4_humanEval"),
    "verdict in lower case": (record(ModelAnswer_prompt_0_humanEval="correct"), "ModelAnswer_prompt_0_humanEval"),
    "verdict that is a list": (record(ModelAnswer_prompt_4_humanEval=["Correct"]), "ModelAnswer_prompt_4_humanEval"),
    "answer that is a number": (record(ModelAnswer_prompt_4=1903), "ModelAnswer_prompt_4"),
    "verdict without answer": (record(ModelAnswer_prompt_2_humanEval="Correct"), "ModelAnswer_prompt_2_humanEval"),
    "no question": (record(question1=" "), "question1"),
    "passage that is an object": (record(question1_context1={"text": "a"}), "question1_context1"),
    "another word for same": (record(samepassage="Both"), "samepassage"),
    "taxonomy that is a list": (record() | {"taxonomy-contradictTypeIV": ["Explicit"]}, "taxonomy-contradictTypeIV"),
    "NUL": (record(ModelAnswer_prompt_4="a\0b"), "ModelAnswer_prompt_4"),
    "half a pair": (record(question1="\ud800?"), "question1"),
    "a list": ([], "it must be an object"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_record_is_named_with_its_field_and_nothing_is_written(name, tmp_path):
    wrong, said = BROKEN[name]
    with pytest.raises(CommandError, match="refused as a whole") as refused:
        imported(evaluation_file(tmp_path, record(1), wrong))
    assert "mist, record 2" in str(refused.value)
    assert said in str(refused.value)
    assert not Response.objects.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "It is empty"),
        ("[]", "It must be an object"),
        ('{"mist": {}}', "mist: its records must be a list"),
        ('{"mist": [}', "is not JSON"),
        ('{"mist": []} x', "something follows its end"),
        ('{"mist": [], "mist": []}', "appears twice"),
        ('{" ": []}', "not a model name"),
        ('{"mist": [{"question1": NaN}]}', "is not a number in JSON"),
    ],
)
def test_a_file_of_another_shape_is_refused(text, said, tmp_path):
    path = tmp_path / "evaluation.json"
    path.write_text(text)
    with pytest.raises(CommandError) as refused:
        imported(path)
    assert said in str(refused.value)


def test_a_file_that_is_not_there_is_said_in_words(tmp_path):
    with pytest.raises(CommandError, match="cannot be read"):
        imported(tmp_path / "none.json")


def test_what_was_judged_here_is_exported_in_the_same_shape(admin, reviewer, other_reviewer, tmp_path):
    round = make_round(admin, [reviewer, other_reviewer], training_required=False)
    first, second = round.items.order_by("pk")[:2]
    give_all(first, "correct", "correct")
    give_all(second, "correct", "incorrect")
    exported = json.loads(printed("export_human_evaluation"))
    assert list(exported) == [first.response.model.name]
    (found,) = exported[first.response.model.name]
    instance = first.response.instance
    assert found["question1"] == instance.question
    assert found["ModelAnswer_prompt_3"] == first.response.text
    assert found["ModelAnswer_prompt_3_humanEval"] == "Correct"
    assert found["goldAnswer_prompt_3"] == "1903 | 1899"
    assert found["taxonomy-contradictTypeIV"] == "Explicit"
    path = tmp_path / "out.json"
    printed("export_human_evaluation", output=str(path))
    assert json.loads(path.read_text()) == exported


def test_no_final_verdict_is_an_empty_file():
    assert json.loads(printed("export_human_evaluation")) == {}


def test_admins_download_the_file(admin, sign_in, tmp_path):
    path = evaluation_file(tmp_path, record())
    imported(path)
    response = sign_in(admin).get("/review/reports/human-evaluation.json")
    assert b"".join(response.streaming_content).decode() == path.read_text()
    assert "attachment" in response["Content-Disposition"]


@pytest.mark.released
def test_the_released_file_comes_out_again_to_the_byte(released_data):
    path = released_data / "wikicontradict_humaneval_sample.json"
    said = imported(path)
    assert "144 new records of 3 models" in said
    assert "720 responses, 720 with a final verdict" in said
    assert printed("export_human_evaluation") == path.read_text()
    assert imported(path) == "Nothing changed: all 144 records are already here.\n"


def brought_in_the_browser(client, path, **values):
    with path.open("rb") as file:
        return client.post(reverse("human_evaluation_import"), {"file": file, **values})


def test_an_admin_checks_a_file_in_the_browser_and_imports_it(tmp_path, admin, sign_in):
    client, path = sign_in(admin), evaluation_file(tmp_path, record())
    page = brought_in_the_browser(client, path, action="check").content.decode()
    assert "Validated only: nothing was written" in page
    assert "1 new record of 1 model on 1 instance: 2 responses, 2 with a final verdict." in page
    assert not Response.objects.exists()
    brought_in_the_browser(client, path, action="import")
    assert verdicts() == {"mist 1": "partially_correct", "mist 5": "correct"}
    assert Event.objects.get(action="imported").actor == admin
    assert "all 1 records are already here" in brought_in_the_browser(client, path, action="import").content.decode()


def test_without_a_word_of_what_to_do_the_page_only_checks(tmp_path, admin, sign_in):
    brought_in_the_browser(sign_in(admin), evaluation_file(tmp_path, record()))
    assert not Response.objects.exists()


def test_the_page_names_the_record_that_cannot_be_imported(tmp_path, admin, sign_in):
    path = evaluation_file(tmp_path, record(), record(2, ModelAnswer_prompt_4_humanEval="Perfect"))
    answer = brought_in_the_browser(sign_in(admin), path, action="import")
    assert answer.status_code == 400
    said = answer.content.decode()
    assert "mist" in said
    assert "record 2" in said
    assert "ModelAnswer_prompt_4_humanEval" in said
    assert not Response.objects.exists()


def test_the_page_names_the_record_that_is_here_and_says_something_else(tmp_path, admin, sign_in):
    imported(evaluation_file(tmp_path, record()))
    path = evaluation_file(tmp_path, record(ModelAnswer_prompt_4_humanEval="Incorrect"))
    answer = brought_in_the_browser(sign_in(admin), path, action="import")
    assert answer.status_code == 409
    assert "differs in ModelAnswer_prompt_4_humanEval" in answer.content.decode()
    assert verdicts()["mist 5"] == "correct"


@pytest.mark.parametrize("word", ["--dry-run", "--check"])
def test_a_dry_run_writes_nothing(word, tmp_path):
    said = printed("import_human_evaluation", str(evaluation_file(tmp_path, record())), word)
    assert "Validated only: nothing was written" in said
    assert not Response.objects.exists()
