"""What a simulator is asked to predict: a model, how it is spread over devices, and how long it is trained."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from tco.records.base import Record
from tco.records.fields import refusal

Recompute = Literal["none", "selective", "full"]
Precision = Literal["fp32", "tf32", "bf16", "fp16", "fp8", "int8"]


class Model(Record):
    """A transformer.

    Attributes
    ----------
    layers, hidden, heads
        Blocks, width, and attention heads of a block.
    kv_heads
        Heads of keys and values, where they are shared by groups of heads.
    feedforward, gated
        Width of the inner layer, 4 times the hidden one where left out, and whether it has a gate.
    vocabulary, sequence
        Tokens known, and tokens in a sequence.
    experts, active_experts
        Feed-forward networks of a block, and how many of them a token passes.
    learned_positions
        Whether positions are an embedding, as in GPT, and not computed.
    """

    also_known_as: ClassVar[Mapping[str, str]] = {
        "num_layers": "layers",
        "hidden_size": "hidden",
        "num_attention_heads": "heads",
        "num_key_value_heads": "kv_heads",
        "intermediate_size": "feedforward",
        "vocab_size": "vocabulary",
        "seq_len": "sequence",
    }

    layers: int = Field(gt=0)
    hidden: int = Field(gt=0)
    heads: int = Field(gt=0)
    kv_heads: int | None = Field(default=None, gt=0)
    feedforward: int | None = Field(default=None, gt=0)
    gated: bool = False
    vocabulary: int = Field(gt=0)
    sequence: int = Field(gt=0)
    experts: int = Field(default=1, gt=0)
    active_experts: int = Field(default=1, gt=0)
    learned_positions: bool = True

    @model_validator(mode="after")
    def _fits(self) -> Model:
        if self.hidden % self.heads:
            raise refusal(f"hidden {self.hidden} is not a multiple of the {self.heads} heads")
        if self.kv_heads is not None and self.heads % self.kv_heads:
            raise refusal(f"{self.heads} heads are not a multiple of the {self.kv_heads} heads of keys and values")
        if self.active_experts > self.experts:
            raise refusal(f"active_experts {self.active_experts} are more than the {self.experts} experts")
        return self

    @property
    def inner(self) -> int:
        """Width of the feed-forward network."""
        return self.feedforward or 4 * self.hidden

    @property
    def kv_width(self) -> int:
        """Width of keys, and of values."""
        return self.hidden // self.heads * (self.kv_heads or self.heads)


class Parallelism(Record):
    """How the model and the batch are spread over devices.

    Attributes
    ----------
    tensor, pipeline, context, expert
        Devices that share a layer, the layers, a sequence, and the experts.
    data
        Copies of the model; what is left of the devices where it is not stated.
    zero
        Stage of sharding of optimiser state (1), gradients (2) and weights (3) over the copies.
    micro_batch
        Sequences that a copy works on at a time.
    interleave
        Pieces of the pipeline that a device holds.
    recompute
        Which activations are computed again in the backward pass; None where it is not known.
    sequence_parallel
        Whether tensor-parallel devices share the sequence in norms and dropout.
    """

    also_known_as: ClassVar[Mapping[str, str]] = {
        "tp": "tensor",
        "pp": "pipeline",
        "dp": "data",
        "cp": "context",
        "ep": "expert",
        "recomputation": "recompute",
    }

    tensor: int = Field(default=1, gt=0)
    pipeline: int = Field(default=1, gt=0)
    data: int | None = Field(default=None, gt=0)
    context: int = Field(default=1, gt=0)
    expert: int = Field(default=1, gt=0)
    zero: Literal[0, 1, 2, 3] = 0
    micro_batch: int = Field(default=1, gt=0)
    interleave: int = Field(default=1, gt=0)
    recompute: Recompute | None = None
    sequence_parallel: bool = False


class Workload(Record):
    """A training job, as simulators are asked to predict it (schema ``tco.workload/1``).

    Attributes
    ----------
    global_batch
        Sequences in one step over all devices.
    tokens, steps
        Tokens to train on, or steps to make; one step where neither is stated.
    devices
        How many; else the command line or the parallelism says it.
    """

    schema_: Literal["tco.workload/1"] = Field(default="tco.workload/1", alias="schema")
    name: str | None = None
    mode: Literal["training"] = "training"
    model: Model
    parallelism: Parallelism = Parallelism.model_construct()
    precision: Precision = "bf16"
    global_batch: int = Field(gt=0, description="Sequences in one step over all devices.")
    tokens: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    steps: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    devices: int | None = Field(default=None, gt=0)

    also_known_as: ClassVar[Mapping[str, str]] = {"batch": "global_batch", "batch_size": "global_batch"}

    @model_validator(mode="before")
    @classmethod
    def _numbers_as_text(cls, data: Any) -> Any:
        """Read ``tokens = "300e9"``, since 300e9 alone is a float in TOML and 300_000_000_000 is hard to read."""
        if isinstance(data, Mapping) and isinstance(data.get("tokens"), str):
            try:
                return {**data, "tokens": float(data["tokens"].replace("_", "").removesuffix("token").strip())}
            except ValueError:
                raise refusal(f"tokens '{data['tokens']}' is not a number; write for instance 300e9") from None
        return data

    @model_validator(mode="after")
    def _one_length(self) -> Workload:
        if self.tokens is not None and self.steps is not None:
            raise refusal("give either 'tokens' or 'steps', not both")
        return self

    def on(self, devices: int | None) -> Workload:
        """The workload on so many devices, with its data parallelism.

        Raises
        ------
        ValueError
            If the devices do not fit the parallelism, or the batch does not fit the copies; the message says so.
        """
        split = self.parallelism
        one_copy = split.tensor * split.pipeline * split.context
        count = devices if devices is not None else self.devices
        if count is None:
            if split.data is None:
                raise ValueError("devices: state how many, in the workload or with --devices, or parallelism.data")
            count = one_copy * split.data
        copies, left = divmod(count, one_copy)
        shape = f"tensor {split.tensor} x pipeline {split.pipeline} x context {split.context}"
        if left or not copies:
            raise ValueError(f"devices: {count} are not a multiple of {shape} = {one_copy}")
        if split.data is not None and split.data != copies:
            raise ValueError(
                f"parallelism.data: is {split.data}, and {count} devices over {shape} are {copies}; leave it out, or "
                f"state {one_copy * split.data} devices"
            )
        if self.global_batch % (copies * split.micro_batch):
            raise ValueError(
                f"global_batch: {self.global_batch} sequences are no multiple of {copies} copies x micro-batch "
                f"{split.micro_batch}"
            )
        if split.expert > 1 and copies % split.expert:
            raise ValueError(f"parallelism.expert: {split.expert} does not divide the {copies} copies")
        placed = split.model_copy(update={"data": copies})
        return self.model_copy(update={"parallelism": placed, "devices": count})

    @property
    def tokens_per_step(self) -> float:
        """Tokens of one step."""
        return float(self.global_batch * self.model.sequence)

    @property
    def step_count(self) -> float:
        """Whole steps that the job makes."""
        if self.steps is not None:
            return self.steps
        return 1.0 if self.tokens is None else float(math.ceil(self.tokens / self.tokens_per_step))

    @property
    def micro_batches(self) -> int:
        """Micro-batches of one copy in a step."""
        return self.global_batch // ((self.parallelism.data or 1) * self.parallelism.micro_batch)
