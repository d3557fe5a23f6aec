"""How long a step of training takes, from its floating-point operations and a utilisation."""

from __future__ import annotations

from tco.operations import V


def block_parameters(hidden: V, kv_width: V, inner: V, matrices: V, experts: V) -> V:
    """Parameters of one block of a transformer: attention, feed-forward networks, two layer norms, all biases.

    Parameters
    ----------
    hidden
        Width of the model. [1]
    kv_width
        Width of keys, and of values: the hidden width, or less where heads share them. [1]
    inner
        Inner width of a feed-forward network. [1]
    matrices
        Matrices of a feed-forward network: 2, or 3 with a gate. [1]
    experts
        Feed-forward networks that are counted: 1, all experts, or those that a token passes. [1]

    Notes
    -----
    Of GPT (inner 4 h, 2 matrices) it is 12 h^2 + 13 h. The router of experts, h for each, is left out.

    References
    ----------
    Narayanan et al. 2021, "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM",
    arXiv 2104.04473, section 5.1, equation 2.
    """
    attention = (hidden * hidden + hidden * kv_width + hidden + kv_width) * 2
    network = matrices * hidden * inner + (matrices - 1) * inner + hidden
    norms = hidden * 2 * 2
    return attention + network * experts + norms


def model_parameters(layers: V, per_block: V, hidden: V, vocabulary: V, positions: V) -> V:
    """Parameters of a transformer: its blocks, and the embeddings of tokens and positions.

    Parameters
    ----------
    layers
        Blocks. [1]
    per_block
        Parameters of one. [1]
    hidden
        Width of the model. [1]
    vocabulary
        Tokens that have an embedding; the output layer shares it. [1]
    positions
        Positions that have an embedding, 0 where they are computed. [1]

    References
    ----------
    Narayanan et al. 2021, arXiv 2104.04473, section 5.1, equation 2.
    """
    return layers * per_block + (vocabulary + positions) * hidden


def training_operations(parameters: V, tokens: V, per_parameter: V) -> V:
    """Floating-point operations of training on some tokens: 6 N D, or 8 N D where activations are computed again.

    Parameters
    ----------
    parameters
        Parameters that a token passes. [1]
    tokens
        Tokens. [tokens]
    per_parameter
        Operations for each parameter and token. [operations/token]

    References
    ----------
    Kaplan et al. 2020, "Scaling Laws for Neural Language Models", arXiv 2001.08361, section 2.1.
    """
    return parameters * tokens * per_parameter


def step_time(operations: V, devices: V, peak: V, utilisation: V) -> V:
    """Time of a step whose devices reach a share of their peak.

    Parameters
    ----------
    operations
        Of the whole step. [operations]
    devices
        Devices that share it. [1]
    peak
        Dense peak of one device in the precision that is used. [operations/time]
    utilisation
        Share of the peak that counts the same operations: MFU of model operations, HFU of executed ones. [1]

    References
    ----------
    Chowdhery et al. 2022, "PaLM: Scaling Language Modeling with Pathways", arXiv 2204.02311, appendix B.
    """
    return operations / (devices * peak * utilisation)


def achieved_utilisation(operations: V, devices: V, peak: V, time: V) -> V:
    """Share of the peak that a step reached: the inverse of `step_time`.

    Parameters
    ----------
    operations
        Of the whole step. [operations]
    devices
        Devices that share it. [1]
    peak
        Dense peak of one device in the precision that is used. [operations/time]
    time
        Of the step. [time]
    """
    return operations / (devices * peak * time)


def predicted_duration(step_time: V, steps: V, ratio: V) -> V:
    """Run time from a predicted step, with the error of the prediction.

    Parameters
    ----------
    step_time
        Predicted time of one step. [time]
    steps
        Steps of the run. [1]
    ratio
        Measured over predicted time: 1 where the prediction is taken as it is. [1]
    """
    return step_time * steps * ratio
