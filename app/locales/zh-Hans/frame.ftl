# Frame of every page: header, menu, footer.

skip-to-content = 跳到主要内容
reload-page = 重新加载页面
nav-site = 网站
nav-home = 首页
nav-agents = 智能体
nav-chat = 对话
nav-teams = 团队
register-agent = 登记智能体
nav-settings = 设置
nav-administration = 管理
nav-about = 关于此 Hub
nav-documentation = 文档
nav-network = 网络
keyboard-shortcuts = 键盘快捷键
search-agents = 搜索智能体
search-chats-and-agents = 搜索对话和智能体
search-button = 搜索
account-menu = { $name } 的账号
your-agents = 你的智能体
sign-in = 登录
sign-up = 注册
sign-out = 退出登录
appearance = 外观
language = 语言
change-language = 切换语言
