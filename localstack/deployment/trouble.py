"""What a person has to hear, and to do."""


class Trouble(Exception):
    """Ends the deployment; its text is a sentence that says what to do next."""
