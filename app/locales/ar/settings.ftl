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
shortcuts-anywhere = في كل صفحة
shortcuts-chat = في المحادثة
shortcuts-single = مفاتيح مفردة
shortcuts-single-on = تعمل خارج حقول النص. يمكنك إيقافها من <link>المظهر</link>.
shortcuts-single-off = هي متوقفة. يمكنك تفعيلها من <link>المظهر</link>.
shortcut-search = البحث في المحادثات والوكلاء (‎⌘ K على Mac)
shortcut-send = إرسال الرسالة (Ctrl Enter على شاشات اللمس)
shortcut-line = بدء سطر جديد
shortcut-stop = إيقاف الإجابة أو إلغاء التعديل
shortcut-agent = اختيار وكيل في بداية الرسالة
shortcut-region = الانتقال إلى الرسائل أو حقل الرسالة أو قائمة المحادثات، ومع Shift بالعكس
shortcut-copy-code = نسخ آخر كتلة شيفرة
shortcut-list = عرض هذه القائمة
shortcut-new = بدء محادثة جديدة
shortcut-write = الانتقال إلى حقل الرسالة أو إلى البحث
shortcut-next = الانتقال إلى الرسالة التالية
shortcut-previous = الانتقال إلى الرسالة السابقة
account-you = أنت <name>@{ $name }</name>، معنا منذ <date></date>.
account-usage-lead = استخدامك وحصصك في هذا المحور. حذف البيانات يحرّر حصتها فورًا.
account-delete = حذف الحساب
account-delete-lead = يُخفى وكلاؤك وتنتهي جلساتك فورًا. سجّل الدخول خلال 30 يومًا لاستعادة الحساب. بعد ذلك يُحذف نهائيًا ما يلي: { $agents } و{ $chats }. تبقى رسائلك إلى المستخدمين الآخرين من دون اسمك، ولا يمكن استخدام اسمك مرة أخرى.
count-chats = { $count ->
        [zero] لا محادثات
        [one] محادثة واحدة
        [two] محادثتان
        [few] { $count } محادثات
        [many] { $count } محادثة
       *[other] { $count } محادثة
    }
email-lead = به يمكنك تسجيل الدخول وتعيين كلمة مرور جديدة، ويصلك إشعار عند تغيير كلمة المرور.
email-confirmed = مؤكّد: <email>{ $email }</email>
email-none = لا يوجد بريد إلكتروني.
email-new = بريد إلكتروني جديد
email-hint = ستتلقى رابطًا لتأكيد البريد، صالحًا لمدة 24 ساعة.
email-send = إرسال رابط التأكيد
email-remove = إزالة البريد الإلكتروني
password-current = كلمة المرور الحالية
password-lead = كلمة المرور الجديدة تُنهي كل الجلسات الأخرى.
password-change = تغيير كلمة المرور
approvals = الموافقة على الأدوات
approvals-always = يطلب الوكلاء موافقتك في المحادثة قبل كل استدعاء لأداة.
approvals-sometimes = يُعرض كل استدعاء لأداة في المحادثة. لا يطلب الوكلاء الموافقة إلا إذا اشترطها مالكهم.
approvals-set-sometimes = السؤال فقط إذا اشترطه المالك
approvals-set-always = طلب الموافقة دائمًا
account-type-name = اكتب { $name } للتأكيد
quota-bytes = المحادثات والملفات
quota-chats = المحادثات، بما فيها ما يجري عبر واجهات API
quota-agents = الوكلاء
quota-versions = إصدارات الوكلاء
quota-teams = الفرق العاملة
quota-stars = النجوم
quota-drafts = تسجيلات غير مكتملة
quota-tokens = رموز API
quota-webhooks = خطافات الويب
quota-used = { $used } من { $limit }
sessions-lead = المتصفحات المسجّل دخولها إلى حسابك.
sessions-caption = الجلسات، الأحدث استخدامًا أولًا
sessions-browser = المتصفح
sessions-address = العنوان
sessions-signed-in = وقت الدخول
last-used = آخر استخدام
sessions-end-others = تسجيل الخروج من كل الأجهزة الأخرى
sessions-this = هذه الجلسة
sessions-end = تسجيل الخروج
session-browser = { $browser } على { $system }
session-unknown = برنامج غير معروف
tokens-lead = تستخدم البرامج الرمز للتصرف نيابةً عنك ضمن صلاحياته.
tokens-new = رمز جديد
tokens-example = التقرير الليلي
tokens-create = إنشاء الرمز
tokens-copy-now = <strong>انسخ الرمز الآن.</strong> يخزّن المحور بصمته فقط، ولا يمكن عرض الرمز مرة أخرى.
tokens-about = الرمز
tokens-none = لا توجد رموز
tokens-none-why = لم تُنشئ أي رموز بعد.
tokens-caption = الرموز، الأحدث أولًا
scopes = الصلاحيات
token-expires = تنتهي الصلاحية
token-never = أبدًا
applications = التطبيقات المصرّح لها
applications-caption = التطبيقات المصرّح لها، الأحدث أولًا
applications-resource = المورد
access-revoke = إلغاء
access-revoke-title = هل تريد إلغاء { $name }؟
access-revoke-meaning = تفقد البرامج التي تستخدمه الوصول فورًا. لا يمكن التراجع عن ذلك.
access-revoke-permanently = إلغاء نهائي
tokens-days-30 = 30 يومًا
tokens-days-90 = 90 يومًا
tokens-days-365 = سنة واحدة
tokens-lifetime = تنتهي الصلاحية بعد
scope-read = قراءة محادثاتك ووكلائك
scope-chat = إرسال رسائل إلى الوكلاء وإدارة محادثاتك
scope-agents = تسجيل وكلائك وتعديلهم، وتمييز الوكلاء بنجوم
scope-team = بدء الفرق
scope-admin = استخدام صلاحيات دورك
share-links-none = لا توجد روابط مشاركة
share-links-none-next = شارك محادثة من قائمتها، وستُدرج روابطها هنا.
share-links = روابط المشاركة
share-links-lead = يمكن لكل من لديه أحد هذه الروابط قراءة المحادثة حتى الرسالة التي أُنشئ عندها.
chat-export = التصدير
chat-export-lead = ملف واحد يضم كل محادثاتك وكل رسالة في كل فرع، محادثة واحدة في كل سطر بصيغة JSON. تُذكر أسماء الملفات ولا تُضمَّن.
chat-export-all = تصدير كل المحادثات
chat-import = الاستيراد
chat-import-lead = محادثات صدّرها ChatGPT أو Claude أو DeepSeek أو Open WebUI أو LibreChat أو محور Plexus آخر، بكل فروعها.
chat-import-file = الملف المصدَّر
chat-import-hint = ملف JSON، أو أرشيف ZIP الذي حصلت عليه، بحد أقصى 64 MiB. تُستورد أيضًا الصور والملفات الموجودة في الأرشيف، ولا تُضاف إلى المحادثات التي سبق استيرادها إلا رسائلها اللاحقة.
chat-import-submit = استيراد المحادثات
chat-imported = { $count ->
        [zero] لم تُستورد أي محادثة من { $service }.
        [one] استُوردت محادثة واحدة من { $service }.
        [two] استُوردت محادثتان من { $service }.
        [few] استُوردت { $count } محادثات من { $service }.
        [many] استُوردت { $count } محادثة من { $service }.
       *[other] استُوردت { $count } محادثة من { $service }.
    }
chat-import-new-messages = { $count ->
        [one] أُضيفت رسالة لاحقة واحدة إلى محادثة سبق استيرادها.
        [two] أُضيفت رسالتان لاحقتان إلى محادثات سبق استيرادها.
        [few] أُضيفت { $count } رسائل لاحقة إلى محادثات سبق استيرادها.
        [many] أُضيفت { $count } رسالة لاحقة إلى محادثات سبق استيرادها.
       *[other] أُضيفت { $count } رسالة لاحقة إلى محادثات سبق استيرادها.
    }
chat-import-skipped = { $count ->
        [one] سبق استيراد محادثة واحدة فتُخطّيت.
        [two] سبق استيراد محادثتين فتُخطّيتا.
        [few] سبق استيراد { $count } محادثات فتُخطّيت.
        [many] سبق استيراد { $count } محادثة فتُخطّيت.
       *[other] سبق استيراد { $count } محادثة فتُخطّيت.
    }
chat-import-left-out = لم يُستورد:
chat-import-ended = انتهى الاستيراد مبكرًا: <problem></problem>
chat-import-show = عرض المحادثات
omitted-unreadable = { $count ->
        [one] محادثة واحدة تعذّرت قراءتها
        [two] محادثتان تعذّرت قراءتهما
        [few] { $count } محادثات تعذّرت قراءتها
        [many] { $count } محادثة تعذّرت قراءتها
       *[other] { $count } محادثة تعذّرت قراءتها
    }
omitted-long = { $count ->
        [one] محادثة واحدة تتجاوز رسائلها { $limit }
        [two] محادثتان تتجاوز رسائل كل منهما { $limit }
        [few] { $count } محادثات تتجاوز رسائل كل منها { $limit }
        [many] { $count } محادثة تتجاوز رسائل كل منها { $limit }
       *[other] { $count } محادثة تتجاوز رسائل كل منها { $limit }
    }
omitted-empty-chats = { $count ->
        [one] محادثة واحدة بلا نص
        [two] محادثتان بلا نص
        [few] { $count } محادثات بلا نص
        [many] { $count } محادثة بلا نص
       *[other] { $count } محادثة بلا نص
    }
omitted-images = { $count ->
        [one] صورة واحدة
        [two] صورتان
        [few] { $count } صور
        [many] { $count } صورة
       *[other] { $count } صورة
    }
omitted-files = { $count ->
        [one] ملف واحد
        [two] ملفان
        [few] { $count } ملفات
        [many] { $count } ملفًا
       *[other] { $count } ملف
    }
omitted-tools = { $count ->
        [one] استدعاء أو نتيجة أداة واحدة
        [two] استدعاءان أو نتيجتان لأدوات
        [few] { $count } استدعاءات ونتائج لأدوات
        [many] { $count } استدعاءً ونتيجة لأدوات
       *[other] { $count } استدعاء ونتيجة لأدوات
    }
omitted-hidden = { $count ->
        [one] رسالة مخفية واحدة
        [two] رسالتان مخفيتان
        [few] { $count } رسائل مخفية
        [many] { $count } رسالة مخفية
       *[other] { $count } رسالة مخفية
    }
omitted-empty = { $count ->
        [one] رسالة واحدة بلا نص
        [two] رسالتان بلا نص
        [few] { $count } رسائل بلا نص
        [many] { $count } رسالة بلا نص
       *[other] { $count } رسالة بلا نص
    }
omitted-repeated = { $count ->
        [one] رسالة واحدة بمعرّف مكرر
        [two] رسالتان بمعرّف مكرر
        [few] { $count } رسائل بمعرّف مكرر
        [many] { $count } رسالة بمعرّف مكرر
       *[other] { $count } رسالة بمعرّف مكرر
    }
omitted-text = { $count ->
        [one] ما زاد على { $limit } MiB من نص واحد
        [two] ما زاد على { $limit } MiB من نصين
        [few] ما زاد على { $limit } MiB من { $count } نصوص
        [many] ما زاد على { $limit } MiB من { $count } نصًا
       *[other] ما زاد على { $limit } MiB من { $count } نص
    }
model-keys = مفاتيح النماذج
model-keys-lead = عند استخدام مفتاحك الخاص، يحاسبك المزوّد على رسائلك إلى الوكلاء الذين يعملون بنماذجه، ولا تُحتسب ضمن حدود هذا المحور. تُخزَّن المفاتيح مشفّرة ولا تُعرض مرة أخرى.
model-keys-none = لا يوجد مزوّدون
model-keys-none-why = يدفع هذا المحور تكلفة نماذجه بمفاتيحه الخاصة.
provider = المزوّد
server = الخادم
model-keys-yours = مفتاحك
model-keys-without = من دون مفتاحك
model-keys-caption = مزوّدو النماذج الذين يقبلون مفاتيح المستخدمين
model-keys-missing = لا يوجد
model-keys-added = أُضيف <time></time>
model-keys-refused = لم تعد مفاتيح المستخدمين مستخدمة
model-keys-hub-pays = يدفع المحور
model-keys-no-answers = لا إجابات
model-keys-remove-title = هل تريد إزالة مفتاحك لدى { $provider }؟
remove = إزالة
model-keys-remove-meaning = يحذف المحور المفتاح، ويمكنك إدخاله مرة أخرى.
model-keys-remove = إزالة المفتاح
model-keys-hint = يُرسل إلى خادم المزوّد فقط.
model-keys-add = إضافة مفتاح
model-keys-add-lead = يحل محل المفتاح الذي أدخلته سابقًا.
model-keys-save = حفظ المفتاح
usage-lead = الرموز (tokens) وتكلفة رسائلك إلى الوكلاء الذين يعملون بنماذج هذا المحور. يبدأ اليوم عند 00:00 UTC.
usage-keys = استخدم <link>مفاتيح النماذج</link> لتدفع لمزوّد النماذج بنفسك.
usage-days = { $days } يومًا
usage-none = لا استخدام في هذه الفترة
usage-none-why = تُحتسب هنا إجابات الوكلاء الذين يعملون بنماذج هذا المحور عند انتهائها.
usage-period = الفترة
usage-tokens = الرموز
usage-cost = التكلفة
usage-by-day = حسب اليوم
usage-each-day = أرقام كل يوم
usage-csv = تنزيل بصيغة CSV
usage-by-provider = حسب المزوّد
usage-by-model = حسب النموذج
usage-by-user = حسب المستخدم
usage-by-agent = حسب الوكيل
usage-model = النموذج
usage-user = المستخدم
usage-agent = الوكيل
usage-day = اليوم
usage-answers = الإجابات
usage-input = رموز الإدخال
usage-output = رموز الإخراج
usage-caption = الاستخدام حسب اليوم
usage-figure-answers = { $count ->
        [zero] إجابة
        [one] إجابة
        [two] إجابتان
        [few] إجابات
        [many] إجابة
       *[other] إجابة
    }
usage-figure-input = رموز إدخال
usage-figure-output = رموز إخراج
usage-figure-cost = التكلفة
usage-chart-tokens = رموز كل يوم. أعلى قيمة في يوم واحد هي { $most }.
usage-chart-cost = تكلفة كل يوم. أعلى قيمة في يوم واحد هي { $most }.
usage-up-to = حتى { $most } في اليوم
usage-unknown = غير معروف
usage-no-account = متصلون بلا حساب
usage-internal = القرارات في الفرق وعناوين المحادثات
usage-deleted = محذوف
consent = التصريح لتطبيق
consent-title = هل تريد التصريح للتطبيق { $client }؟
consent-lead = التطبيق الموجود على <host>{ $host }</host> يسمّي نفسه { $client }، ويطلب الإذن بما يلي:
consent-lead-unverified = تطبيق سجّل نفسه بنفسه، ولذلك لم يُتحقق من اسمه، يسمّي نفسه { $client }، ويطلب الإذن بما يلي:
consent-resource = المورد: <code>{ $resource }</code>. ستعود إلى <place>{ $place }</place>. يمكنك إلغاء الوصول في أي وقت من إعداداتك.
consent-allow = السماح
consent-deny = الرفض
consent-invalid = طلب تصريح غير صالح
consent-invalid-what = أرسل التطبيق الموجود على <host>{ $host }</host>، الذي يسمّي نفسه { $client }، طلب تصريح غير صالح. <why></why>
consent-invalid-unverified = أرسل تطبيق سجّل نفسه بنفسه، ولم يُتحقق من اسمه، ويسمّي نفسه { $client }، طلب تصريح غير صالح. <why></why>
consent-invalid-next = لم يُمنح أي وصول. تواصل مع مطوّر التطبيق.
consent-back = العودة إلى { $place }
