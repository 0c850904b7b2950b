# Settings pages.

settings-account = الحساب
settings-sessions = الجلسات
settings-tokens = الرموز
settings-chats = المحادثات
settings-usage = الاستخدام
appearance-lead = تُحفظ في هذا المتصفح، لذا يمكن أن يختلف كل جهاز من أجهزتك.
language-automatic = مثل المتصفح
theme = السمة
theme-system = مثل الجهاز
theme-light = فاتحة
theme-dark = داكنة
density = الكثافة
density-comfortable = مريحة
density-comfortable-meaning = مساحة أكبر بين العناصر.
density-compact = مضغوطة
density-compact-meaning = محتوى أكثر في الشاشة الواحدة.
single-keys = اختصارات المفتاح الواحد
single-keys-on = مفعّلة
single-keys-on-meaning = يعمل مفتاح مثل n أو ? خارج حقول النص.
single-keys-off = معطّلة
single-keys-off-meaning = للإدخال الصوتي، ولتجنب ضغط المفاتيح عن غير قصد.
