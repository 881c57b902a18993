"""The questionnaire of three verdicts, and a response as people see it to give one."""
