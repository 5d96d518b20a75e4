"""Speech from Python: results, the analyser of facts, and one clip through one recogniser.

from gistmeter.speech import SemanticUnderstandingAnalyzer, transcribe_and_diff

analyzer = SemanticUnderstandingAnalyzer(api_key=os.getenv("GEMINI_API_KEY"))
report = await transcribe_and_diff(
    "moonshine", "a.wav", "a.txt", "a.html", custom_metric_fn=analyzer.compare
)
report.wer, report.custom_metric.score
"""

from gistmeter.metrics.facts.verdicts import SemanticFact, Verdict
from gistmeter.speech.analyzer import SemanticUnderstandingAnalyzer
from gistmeter.speech.diffing import diff_clip, transcribe_and_diff
from gistmeter.speech.results import CustomMetricResult, DiffReport, SemanticMetricResult
from gistmeter.speech.scoring import score_speech

__all__ = [
    "CustomMetricResult",
    "DiffReport",
    "SemanticFact",
    "SemanticMetricResult",
    "SemanticUnderstandingAnalyzer",
    "Verdict",
    "diff_clip",
    "score_speech",
    "transcribe_and_diff",
]
