"""The judge as a torch network, for training only.

Both texts go through the embedded multilingual-e5-small apart (frozen, no gradient). Its last
layer gives the features (cosine, BERTScore, weakest match). Its states after `JOINT` layers are
joined to one sequence, marked with side, exact match and soft match of each token, and read on by
trained copies of the remaining layers. One reading answers for both directions.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from gistmeter.models.e5 import e5_weights
from gistmeter.models.judge.network import COUNT as TEXT_FEATURES
from gistmeter.models.judge.network import (
    DEGREE,
    JOINT,
    OUTPUTS,
    SURVIVES,
)

MATCH_FEATURES = 6  # cosine, precision, recall, F, weakest match of each side
FEATURES = MATCH_FEATURES + TEXT_FEATURES
HIDDEN = 512


class Layer(nn.Module):
    """One layer of BERT with post-layer-norm."""

    def __init__(self, weights: e5_weights.Weights, number: int) -> None:
        super().__init__()
        sizes = weights.sizes
        self.heads, self.width = sizes.heads, sizes.width
        for part, outputs in (
            ("q", sizes.width),
            ("k", sizes.width),
            ("v", sizes.width),
            ("ao", sizes.width),
            ("fi", sizes.feed_forward),
            ("fo", sizes.width),
        ):
            matrix = torch.from_numpy(weights.tensor(f"l{number}.{part}.w").reshape(outputs, -1))
            linear = nn.Linear(matrix.shape[1], outputs)
            linear.weight.data = matrix.clone()
            linear.bias.data = torch.from_numpy(weights.tensor(f"l{number}.{part}.b")).clone()
            self.add_module(part, linear)
        self.aln = make_norm(weights, f"l{number}.aln")
        self.oln = make_norm(weights, f"l{number}.oln")

    def forward(self, states: torch.Tensor, pack: Pack) -> torch.Tensor:
        batch, length = pack.numbers.shape
        query, key, value = (
            pack.spread(part(states).float()).view(batch, length, self.heads, -1).transpose(1, 2)
            for part in (self.q, self.k, self.v)
        )
        with torch.autocast("cpu", enabled=False):  # attention is slower in bfloat16
            mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=pack.mask)
        joined = mixed.transpose(1, 2).reshape(batch * length, self.width)[pack.places]
        first = self.aln(self.ao(joined) + states)
        return self.oln(self.fo(functional.gelu(self.fi(first))) + first)


class Pack:
    """Sequences of a batch as one row of tokens without padding, and the way back.

    Only attention needs sequences side by side; all else is a product per token, and padding would
    be a third of it.
    """

    def __init__(self, real: torch.Tensor) -> None:
        self.places = real.flatten().nonzero().squeeze(1)  # of tokens among padded places
        numbers = real.flatten().cumsum(0) - 1
        self.numbers = numbers.masked_fill(~real.flatten(), len(self.places)).view(real.shape)
        self.mask = torch.where(real, 0.0, -1e4)[:, None, None, :]

    def spread(self, tokens: torch.Tensor) -> torch.Tensor:
        """(sequences, length, width), zeros in padded places."""
        return torch.cat([tokens, tokens.new_zeros(1, tokens.shape[1])])[self.numbers]


def make_norm(weights: e5_weights.Weights, name: str) -> nn.LayerNorm:
    norm = nn.LayerNorm(weights.sizes.width, eps=weights.sizes.epsilon)
    norm.weight.data = torch.from_numpy(weights.tensor(f"{name}.w")).clone()
    norm.bias.data = torch.from_numpy(weights.tensor(f"{name}.b")).clone()
    return norm


class Judge(nn.Module):
    """Logits of the outputs for pairs of token sequences."""

    def __init__(self, weights: e5_weights.Weights) -> None:
        super().__init__()
        width, layers = weights.sizes.width, weights.sizes.layers
        table = e5_weights.expand(weights.table("emb.word").reshape(-1, 18)).reshape(-1, width)
        positions = weights.tensor("emb.pos").reshape(-1, width)
        positions = positions + weights.tensor("emb.type").reshape(-1, width)[0]
        self.register_buffer("table", torch.from_numpy(table), persistent=False)
        self.register_buffer("positions", torch.from_numpy(positions), persistent=False)
        frozen = [make_norm(weights, "emb.ln"), *(Layer(weights, n) for n in range(layers))]
        self.frozen = [module.requires_grad_(False) for module in frozen]
        self.layers = nn.ModuleList(Layer(weights, n) for n in range(JOINT, layers))
        self.marks = nn.Parameter(torch.randn(5, width) * 0.02)  # two sides, exact, soft, bigram
        self.hidden = nn.Linear(5 * width + FEATURES, HIDDEN)
        self.out = nn.Linear(HIDDEN + FEATURES, len(OUTPUTS))
        nn.init.zeros_(self.out.weight)
        nn.init.zeros_(self.out.bias)
        with torch.no_grad():  # both start as a multiple of the cosine
            self.out.weight[[SURVIVES, DEGREE], HIDDEN] = 1.0

    @torch.no_grad()
    def embed(self, ids: torch.Tensor, pack: Pack) -> tuple[torch.Tensor, torch.Tensor]:
        """Tokens after the joint layer's depth and at the end, of texts read apart."""
        rows = torch.arange(ids.shape[1]).expand_as(ids).flatten()[pack.places]
        states = self.table[ids.flatten()[pack.places]] + self.positions[rows]
        states = kept = self.frozen[0](states)
        for number, layer in enumerate(self.frozen[1:], start=1):
            states = layer(states, pack)
            if number == JOINT:
                kept = states
        return kept, states

    def forward(self, batch: dict[str, Any]) -> torch.Tensor:
        sides, length = batch["sides"], batch["ids"].shape[1]  # which text stands on each side
        texts = Pack(batch["real"])
        kept, last = batch["read"] if "read" in batch else self.embed(batch["ids"], texts)
        content = batch["content"][sides]
        soft, features = match(texts.spread(last), sides, batch["real"], content)
        self.cosine = features[:, 0]
        features = torch.cat([features, batch["features"]], dim=1)
        # The first token and the text's own of both sides make one sequence.
        held = content.clone()
        held[:, :, 0] = True
        whole = torch.cat([held[0], held[1]], dim=1)
        pairs, slots = whole.nonzero(as_tuple=True)
        side = (slots >= length).long()
        numbers = texts.numbers[sides]
        source = torch.cat([numbers[0], numbers[1]], dim=1)[pairs, slots]
        states = kept[source] + self.marks[side]
        for row, values in ((2, batch["exact"]), (3, soft), (4, batch["bigram"])):
            flat = torch.cat([values[0], values[1]], dim=1)[pairs, slots]
            states = states + flat.unsqueeze(1) * self.marks[row]
        joint = Pack(close_up(whole))
        for layer in self.layers:
            states = layer(states, joint)
        return self.read(states, joint, pairs * 2 + side, features)

    def read(
        self, states: torch.Tensor, joint: Pack, owner: torch.Tensor, features: torch.Tensor
    ) -> torch.Tensor:
        """Pooled states and features to outputs; `owner` is pair * 2 + side of each token."""
        count = len(features)
        sums = states.new_zeros(2 * count, states.shape[1]).index_add(0, owner, states)
        means = sums / torch.bincount(owner, minlength=2 * count).unsqueeze(1)
        first, second = means[::2], means[1::2]
        spread = joint.spread(states)
        padded = (joint.numbers == len(states)).unsqueeze(-1)
        highest = spread.masked_fill(padded, -1e4).amax(1)
        pooled = [first, second, (first - second).abs(), highest, spread[:, 0], features]
        hidden = functional.gelu(self.hidden(torch.cat(pooled, dim=1)))
        return self.out(torch.cat([hidden, features], dim=1))


def close_up(whole: torch.Tensor) -> torch.Tensor:
    """The mask of the same tokens moved to the left, without the places between."""
    counts = whole.sum(1)
    return torch.arange(int(counts.max())) < counts.unsqueeze(1)


def mean(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    weights = mask.unsqueeze(-1).float()
    return (states * weights).sum(1) / weights.sum(1)


def match(
    last: torch.Tensor, sides: torch.Tensor, real: torch.Tensor, content: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Each token's best match on the other side, and the pair's cosine and BERTScore; scaled."""
    vectors = functional.normalize(mean(last, real), dim=-1)[sides]
    cosine = (vectors[0] * vectors[1]).sum(-1)
    tokens = functional.normalize(last, dim=-1)[sides]
    table = tokens[0] @ tokens[1].transpose(-1, -2)
    table = table.masked_fill(~(content[0].unsqueeze(2) & content[1].unsqueeze(1)), 0.0)
    best = torch.stack([table.amax(2), table.amax(1)])
    counts = content.sum(-1).clamp(min=1)
    recall, precision = (best * content).sum(-1) / counts
    total = 2 * precision * recall / (precision + recall).clamp(min=1e-6)
    least = best.masked_fill(~content, 1.0).amin(-1)
    columns = torch.stack([cosine, precision, recall, total, least[0], least[1]], dim=1)
    # (x - centre) / spread: cosines of this model lie between 0.7 and 1
    return (best - 0.9) * 10 * content, (columns - 0.9) * 10
