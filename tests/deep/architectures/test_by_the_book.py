"""Each architecture against another way to compute it: by NumPy, torch's own or the theory's."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from needlescope.deep.architectures.gated import Gated
from needlescope.deep.architectures.in_order import Convolution, Recurrent
from needlescope.deep.architectures.maximum import MaxPooling
from needlescope.deep.architectures.self_attention import SelfAttention
from needlescope.deep.architectures.solvable import Solvable
from needlescope.deep.architectures.transformer import Transformer
from needlescope.models import get_model
from needlescope.models.blocks import Arrays
from needlescope.models.gradient import State, attention_scores
from needlescope.models.segments import Even

COVERS = ("gated", "in_order", "maximum", "self_attention", "solvable", "transformer")
X = torch.from_numpy(np.random.default_rng(0).standard_normal((5, 7, 6)).astype(np.float32))


def shaken(network):
    torch.manual_seed(1)
    for parameter in network.parameters():
        parameter.data.add_(0.5 * torch.randn_like(parameter))
    return network.eval()


def close(one, other):
    np.testing.assert_allclose(one.detach().numpy(), np.asarray(other), rtol=2e-5, atol=2e-5)


def test_the_paper_s_model_is_that_of_the_simulation():
    network = shaken(Solvable(6))
    q, w = (item.detach().double().numpy() for item in (network.query, network.readout))
    state = State(q, w, float(network.bias.detach()))
    close(network(X).scores, attention_scores(Arrays(X.numpy(), np.ones(5)), state, 1.0))


def test_linear_attention_is_that_of_the_models():
    network = shaken(Solvable(6, linear=True))
    q, w = (item.detach().double().numpy() for item in (network.query, network.readout))
    rows = X.reshape(-1, 6).double().numpy()
    features = get_model("linear").features(rows, Even(7), q, 1.0)
    close(network(X).scores, features @ w + float(network.bias.detach()))


def test_self_attention_makes_keys_and_values_for_all_tokens():
    """The short way, which makes them of what is attended to only, is the same."""
    network = shaken(SelfAttention(6, 8, 2))
    whole = torch.cat([network.token.expand(5, 1, 6), X], dim=1)
    result = torch.zeros(5)
    for head in range(2):
        q = network.token @ network.W_Q[head].T
        keys, values = whole @ network.W_K[head].T, whole @ network.W_V[head].T
        weights = torch.softmax(keys @ q / 2.0, dim=1)  # √(8/2)
        result += (weights[:, None] @ values)[:, 0] @ network.readout[head]
        close(network(X).attention[:, head], weights[:, 1:].detach())
    close(network(X).scores, (result + network.bias).detach())


def test_blocks_are_those_of_torch():
    """Torch's own encoder layers, given the same weights, make the same of all tokens."""
    network = shaken(Transformer(6, 8, 2, depth=2))
    x = torch.cat([network.token.expand(5, 1, -1), network.embed(X)], dim=1)
    for block in network.blocks:
        layer = nn.TransformerEncoderLayer(
            8, 2, 16, dropout=0.0, activation="gelu", batch_first=True, norm_first=True
        )
        own = layer.self_attn
        own.in_proj_weight.data = torch.cat(
            [block.query.weight, block.key.weight, block.value.weight]
        )
        own.out_proj.weight.data = block.out.weight.data
        own.in_proj_bias.data.zero_()
        own.out_proj.bias.data.zero_()
        layer.linear1.load_state_dict(block.mlp[0].state_dict())
        layer.linear2.load_state_dict(block.mlp[2].state_dict())
        layer.norm1.load_state_dict(block.before.state_dict())
        layer.norm2.load_state_dict(block.after.state_dict())
        x = layer(x)
    close(network(X).scores, (network.readout(network.norm(x[:, 0]))[:, 0] + network.bias).detach())


def test_gated_attention_by_numpy():
    network = shaken(Gated(6, 4, hidden=False))
    part = {name: value.numpy() for name, value in network.state_dict().items()}
    tokens = X.numpy()
    content = np.tanh(tokens @ part["content.weight"].T + part["content.bias"])
    gate = 1.0 / (1.0 + np.exp(-(tokens @ part["gate.weight"].T + part["gate.bias"])))
    logits = (content * gate) @ part["weigh.weight"][0]
    weights = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    result = np.einsum("nl,nld,d->n", weights, tokens, part["readout"]) + part["bias"]
    close(network(X).scores, result)


def test_max_pooling_by_numpy():
    network = shaken(MaxPooling(6, 3))
    seen = X.numpy() @ network.features.detach().numpy().T
    result = seen.max(axis=1) @ network.readout.detach().numpy() + float(network.bias.detach())
    close(network(X).scores, result)
    shares = [np.bincount(row.argmax(axis=0), minlength=7) / 3 for row in seen]
    close(network(X).attention[:, 0], shares)


def test_the_recurrent_unit_is_read_after_its_last_token():
    network = shaken(Recurrent(6, 4))
    state = torch.zeros(5, 4)
    cell = nn.GRUCell(6, 4)
    cell.load_state_dict({n.removesuffix("_l0"): v for n, v in network.unit.state_dict().items()})
    for token in X.unbind(dim=1):
        state = cell(token, state)
    close(network(X).scores, (network.readout(state)[:, 0] + network.bias).detach())


def test_the_convolution_sees_three_tokens():
    network = shaken(Convolution(6, 4))
    kernel, shift = network.features.weight.detach().numpy(), network.features.bias.detach().numpy()
    padded = np.pad(X.numpy(), ((0, 0), (1, 1), (0, 0)))
    seen = np.stack(
        [np.einsum("nld,kdl->nk", padded[:, p : p + 3], kernel) + shift for p in range(7)], axis=1
    )
    largest = np.maximum(seen, 0.0).max(axis=1)
    result = largest @ network.readout.weight.detach().numpy()[0] + float(network.bias.detach())
    close(network(X).scores, result)
