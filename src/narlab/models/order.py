"""The order of the nodes: that of the input `pos`, in tasks with two strings within each of them."""

import torch
from torch import Tensor

from narlab.models.batch import Tensors

STRING = "string"  # the node mask that says which of two strings a node belongs to


def next_nodes(inputs: Tensors) -> Tensor:
    """The node after each one, -1 for the last: [B, N].

    >>> next_nodes({"pos": torch.tensor([[0.0, 0.5, 0.0, 0.5]]), "string": torch.tensor([[0.0, 0.0, 1.0, 1.0]])})
    tensor([[ 1, -1,  3, -1]])
    """
    order = inputs["pos"].argsort(dim=1, stable=True)
    string = _strings(inputs)
    order = order.gather(1, string.gather(1, order).argsort(dim=1, stable=True))  # by string, then by `pos`
    ordered = string.gather(1, order)
    after = torch.where(ordered[:, 1:] == ordered[:, :-1], order[:, 1:], -1)
    return torch.full_like(order, -1).scatter(1, order[:, :-1], after)


def relations(inputs: Tensors) -> Tensor:
    """What pairs know of the order: i before j, j before i, j next after i, j the one before i, i = j; [B, N, N, 5]."""
    rank = inputs["pos"].argsort(dim=1, stable=True).argsort(1)
    string, nodes = _strings(inputs), rank.shape[1]
    before = (rank[:, :, None] < rank[:, None]) & (string[:, :, None] == string[:, None])
    index = torch.arange(nodes, device=rank.device)
    is_next = next_nodes(inputs)[:, :, None] == index
    same = (index[:, None] == index).expand_as(before)
    return torch.stack([before, before.transpose(1, 2), is_next, is_next.transpose(1, 2), same], -1).float()


def _strings(inputs: Tensors) -> Tensor:
    return inputs[STRING] if STRING in inputs else torch.zeros_like(inputs["pos"])
