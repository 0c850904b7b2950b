# Frame of every page: header, menu, footer.

skip-to-content = انتقل إلى المحتوى
reload-page = أعد تحميل الصفحة
nav-site = الموقع
nav-home = الصفحة الرئيسية
nav-agents = الوكلاء
nav-chat = المحادثات
nav-teams = الفرق
register-agent = تسجيل وكيل
nav-settings = الإعدادات
nav-administration = الإدارة
nav-about = عن هذا المحور
nav-documentation = التوثيق
nav-network = الشبكة
keyboard-shortcuts = اختصارات لوحة المفاتيح
search-agents = ابحث عن وكلاء
search-chats-and-agents = ابحث في المحادثات والوكلاء
search-button = بحث
account-menu = حساب { $name }
your-agents = وكلاؤك
sign-in = تسجيل الدخول
sign-up = إنشاء حساب
sign-out = تسجيل الخروج
appearance = المظهر
language = اللغة
change-language = تغيير اللغة
