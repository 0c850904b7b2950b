# Questions of tools in a chat.

question-lead = <tool>{ $tool }</tool> asks you:
question-receiver = Your answer goes to { $tool }. Do not enter passwords or keys.
question-optional = (optional)
question-send = Send answer
question-agree = Agree
question-decline = Decline
question-answered = Answered.
question-declined = Declined.
question-unanswered = Not answered in time.
question-yes = Yes
question-no = No
