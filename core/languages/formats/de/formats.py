"""The formats that templates name, such as `|date:"DATE_FORMAT"`."""

DATE_FORMAT = "j. N Y"
DATETIME_FORMAT = "j. N Y, H:i"
# With seconds.
SHORT_DATETIME_FORMAT = "j. N Y, H:i:s"
MONTH_DAY_FORMAT = "j. N"
TIME_FORMAT = "H:i"
