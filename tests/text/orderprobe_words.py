"""The polar words, negations and overrides that OrderProbe's system reads Chinese by."""

POSITIVE = (
    "喜爱 喜欢 爱慕 钟爱 偏爱 珍爱 喜好 爱不释手 舍不得 不舍 珍视 赞美 欣赏 褒扬 优秀 出色 崇高 优点 优势 肯定"
    " 支持"
).split()
NEGATIVE = (
    "厌恶 轻视 不喜欢 不珍惜 舍弃 抛弃 丢弃 贬低 批评 僵化 死板 落后 顽固 不思进取 空洞 不正派 失败 倒退 衰落"
).split()
NEGATIONS = (
    "不 未 无 非 别 从不 毫不 不再 不愿 没 没有 不可 难以 未曾 从未 并非 不是 无法 禁止 否定 反"
).split()
OVERRIDES = {"爱不释手": "positive", "循规蹈矩": "negative"}
