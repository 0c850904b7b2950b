# Settings pages.

settings-account = 账号
settings-sessions = 会话
settings-tokens = 令牌
settings-chats = 对话
settings-usage = 用量
appearance-lead = 保存在此浏览器中，因此你的每台设备可以不同。
language-automatic = 跟随浏览器
theme = 主题
theme-system = 跟随设备
theme-light = 浅色
theme-dark = 深色
density = 密度
density-comfortable = 宽松
density-comfortable-meaning = 元素之间留出更多空间。
density-compact = 紧凑
density-compact-meaning = 一屏显示更多内容。
single-keys = 单键快捷键
single-keys-on = 开启
single-keys-on-meaning = 在文本框之外，n 或 ? 等按键会起作用。
single-keys-off = 关闭
single-keys-off-meaning = 适用于语音输入，也可避免误按。
