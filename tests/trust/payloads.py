"""Texts that try to be more than text."""

from __future__ import annotations

# What would steer a terminal.
STEERING = (
    "\x1b[2J", "\x1b]0;owned\x07", "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "\x9b31m", "\x1b[31mred", "\x1bc", "\x08\x08\x08", "\rError: none", "\x07", "\x00", "\x7f",
    "\u202etxt.exe", "\u2066x\u2069", "\u2028new", "\u2029new", "\x1b[6n", "\x1bP+q\x1b\\",
    "\x0bvertical", "\x0cform", "\U000e0041\U000e0042",
)  # fmt: skip
# What would become part of a page.
PAGES = (
    "<script>window.owned=1</script>", '"><img src=x onerror="window.owned=1">',
    "</script><script>window.owned=1</script>", "<svg/onload=window.owned=1>",
    "javascript:window.owned=1", "</textarea><script>window.owned=1</script>",
    "<!--<script>window.owned=1</script>", "]]><script>window.owned=1</script>",
    "{{7*7}}", "{% raw %}{{ 7 }}", "&lt;script&gt;window.owned=1&lt;/script&gt;",
    "<iframe srcdoc='<script>parent.owned=1</script>'>", "<base href='http://evil.example/'>",
    "<link rel=stylesheet href=http://evil.example/x.css>", "' onmouseover='window.owned=1",
    "<a href='javascript:window.owned=1'>x</a>", "<style>*{display:none}</style>",
    "\u2028</script>", "<meta http-equiv=refresh content='0;url=http://evil.example'>",
    "<form action=http://evil.example><input name=x></form>",
)  # fmt: skip
# What a spreadsheet would run.
FORMULAS = (
    "=1+1", "+1+1", "-1+1", "@SUM(1)", "=cmd|' /C calc'!A0", "\t=1+1", "\r=1+1",
    '=HYPERLINK("http://evil.example","x")', "=IMPORTXML(\"http://evil.example\",\"//x\")",
    '=WEBSERVICE("http://evil.example")',
)  # fmt: skip
# What would be markup where it is pasted.
MARKUP = (
    "![x](http://evil.example/x.png)", "[x](javascript:alert(1))", "a|b", "`code`", "**bold**",
    "\\input{/etc/passwd}", "\\write18{id}", "$x$", "%comment", "}{", "# heading", "a\nb",
    "~~x~~", "<b>x</b>", "\\", "_x_",
)  # fmt: skip
ALL = (*STEERING, *PAGES, *FORMULAS, *MARKUP)
