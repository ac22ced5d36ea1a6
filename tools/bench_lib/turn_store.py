"""What an interrupted run has measured already, so that the next one goes on from there."""
import json


class TurnStore:
    """A file of lines: first what the run is of, then a turn each. One that is of another run is begun anew."""

    def __init__(self, file, identity):
        self.file, self.turns = file, {}
        kept = [json.dumps(identity)]
        try:
            lines = file.read_text(encoding="utf-8").splitlines()
            if lines and json.loads(lines[0]) == identity:
                for line in lines[1:]:
                    turn = json.loads(line)
                    self.turns[self.name(turn["key"])] = (turn["document"], turn["seconds"])
                    kept.append(line)
        except (OSError, ValueError):
            pass  # there is none, or its last line was not written to the end
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n".join(kept) + "\n", encoding="utf-8")

    @staticmethod
    def name(key):
        return json.dumps(key)

    def recall(self, key):
        """(document, seconds), or (None, None)"""
        return self.turns.get(self.name(key), (None, None))

    def keep(self, key, document, seconds):
        self.turns[self.name(key)] = (document, seconds)
        with open(self.file, "a", encoding="utf-8") as lines:
            lines.write(json.dumps({"key": key, "document": document, "seconds": seconds}) + "\n")

    def forget(self):
        self.turns.clear()
        self.file.unlink(missing_ok=True)
