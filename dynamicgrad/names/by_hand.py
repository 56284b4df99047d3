"""Which op a function applies that is written by hand, for the table of ops: names by op."""

SPELLED = {
    "add_along_axis": "scatter_add",
    "add_at": "index_add index_put",
    "astype": "Tensor.to Tensor.type_as",
    "clamp": "clamp clip",
    "concatenate": "cat concat",
    "conv": "nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d",
    "conv_operand": (
        "nn.functional.conv_transpose1d nn.functional.conv_transpose2d "
        "nn.functional.conv_transpose3d"
    ),
    "copy": "clone",
    "expand_to": "Tensor.expand",
    "extend": "nn.functional.pad",
    "getitem": "Tensor.__getitem__ index_select gather",
    "max_pool": "nn.functional.max_pool1d nn.functional.max_pool2d nn.functional.max_pool3d",
    "maximum_at": "index_reduce scatter_reduce",
    "minimum_at": "index_reduce scatter_reduce",
    "order_statistics": "median quantile",
    "product_at": "index_reduce scatter_reduce",
    "random_bernoulli": "random.bernoulli",
    "random_integers": "random.randint",
    "random_permutation": "random.permutation",
    "random_uniform": "random.uniform",
    "repeat": "repeat_interleave",
    "set_at": "index_copy index_fill index_put scatter",
    "slice": "Tensor.__getitem__ narrow select",
    "sparse_cross_entropy": "nn.functional.cross_entropy",
    "stop_gradient": "detach",
    "sum_pool": "nn.functional.avg_pool1d nn.functional.avg_pool2d nn.functional.avg_pool3d",
    "transpose": "moveaxis permute swapaxes t transpose",
    "where": "masked_fill",
    "windows": "Tensor.unfold",
}
