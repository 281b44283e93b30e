"""Human realism: bugs of ours beside real ones, told apart by people who know nothing."""
