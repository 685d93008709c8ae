"""A bank account that must never be overdrawn."""


class Account:
    """Money in whole cents."""

    def __init__(self, balance: int = 0, credit: int = 0) -> None:
        if balance < 0 or credit < 0:
            raise ValueError("an account starts with no debts")
        self.balance = balance
        self.credit = credit

    def repok(self) -> bool:
        return self.balance >= -self.credit

    def deposit(self, amount: int) -> None:
        """
        :ensure: new(self.balance) == old(self.balance) + amount
        """
        if amount < 0:
            raise ValueError("cannot deposit less than nothing")
        self.balance += amount

    def withdraw(self, amount: int) -> None:
        """
        :ensure: new(self.balance) <= old(self.balance)
        """
        if amount > self.balance + self.credit:
            raise ValueError("not enough money")
        self.balance -= amount

    def lower_credit(self, credit: int) -> None:
        """The bank trusts the owner less than it did."""
        if not 0 <= credit <= self.credit:
            raise ValueError("this would be more credit, not less")
        self.credit = credit

    def transfer(self, other: "Account", amount: int) -> None:
        self.withdraw(amount)
        other.deposit(amount)
