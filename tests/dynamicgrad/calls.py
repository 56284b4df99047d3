"""Calls as a user writes them, by subject, and what they give in a library.

`t` is the library and `F` its functions for networks, `x` a matrix and `v` a vector that require
gradients, `i` a vector of integers.
"""

import numpy as np

TEXTS = {
    "functions": """
    x[0,0].sum(0) ; x[0,0].mean(-1,keepdim=True) ; x[0,0].softmax(0) ; x[0,0].max(0)
    x[0,0].flip(0) ; x[0,0].squeeze(0) ; x[0,0].logsumexp(-1) ; x[0,0].argmax(0) ; x[0,0].prod(0)
    t.add(x,1) ; t.add(x,v,alpha=2) ; x.sub(v,alpha=0.5) ; x+v ; 1-x ; x-1 ; x*v ; 2*x ; x/v
    2/x ; x/2 ; v**2 ; v**0.5 ; 2**x ; v**v ; v**0 ; x%0.5 ; -x ; +x ; abs(x) ; x@v ; v@v
    x@x.t() ; v@x.t() ; t.matmul(x,x.T) ; t.mm(x,x.t()) ; t.mv(x,v) ; t.dot(v,v)
    t.bmm(x[None],x.t()[None]) ; x.reshape(3,2,2)@x.reshape(3,2,2) ; x.sum() ; x.sum(0)
    x.sum(()) ; x.sum(dim=[]) ; x.sum(dim=(),keepdim=True) ; t.mean(x,()) ; x.amax(()) ; x.amin(())
    (x>0).any(()) ; (x>0).all(dim=()) ; x.sum(dim=1,keepdim=True) ; x.sum((0,1)) ; t.sum(x,-1)
    x.mean() ; x.mean(0)
    x.mean(dim=(0,1),keepdim=True) ; x.prod() ; x.prod(1) ; x.prod(dim=0,keepdim=True) ; x.max()
    x.max(0) ; x.max(dim=1,keepdim=True) ; x.min(1) ; t.max(x,-x) ; t.min(x,v) ; x.amax(1)
    x.amax() ; x.amin((0,1)) ; x.amin(0,keepdim=True) ; x.argmax() ; x.argmax(1)
    x.argmin(dim=0,keepdim=True) ; x.logsumexp(0) ; x.logsumexp((0,1))
    t.logsumexp(x,1,keepdim=True) ; x.softmax(0) ; t.softmax(x,dim=1) ; x.log_softmax(1)
    (x>0).all() ; (x>0).any(0) ; (x>0).all(dim=1,keepdim=True) ; t.maximum(x,v) ; t.minimum(x,v)
    x.exp() ; v.log() ; x.sin() ; x.cos() ; x.tan() ; x.tanh() ; v.sqrt() ; x.sigmoid()
    x.relu() ; x.abs() ; x.absolute() ; x.neg() ; x.negative() ; x.sign() ; x.floor() ; x.ceil()
    x.round() ; x.square() ; v.reciprocal() ; x.erf() ; x.expm1() ; v.log1p() ; x.isnan()
    x.isfinite() ; x.clamp(-0.5,0.5) ; x.clamp(min=0) ; x.clamp(max=0) ; t.clip(x,-1,1)
    t.where(x>0,x,v) ; t.where(x>0,x,0.) ; t.where(x>0,0.,x) ; t.where(x>0,1.,0.)
    t.where(x>0,1,0) ; x.where(x>0,v) ; x.masked_fill(x>0,1.) ; t.masked_fill(x,x>0,0.)
    t.einsum('ij->ji',x) ; t.einsum('ij,j->i',x,v) ; t.einsum('ij,kj->ik',[x,x])
    t.einsum('i,j',v,v) ; t.einsum('...j->...',x) ; x.reshape(2,6) ; x.reshape((4,3))
    x.reshape(-1) ; x.view(12) ; x.view(2,-1) ; x.view((6,2)) ; x.view_as(t.ones(2,6))
    x.reshape_as(t.ones(2,6)) ; x.t().reshape(12) ; x.flatten() ; x[None].flatten(1)
    x[None].flatten(0,1) ; x.ravel() ; t.flatten(x) ; x.t() ; t.t(x) ; v.t() ; x.T ; x.mT
    x.transpose(0,1) ; t.transpose(x,1,0) ; x.swapaxes(0,1) ; x.swapdims(0,1) ; x.permute(1,0)
    x.permute((1,0)) ; t.permute(x,(1,0)) ; x[None].permute(2,0,1) ; x.moveaxis(0,1)
    x.movedim(0,1) ; x.unsqueeze(0) ; t.unsqueeze(x,-1) ; x[None].squeeze() ; x[None].squeeze(0)
    x.squeeze(0) ; x[:,:1].squeeze(1) ; x[None,:1].squeeze((0,1)) ; v.expand(3,4)
    v[None].expand(3,-1) ; v.expand(2,3,4) ; v.expand_as(x) ; t.broadcast_to(v,(3,4))
    v.broadcast_to((3,4)) ; x.split(2) ; x.split(3,dim=1) ; x.split([1,2]) ; t.split(x,[1,3],1)
    x.chunk(2) ; x.chunk(3,1) ; t.chunk(v,3) ; x.unbind() ; x.unbind(1) ; t.unbind(v)
    t.cat([x,x]) ; t.cat((x,x),1) ; t.cat([x,x],dim=-1) ; t.concat([x,v[None]]) ; t.stack([v,v])
    t.stack((v,v),dim=1) ; x.flip(0) ; t.flip(x,(0,1)) ; t.flip(x,dims=[1]) ; x[0] ; x[-1,2]
    x[:,1] ; x[1:,::2] ; x[...,0] ; x[None] ; x[:,None] ; x[[0,2]] ; x[i] ; x[i,i] ; x[:,i]
    x[i,1] ; x[i,None] ; x[x>0] ; x[t.tensor([True,False,True])] ; x[np.array([0,1])]
    x[t.tensor(1)] ; x[(0,1)] ; x[1:1] ; x[t.tensor([0,0])] ; x[i][:,1]
    x.gather(1,t.tensor([[0,1],[2,2],[3,0]])) ; t.gather(v,0,t.tensor([0,0,3]))
    x.gather(0,t.tensor([[0,1]])) ; x.index_select(0,i) ; t.index_select(x,1,t.tensor([3,3]))
    x.select(1,2) ; t.narrow(x,1,1,2) ; t.take_along_dim(x,t.tensor([[0],[1],[2]]),1) ; x.clone()
    t.clone(x) ; x.detach() ; x.double() ; x.half() ; x.float() ; x.int() ; x.to(t.float64)
    x.to(t.tensor(1.).double()) ; x.type_as(t.ones(1,dtype=t.float64)) ; x.contiguous()
    x.t().contiguous() ; x.clone().zero_() ; x.clone().fill_(2.) ; x.clone().add_(v)
    x.clone().add_(v,alpha=2) ; x.clone().sub_(1) ; x.clone().mul_(v) ; x.clone().div_(v)
    v.clone().pow_(2) ; x.clone().exp_() ; x.clone().sin_() ; x.clone().tanh_()
    x.clone().sigmoid_() ; x.clone().relu_() ; x.clone().neg_() ; x.clone().abs_()
    v.clone().sqrt_() ; v.clone().log_() ; v.clone().reciprocal_() ; x.clone().square_()
    x.clone().clamp_(-0.5,0.5) ; x.clone().clamp_(min=0) ; x.clone().copy_(v)
    x.clone().masked_fill_(x>0,3.) ; x.clone().floor_() ; x.clone().round_()
    t.zeros(3,4).copy_(x) ; t.zeros(3,4).add_(x).mul_(v) ; F.relu(x) ; F.sigmoid(x) ; F.tanh(x)
    F.silu(x) ; F.softplus(x) ; F.gelu(x) ; F.gelu(x,approximate='tanh') ; F.softmax(x,dim=0)
    F.log_softmax(x,dim=1) ; F.linear(x,x) ; F.linear(x,x,x[:,0]) ; F.linear(v,x)
    F.mse_loss(x,x*2) ; F.mse_loss(x,x*2,reduction='sum') ; F.mse_loss(x,x*2,reduction='none')
    F.l1_loss(x,x*2) ; F.binary_cross_entropy_with_logits(x,t.full((3,4),0.25,dtype=x.dtype))
    F.binary_cross_entropy_with_logits(x,t.full((3,4),0.25,dtype=x.dtype),reduction='none')
    F.cross_entropy(x,i)
    F.cross_entropy(x,i,reduction='sum') ; F.cross_entropy(x,i,reduction='none')
    F.cross_entropy(x,t.softmax(x.detach(),1)) ; F.cross_entropy(v,t.tensor(2)) ; F.pad(x,(1,2))
    F.pad(x,(1,1,2,0),value=3.) ; F.pad(x,(1,0),'constant',2.) ; F.one_hot(i) ; F.one_hot(i,4)
    t.zeros_like(x) ; x.new_ones(2,2) ; x==x ; x!=v ; x<v ; x.ge(0) ; t.eq(x,0)
    t.logical_and(x>0,x<1) ; t.logical_not(x>0) ; (x>0)&(x<1) ; (x>0)|(x<1) ; (x>0)^(x<1)
    ~(x>0) ; i&1 ; i//2 ; i%2 ; i-1 ; -i ; i.sum() ; i.prod() ; i.max() ; x.numel()*x
    x.mean(-1).unsqueeze(-1)*x ; x[0]*x[1] ; x.abs()**1.5+2**x ; x[:,0]@x
    (t.relu(x)**2).sum().sqrt() ; x.erf()+x.expm1()+x.tan()*x.cos()
    x.floor()*x+x.sign()+x.round() ; t.remainder(x,0.3) ; x.mean(1,keepdim=True)-x
    t.softmax(x,1).log() ; x[1,::2]*x[-1,1] ; x.split(2,dim=1)[1]*x.split([1,3],dim=1)[0]
    t.max(x,dim=1).values ; x.min(1,keepdim=True)[0] ; x[0].sum()+x.max()
    t.asin(x/3) ; x.tanh().arccos() ; x.atan() ; x.sinh() ; x.cosh() ; x.asinh() ; (v+1).acosh()
    (x/3).arctanh() ; t.atan2(x,v) ; x.arctan2(v) ; t.hypot(x,v) ; x.copysign(-v) ; t.copysign(x,x)
    t.fmod(x,0.3) ; x.fmod(v) ; x.trunc() ; x.fix() ; t.sinc(x) ; v.log2() ; v.log10() ; x.exp2()
    t.logaddexp(x,v) ; x.logaddexp2(v) ; t.fmax(x,v) ; x.fmin(v) ; t.fmax(x,x) ; t.float_power(v,2)
    v.float_power(x) ; t.deg2rad(x) ; x.rad2deg() ; x.isinf() ; x.signbit() ; x.nan_to_num()
    t.nan_to_num(x,posinf=2.) ; t.logical_xor(x>0,x<1) ; t.positive(x) ; i<<1 ; i>>i
    2<<i ; t.bitwise_left_shift(i,i) ; i.bitwise_right_shift(1) ; t.nextafter(x.detach(),v.detach())
    t.heaviside(x.detach(),v.detach()) ; t.bitwise_not(i) ; i.round() ; i.floor() ; i.trunc()
    x.clone().atan2_(v) ; x.clone().copysign_(-v) ; x.clone().hypot_(v) ; x.clone().fmod_(0.3)
    x.clone().sinh_() ; i.clone().bitwise_left_shift_(2)
    x.var() ; x.var(0) ; x.var(1,keepdim=True) ; t.var(x,(0,1)) ; t.var(x,dim=0,correction=0)
    x.var(False) ; x.var(0,False) ; x.var(dim=1,unbiased=False) ; t.var(x,0,correction=0.5)
    x.std() ; t.std(x,1) ; x.std(dim=[0,1],keepdim=True) ; x.std(1,False,True) ; t.std(v*0+x)
    t.var_mean(x) ; t.var_mean(x,0) ; t.std_mean(x,1,keepdim=True) ; t.std_mean(x,correction=0)
    x.cumsum(0) ; t.cumsum(x,dim=-1) ; x.cumsum(1,dtype=t.float64) ; x.cumprod(0)
    x.logcumsumexp(1) ; t.cumprod(x*t.tensor([0.,1,1,0]),1) ; t.cumprod(i,0) ; i.cumsum(0)
    (x>0).cumsum(0)
    t.logcumsumexp(x*3,0) ; x.cummax(1) ; t.cummin(x,dim=0) ; t.cummax(i,0) ; x[0,0].cumsum(0)
    x.norm() ; x.norm(2) ; x.norm(dim=1) ; x.norm(1,0) ; t.norm(x,3,dim=1,keepdim=True)
    t.norm(x,float('inf')) ; x.norm(float('-inf'),1) ; x.norm(0.5)
    t.norm(x,dim=(0,1))
    t.norm(x,p='fro') ; t.norm(x,2,1,dtype=t.float64) ; x.norm(1) ; x.norm(3)
    t.count_nonzero(x) ; i.count_nonzero() ; t.count_nonzero(x>0,dim=1) ; t.count_nonzero(i,0)
    t.aminmax(x) ; t.aminmax(x,dim=1,keepdim=True) ; x.nansum() ; t.nansum(x,1) ; x.nanmean(0,True)
    t.diff(x) ; x.diff(dim=0) ; t.diff(x,2) ; t.diff(x,prepend=x[:,:1],append=x) ; t.diff(i)
    t.trapezoid(x) ; t.trapezoid(x,dx=0.5,dim=0) ; t.trapz(x,v) ; t.cov(x) ; x.corrcoef()
    t.cov(x,correction=0) ; t.cov(x,fweights=t.tensor([1,2,1,3])) ; t.sum(x,0,dtype=t.float64)
    x.mean(dtype=t.float64) ; x.prod(dtype=t.float64) ; t.softmax(x,1,dtype=t.float64)
    i.sum(dtype=t.float32) ; i.mean(dtype=t.float32)
    t.lerp(x,v,0.25) ; x.lerp(v,x) ; t.addcmul(x,v,x,value=2) ; x.addcdiv(x,v) ; v.rsqrt()
    t.frac(x) ; t.ldexp(x,i[0]) ; x.ldexp(v) ; t.dist(x,v) ; x.dist(v,1) ; t.isclose(x,v)
    x.isreal() ; t.isposinf(x) ; x.isneginf() ; t.bincount(i) ; t.bincount(i,minlength=5)
    t.div(x,v,rounding_mode='floor') ; x.div(0.3,rounding_mode='trunc')
    t.div(-i,2,rounding_mode='trunc') ; t.div(-i,2,rounding_mode='floor') ; t.round(x,decimals=1)
    x.clone().lerp_(v,0.5) ; x.clone().addcmul_(v,x) ; x.clone().addcdiv_(x,v,value=0.1)
    x.median() ; x.median(0) ; t.median(x,dim=1,keepdim=True) ; t.median(i) ; x[0,0].median(0)
    t.median(x*0+1) ; x.nanmedian() ; t.nanmedian(x,1) ; x.quantile(0.3) ; t.quantile(x,0.5,dim=1)
    x.quantile(t.tensor([0.25,0.5,1.],dtype=x.dtype),0,True)
    x.nanquantile(0.4,1) ; t.nanquantile(x,0.6)
    t.quantile(x,0.4,interpolation='lower') ; t.quantile(x,0.4,1,interpolation='higher')
    t.quantile(x,0.4,0,interpolation='midpoint') ; x.quantile(0.4,interpolation='nearest')
""",
    "arranging": """
    t.roll(x,1) ; x.roll((1,-2),(0,1)) ; t.roll(x,5,1) ; t.roll(x,shifts=(3,),dims=(0,)) ; v.roll(2)
    t.tile(x,(2,)) ; x.tile(2,1,3) ; v.tile((2,2)) ; x.repeat(2,3) ; v.repeat(2,1,2)
    x.repeat_interleave(2) ; t.repeat_interleave(x,2,dim=1) ; t.repeat_interleave(v,i.repeat(2)[:4])
    x.repeat_interleave(i,0) ; t.repeat_interleave(i) ; t.rot90(x) ; x.rot90(2,[0,1])
    t.rot90(x,-1,(1,0)) ; t.rot90(x,4) ; t.fliplr(x) ; x.flipud() ; x.diagonal() ; x.diagonal(1)
    t.diagonal(x,-2,1,0) ; x.expand(2,3,4).diagonal(dim1=-1,dim2=0) ; t.diag(v) ; t.diag(v,-1)
    x.diag() ; x.diag(2) ; t.diag_embed(x) ; t.diag_embed(x,1,0,2) ; t.diagflat(x,1)
    x.diagonal_scatter(v[:3]) ; t.diagonal_scatter(x,v[:2],2) ; x.tril() ; t.tril(x,1) ; x.triu(-1)
    x.expand(2,3,4).triu(2) ; t.tril_indices(3,4) ; t.triu_indices(3,4,1) ; v.unfold(0,2,1)
    x.unfold(1,3,1) ; x.unfold(-2,2,2) ; x.unflatten(1,(2,-1)) ; t.unflatten(x,-1,(1,4))
    t.tensor_split(x,3,1) ; x.tensor_split((1,3),dim=1) ; t.hsplit(x,2) ; x.vsplit([1])
    v.hsplit(2) ; x.expand(2,3,4).dsplit(2) ; t.hstack([x,x]) ; t.hstack((v,v)) ; t.vstack([x,v])
    t.dstack([x,x]) ; t.row_stack([v,v]) ; t.column_stack([v[:3],x])
    t.atleast_1d(v[0]) ; t.atleast_2d(v) ; t.atleast_3d(v) ; t.atleast_3d(x)
    t.atleast_2d(v,x) ; t.broadcast_tensors(x,v[None],v[0])
    t.meshgrid(v,v[:2],indexing='ij') ; t.meshgrid(v,v[:2],v,indexing='xy') ; t.cartesian_prod(v,v)
    t.cartesian_prod(v) ; t.block_diag(x,v,v[0]) ; t.adjoint(x) ; x.adjoint() ; x.ravel()
    t.movedim(x,(0,1),(1,0)) ; x.movedim(0,-1) ; F.pad(x,(1,-1))
    F.pad(x[None],(2,1),mode='reflect') ; F.pad(x[None],(3,1),'replicate') ; x.unbind(1)
    F.pad(x[None],(1,2),'circular') ; (x*1).tril_() ; x.detach().clone().triu_(1)
    (x*1).fill_diagonal_(7.)
""",
    "scattering": """
    x.scatter(1,t.tensor([[0,2],[3,1]]),x[1:,:2]*2)
    t.scatter(x,0,t.tensor([[0,2,1,1]]),x[:1].exp()) ; x.scatter(1,i[:,None],7.)
    x.scatter(-1,i[:,None],value=7.) ; v.scatter(0,i,v[1:]*v[:3])
    x.detach().scatter(1,t.tensor([[0,0],[3,1]]),x.detach(),reduce='add')
    x.detach().scatter(1,t.tensor([[0,0],[3,1]]),x.detach(),reduce='multiply')
    x.scatter_add(1,t.tensor([[0,0],[3,1]]),x[:2,2:]**2)
    t.scatter_add(v,0,t.tensor([1,1,1,0,3]),v[[0,1,2,3,0]])
    x.detach().scatter_add(0,i[None],x.detach()) ; v.scatter_reduce(0,i,v[:3]*3,'sum')
    v.scatter_reduce(0,t.tensor([0,0,1,1]),v*3,'prod')
    v.scatter_reduce(0,t.tensor([0,0,1,1]),v*3,'prod',include_self=False)
    v.scatter_reduce(0,t.tensor([0,0,1,1]),v*3,'mean')
    v.scatter_reduce(0,t.tensor([0,0,1,1]),v*3,'mean',include_self=False)
    v.scatter_reduce(0,t.tensor([0,0,3,3]),v.flip(0),'amax') ; i.scatter_reduce(0,i,i,'mean')
    v.scatter_reduce(0,t.tensor([0,0,3,3]),v.flip(0),'amax',include_self=False)
    v.scatter_reduce(0,t.tensor([0,0,3,3]),v.flip(0),'amin')
    i.scatter_reduce(0,i,i,'amin',include_self=False) ; x.index_add(0,i,x.flip(0))
    t.index_add(x,1,t.tensor([1,1]),x[:,:2],alpha=2) ; x.index_copy(0,i,x.flip(0)*2)
    x.index_fill(1,i,2.) ; t.index_fill(x,0,i[:1],v[0]) ; x.index_reduce(0,i[:2],x[:2],'prod')
    x.index_reduce(1,i,x[:,:3]*2,'amax',include_self=False) ; x.index_put((i,i),v[:3])
    x.index_put((i,i[:1]),v[0],accumulate=True) ; x.index_put((x>0,),v[0])
    x.take(t.tensor([[0,11],[5,-1]])) ; t.take(v,i) ; x.put(i,v[:3])
    x.put(i,v[:3],accumulate=True) ; x.masked_select(x>0) ; t.masked_select(v,x>0)
    x.masked_scatter(x>0,x.exp()) ; v.masked_scatter(v>1,v*v) ; x.select_scatter(v,0,1)
    x.select_scatter(v[:3],1,-1) ; x.slice_scatter(x[:2],0,1) ; x.slice_scatter(x[:,:2],1,0,4,2)
    x.gather(1,t.tensor([[0,0]])) ; (x*1).scatter_(1,i[:,None],7.)
    (x*1).scatter_add_(0,i[None],v[None,:3]) ; (x*1).index_add_(0,i,x)
    (x*1).index_copy_(0,i,x.exp()) ; (x*1).index_fill_(1,i,0.) ; (x*1).masked_scatter_(x>0,x*x)
    (x*1).index_put_((i,),v) ; x.clone().put_(i,v[:3],True)
    (v*1).scatter_reduce_(0,i,v[1:]*3,'amax') ; x.detach().scatter_(1,i[:,None],7.)
    x.detach().clone().index_add_(1,i,x.detach()[:,:3])
""",
    "sorting": """
    t.sort(x) ; x.sort(0) ; x.sort(dim=1,descending=True) ; t.sort(x,stable=True) ; v[0].sort()
    x.argsort() ; t.argsort(x,0,True) ; x.msort() ; t.topk(x,2) ; x.topk(2,0)
    x.topk(1,0,largest=False) ; v.topk(4) ; x.topk(0) ; t.kthvalue(x,3)
    x.kthvalue(1,0,keepdim=True) ; t.mode(i) ; v[0].mode()
    t.mode(t.tensor([[3,1,3,1,2]]),1,True) ; t.searchsorted(v,x) ; t.searchsorted(v,x,right=True)
    t.searchsorted(x.sort().values,x,side='right') ; t.searchsorted(v,t.tensor(1.,dtype=v.dtype))
    t.searchsorted(x,x,sorter=x.argsort()) ; t.bucketize(x,v) ; t.bucketize(x,v,right=True)
    t.bucketize(x,v,out_int32=True) ; t.nonzero(x>0) ; i.nonzero() ; t.nonzero(x>0,as_tuple=True)
    x.argwhere() ; t.where(x>0) ; t.count_nonzero(x>0) ; t.count_nonzero(x>0,dim=1)
    t.isin(i,t.tensor([0,1])) ; t.isin(i,t.tensor([0,1]),invert=True) ; t.isin(i,1)
    t.unique(i) ; i.repeat(2).unique(return_inverse=True,return_counts=True)
    t.unique_consecutive(t.tensor([1,1,2,1])) ; t.nonzero(v[0],as_tuple=True)
    t.unique_consecutive(t.tensor([[1,1],[2,2]]),return_inverse=True,return_counts=True)
""",
}
CALLS = {
    subject: [call.strip() for call in text.replace("\n", " ; ").split(" ; ") if call.strip()]
    for subject, text in TEXTS.items()
}


def operands(library, dtype=np.float32):
    """What a call is about, by name."""
    x = np.random.default_rng(0).normal(size=(3, 4)).astype(dtype)
    return {
        "t": library, "F": library.nn.functional, "np": np, "i": library.tensor([0, 2, 1]),
        "x": library.tensor(x, requires_grad=True),
        "v": library.tensor(np.array([0.5, 1.5, 2.5, 3.5], dtype), requires_grad=True),
    }  # fmt: skip


def results(call, scope):
    """What a call gives, as a list of tensors."""
    found = eval(call, scope)
    return list(found) if isinstance(found, tuple | list) else [found]


def outcome(library, call):
    """The values that a call gives, and the gradients of a weighted sum of them."""
    scope = operands(library)
    found = results(call, scope)
    weighted = [(y * (k + 1)).sum() for k, y in enumerate(found) if y.requires_grad]
    if weighted:
        sum(weighted[1:], weighted[0]).backward()
    grads = [scope[name].grad for name in "xv"]
    return [None if y is None else y.detach().numpy() for y in (*found, *grads)]


def second(library, call):
    """The gradient of a weighted sum of a call's gradient in x, with the call taken in float64."""
    scope = operands(library, np.float64)
    x = scope["x"]
    sums = [(y * y).sum() for y in results(call, scope) if y.requires_grad]
    if not sums:
        return np.zeros((3, 4))
    (g,) = library.autograd.grad(sums[0], x, create_graph=True, allow_unused=True)
    if g is None or not g.requires_grad:
        return np.zeros((3, 4))
    weights = library.tensor(np.random.default_rng(1).normal(size=(3, 4)))
    (h,) = library.autograd.grad((g * weights).sum(), x, allow_unused=True)
    return np.zeros((3, 4)) if h is None else h.numpy()
