# Fragen von Werkzeugen im Chat.

question-lead = <tool>{ $tool }</tool> fragt Sie:
question-receiver = Ihre Antwort geht an { $tool }. Geben Sie keine Passwörter oder Schlüssel ein.
question-optional = (optional)
question-send = Antwort senden
question-agree = Zustimmen
question-decline = Ablehnen
question-answered = Beantwortet.
question-declined = Abgelehnt.
question-unanswered = Nicht rechtzeitig beantwortet.
question-yes = Ja
question-no = Nein
