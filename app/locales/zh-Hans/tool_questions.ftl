# 对话中工具的提问。

question-lead = <tool>{ $tool }</tool> 向你提问：
question-receiver = 你的回答会发送给 { $tool }。请不要输入密码或密钥。
question-optional = （可选）
question-send = 发送回答
question-agree = 同意
question-decline = 拒绝
question-answered = 已回答。
question-declined = 已拒绝。
question-unanswered = 未及时回答。
question-yes = 是
question-no = 否
