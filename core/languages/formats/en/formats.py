"""The formats that templates name, such as `|date:"DATE_FORMAT"`."""

DATE_FORMAT = "j M Y"
DATETIME_FORMAT = "j M Y, H:i"
# With seconds.
SHORT_DATETIME_FORMAT = "j M Y, H:i:s"
MONTH_DAY_FORMAT = "j M"
TIME_FORMAT = "H:i"
