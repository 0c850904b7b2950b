# أسئلة الأدوات في المحادثة.

question-lead = <tool>⁦{ $tool }⁩</tool> تسألك:
question-receiver = ستُرسل إجابتك إلى ⁦{ $tool }⁩. لا تُدخل كلمات مرور أو مفاتيح.
question-optional = (اختياري)
question-send = إرسال الإجابة
question-agree = موافقة
question-decline = رفض
question-answered = تمت الإجابة.
question-declined = رُفض.
question-unanswered = لم تتم الإجابة في الوقت المحدد.
question-yes = نعم
question-no = لا
