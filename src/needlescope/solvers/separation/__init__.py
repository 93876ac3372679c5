"""Whether two classes can be separated by a hyperplane, with a certificate."""
