"""Reverse KL: right, in chunks, and exactly nothing where teacher and student agree."""

import torch

from envplatform.learning.distillation.divergence import ReverseKL, reverse_kl


def kl(student: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
    found: torch.Tensor = ReverseKL.apply(student, teacher)  # type: ignore[no-untyped-call]  # torch's own
    return found


def slope(loss: torch.Tensor, of: torch.Tensor) -> torch.Tensor:
    (found,) = torch.autograd.grad(loss, [of])
    return found


def plain(student: torch.Tensor, teacher: torch.Tensor) -> torch.Tensor:
    own, other = student.log_softmax(-1), teacher.log_softmax(-1)
    return (own.exp() * (own - other)).sum(-1)


def test_value_and_gradient_are_those_of_the_definition() -> None:
    torch.manual_seed(1)
    student = torch.randn(5, 11, dtype=torch.float64, requires_grad=True)
    teacher = torch.randn(5, 11, dtype=torch.float64)
    wanted = slope(plain(student, teacher).sum(), student)
    found = kl(student, teacher)
    assert torch.allclose(found.double(), plain(student, teacher), atol=1e-6)
    assert torch.allclose(slope(found.sum(), student), wanted, atol=1e-6)


def test_where_both_agree_loss_and_gradient_are_exactly_zero() -> None:
    torch.manual_seed(2)
    student = (torch.randn(7, 400) * 9).requires_grad_()
    loss = kl(student, student.detach().clone()).sum()
    assert loss.item() == 0.0
    assert torch.count_nonzero(slope(loss, student)) == 0


def test_a_token_that_the_teacher_rules_out_is_finite_where_the_student_does_too() -> (
    None
):
    ruled_out = torch.tensor([[0.0, 1.0, float("-inf")]])
    student = ruled_out.clone().requires_grad_()
    loss = kl(student, ruled_out).sum()
    assert loss.item() == 0.0
    assert torch.isfinite(slope(loss, student)).all()


def test_chunks_change_nothing() -> None:
    torch.manual_seed(3)
    matrix, other = torch.randn(6, 20), torch.randn(6, 20)
    teacher = torch.randn(9, 6)
    found = []
    for rows in (2, 4, 9, 100):
        hidden = torch.ones(9, 6, requires_grad=True)
        loss = reverse_kl(
            hidden, teacher, lambda h: h @ matrix, lambda h: h @ other, chunk_rows=rows
        )
        found.append((loss.item(), slope(loss, hidden)))
    for value, gradient in found[1:]:
        assert abs(value - found[0][0]) < 1e-4
        assert torch.allclose(gradient, found[0][1], atol=1e-5)


def test_of_no_position_the_loss_is_zero_and_has_a_way_back() -> None:
    hidden = torch.ones(0, 6, requires_grad=True)
    loss = reverse_kl(hidden, torch.ones(0, 6), lambda h: h, lambda h: h, chunk_rows=4)
    assert slope(loss, hidden).shape == (0, 6)
    assert loss.item() == 0.0
