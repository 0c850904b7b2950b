# Administration.

admin-attention = يحتاج إلى انتباه
admin-overview = نظرة عامة
admin-setup = الخطوات التالية
admin-users = المستخدمون
admin-models = النماذج
admin-origins = المصادر الموثوقة
admin-hubs = المحاور الأخرى
admin-invitations = الدعوات
admin-audit = سجل التدقيق
admin-search = بحث
role-user = مستخدم
role-moderator = مشرف
role-administrator = مسؤول
registration-open = مفتوح: يمكن لأي شخص إنشاء حساب.
registration-approval = بالموافقة: يراجع أحد المسؤولين كل تسجيل.
registration-invite = بالدعوة فقط.
registration-closed = مغلق: لا حسابات جديدة.
admin-agents-title = الوكلاء – الإدارة
admin-agents-none = لم يُعثر على شيء
admin-agents-none-why = لا يحتوي اسم أي وكيل أو عنوانه على هذه الحروف.
admin-agents-all = كل الوكلاء
admin-agents-caption = وكلاء هذا المحور
admin-agent-kind = النوع
admin-state = الحالة
admin-runs-today = مرات التشغيل اليوم
admin-runs-failed = الفاشلة
admin-agents-search = جزء من اسم أو عنوان
admin-never = أبدًا
admin-verified = موثّق
admin-featured = مميّز
admin-change = تغيير
admin-unfeature = إلغاء التمييز
admin-feature = تمييز في الصفحة الرئيسية
admin-delete-reason = سبب حذف { $name }
admin-delete-lead = يحذف الوكيل وإصداراته ومفتاحه. لا يمكن استخدام عنوانه مرة أخرى. لا يمكن التراجع عن ذلك.
admin-unlist = إزالة من القوائم
admin-change-reason = سبب تغيير { $name }
audit-title = سجل التدقيق – الإدارة
audit-time = الوقت
audit-actor = المنفّذ
audit-action = الإجراء
audit-target = الهدف
audit-request = الطلب
audit-lead = كل الإجراءات الإدارية، الأحدث أولًا.
audit-none = لا توجد إدخالات بعد
audit-none-why = ستظهر الإجراءات الإدارية هنا.
audit-no-match = لا توجد إدخالات مطابقة
audit-no-match-next = جرّب منفّذًا أو إجراءً آخر.
audit-all = كل الإدخالات
audit-all-actions = كل الإجراءات
audit-filter = تصفية سجل التدقيق
audit-apply = تطبيق التصفية
invites-title = التسجيل والدعوات – الإدارة
invites-send = <strong>أرسل هذا الرابط.</strong> يعمل مرة واحدة، ولا يمكن للمحور عرضه مرة أخرى.
about-invitation = الدعوة
invites-day = يوم واحد
invites-week = أسبوع واحد
invites-heading = التسجيل والدعوات
invites-setting = يُضبط عبر <code>PLEXUS_REGISTRATION</code>.
invites-closed = التسجيل مغلق، لذا لا تعمل الدعوات.
invites-valid = مدة الصلاحية
invites-create = إنشاء دعوة
invites-none = لا توجد دعوات
invites-none-why = لا توجد دعوات معلّقة أو مستخدمة مؤخرًا.
admin-by = بواسطة
invites-used-by = استخدمها
invites-unused = لم تُستخدم بعد
invites-deleted = حساب محذوف
invites-by = دعوة من { $name }
invites-revoke-title = هل تريد إلغاء هذه الدعوة؟
invites-revoke-meaning = يتوقف رابطها عن العمل فورًا. لا يمكن التراجع عن ذلك.
provider-connect = ربط مزوّد نماذج
provider-connect-named = ربط { $name }
provider-name-hint = بادئة نماذجه، كما في ⁦ollama/llama3.2⁩. لا يمكن تغييرها لاحقًا.
provider-connect-do = ربط
provider-connect-untested = ربط بلا اختبار
provider-configured-lead = من ملف الإعدادات. غيّر عنوانه ومفتاحه ونماذجه هناك.
provider-default = الافتراضي
provider-settings = الإعدادات
provider-save = حفظ واختبار
provider-save-untested = حفظ بلا اختبار
provider-availability = التوفّر
model-context = نافذة السياق
model-price = السعر
model-abilities = القدرات
model-use = الاستخدام
models-of-provider-lead = إعدادات النموذج مقدَّمة على إعدادات مزوّده.
models-of-provider = نماذج هذا المزوّد
model-price-none = بلا
model-unknown = غير معروف
model-not-listed = لا يدرجه الخادم
model-hidden = مخفي
provider-key-hint = يُخزَّن مشفّرًا ولا يُعرض مرة أخرى.
provider-key-local = لا تحتاج إليه عادةً الخوادم على جهازك.
provider-key-stored = هناك مفتاح مخزّن. اتركه فارغًا للاحتفاظ به.
provider-url-hint = عنوان URL الأساسي لواجهته المتوافقة مع OpenAI. ينتهي عادةً بـ ⁦/v1⁩.
provider-models-hint = نموذج واحد في كل سطر بالأسماء التي يستخدمها الخادم. إذا تُرك فارغًا تُقدَّم كل النماذج التي يدرجها.
model-context-tokens = نافذة السياق بالرموز
provider-context-hint = تُقصَّر المحادثات الأطول إليها. مع Ollama أدخل قيمة num_ctx.
model-price-million = سعر مليون رمز
provider-price-hint = للإدخال والإخراج، بعملتك. تُظهر الإجابات عندئذٍ تكلفتها.
own-keys = مفاتيح API للمستخدمين
own-keys-refused = غير مستخدمة
own-keys-allowed = تُستخدم إذا كان لدى المستخدم مفتاح
own-keys-allowed-meaning = يُدخل المستخدمون مفاتيحهم في الإعدادات، الاستخدام. لا تُحتسب رسائلهم ضمن الحدود والميزانية.
own-keys-required = مطلوبة
own-keys-required-meaning = يُستخدم مفتاح المزوّد لإدراج نماذجه واختبارها فقط.
provider-paused = متوقف مؤقتًا. لا يجيب الوكلاء الذين يستخدمون نماذجه إلى أن تستأنفه.
provider-untested = لم يُختبر بعد.
provider-test-model = النموذج: <code>{ $model }</code>.
provider-test-result = <code>{ $model }</code>: { $verdict }.
provider-tested = اختُبر <time></time>
provider-none-listed = لا نماذج مدرجة حاليًا
provider-all-listed = كل ما يدرجه ({ $count })
count-models = { $count ->
        [zero] لا نماذج
        [one] نموذج واحد
        [two] نموذجان
        [few] { $count } نماذج
        [many] { $count } نموذجًا
       *[other] { $count } نموذج
    }
provider-key-encrypted = مخزّن مشفّرًا
model-context-of = { $count ->
        [zero] لا رموز
        [one] رمز واحد
        [two] رمزان
        [few] { $count } رموز
        [many] { $count } رمزًا
       *[other] { $count } رمز
    }
provider-user-keys = مفاتيح المستخدمين
provider-create-agent = إنشاء وكيل
provider-offer = إتاحة في المحادثات
provider-use-lead = الوكلاء تعليمات لنموذج. النموذج المتاح في المحادثات يجيب بلا تعليمات، بصفته وكيلًا مستقلًا.
provider-test = اختبار النموذج
provider-remove-title = هل تريد إزالة { $name }؟
provider-remove-meaning = يتوقف الوكلاء الذين يستخدمون نماذجه عن الإجابة إلى أن يختار مالكوهم نموذجًا آخر. يُحذف مفتاح API المخزّن.
provider-remove = إزالة المزوّد
models-none = لا يوجد نموذج بعد
models-none-next = اربط خادم نماذج ليمكن إنشاء وكلاء من التعليمات.
models-caption = مزوّدو النماذج
models-lead = خوادم نماذج لغوية. يعمل عليها الوكلاء المكوّنون من تعليمات.
models-connect = ربط مزوّد
models-connect-lead = أي خادم بواجهة API متوافقة مع OpenAI. يختبره المحور قبل حفظه.
models-local = على هذا الجهاز أو الشبكة
models-services = الخدمات
models-other = خادم آخر
models-all-listed = كل ما يدرجه
models-manage = إدارة
models-configured = من ملف الإعدادات
models-untested = غير مختبر
model-settings-save = حفظ الإعدادات
model-settings-reset-title = إعادة الضبط
model-settings-reset-lead = يأخذ النموذج عندئذٍ إعدادات مزوّده، ويمكن لجميع المستخدمين استخدامه، بلا حدود.
model-settings-reset = إعادة ضبط الإعدادات
model-settings-context = إذا تُرك فارغًا تُستخدم قيمة المزوّد: { $tokens }.
model-settings-price = للإدخال والإخراج. إذا تُرك فارغًا فلا سعر.
model-settings-price-of = للإدخال والإخراج. إذا تُرك فارغًا تُستخدم أسعار المزوّد: { $price }. القيمة ⁦0/0⁩ تعني مجانًا.
model-display-name = الاسم المعروض
model-display-name-hint = يظهر في قائمة النماذج بجانب اسمه.
model-tools = الأدوات
model-tools-hint = هل يستدعي الأدوات. يحتاج إليه الوكلاء ذوو الأدوات.
model-images = الصور
model-images-hint = هل يقرأ الصور. تحتاج إليه الرسائل التي تضم صورًا.
model-reasoning = الاستدلال
model-reasoning-hint = يظهر في قائمة النماذج.
model-json = إجابات JSON
model-json-hint = هل تتبع إجاباته JSON Schema. يظهر في قائمة النماذج.
model-direct-address = العنوان: <link>{ $address }</link>
model-named-users = مستخدمون محددون
model-named-users-hint = اسم واحد في كل سطر. لخيار «مستخدمون محددون» فقط.
model-account-tokens = رموز المستخدم الواحد في اليوم
model-account-tokens-hint = الإدخال والإخراج معًا. إذا تُرك فارغًا فلا حد. يبدأ اليوم عند 00:00 UTC.
model-hub-tokens = رموز جميع المستخدمين في اليوم
model-hub-tokens-hint = إذا تُرك فارغًا فلا حد.
model-direct = في المحادثات
model-direct-no = عبر الوكلاء فقط
model-direct-yes = بصفته وكيلًا مستقلًا
model-direct-yes-meaning = يحادث المستخدمون النموذج نفسه بلا تعليمات. لا يتلقى الإجابات إلا من يحق له استخدامه.
model-list = قائمة النماذج
model-shown = ظاهر
model-shown-meaning = يمكن للوكلاء الجدد استخدامه.
model-hidden-meaning = يواصل الوكلاء الذين يستخدمونه الإجابة.
model-who = من يحق له استخدامه
model-who-all = جميع المستخدمين
model-who-moderators = المشرفون والمسؤولون
model-who-administrators = المسؤولون
model-who-named-meaning = والمسؤولون.
model-who-count = { $count ->
        [one] مستخدم محدد واحد
        [two] مستخدمان محددان
        [few] { $count } مستخدمين محددين
        [many] { $count } مستخدمًا محددًا
       *[other] { $count } مستخدم محدد
    }
model-limit-account = { $tokens } رمز في اليوم لكل مستخدم
model-limit-hub = { $tokens } رمز في اليوم لجميع المستخدمين
ability-tools = أدوات
ability-no-tools = بلا أدوات
ability-images = صور
ability-no-images = بلا صور
ability-reasoning = استدلال
ability-no-reasoning = بلا استدلال
ability-json = JSON
ability-no-json = بلا JSON
rules-none = لا توجد قواعد
rules-none-why = يسري وضع الاتحاد المضبوط على كل المحاور.
rules-caption = قواعد بشأن المحاور الأخرى
rule-subject = الموضوع
rule-until = حتى
rules-lead = تسري القواعد فورًا. إزالة القاعدة تعيد ما أخفته. <link>المحاور المعروفة</link>
rules-imported = استُوردت { $count } قاعدة، الموجودة مسبقًا: { $present }، غير الصالحة: { $invalid }.
rules-signed = وقّعها { $name }، <link>{ $hub }</link>.
rule-allowed = مسموح
rule-subject-field = محور أو وكيل أو وسم
rule-block-title = حظر محور أو وكيل أو وسم
rule-block = حظر
lists-caption = قوائم القواعد المشترَك فيها
list-name = القائمة
list-rules = القواعد
list-fetched = آخر جلب
list-place = محور أو عنوان
list-place-example = hub.example أو https://hub.example/rules
list-signer = الموقّع المتوقع (معرّف المحور)
list-signer-hint = إذا تُرك فارغًا يُثبَّت الموقّع الحالي (الثقة عند أول استخدام).
list-subscribe-title = الاشتراك في قائمة قواعد
list-subscribe-lead = قواعد محور آخر تُجلب يوميًا. القواعد المحلية مقدَّمة. إلغاء الاشتراك يزيل قواعد القائمة.
list-subscribe = اشتراك
list-unsubscribe = إلغاء الاشتراك
rules-document = قواعد محور آخر
rules-document-hint = الصق المستند الموقّع. تصبح قواعده قواعد محلية، وتبقى القواعد الموجودة.
rules-exchange = تصدير القواعد واستيرادها
rules-exchange-lead = التصدير مستند موقّع من هذا المحور، يضم كل القواعد المحلية وأسبابها.
rules-export = تصدير القواعد
rules-import = استيراد القواعد
origins-none = لا توجد مصادر موثوقة
origins-none-why = لا تثق بمصدر إلا إذا تعذّر على مالكه إتمام التحقق.
origin = المصدر
origin-note = ملاحظة
origins-lead = يُعدّ وكلاء هذه المصادر موثّقين، لذا يستدعيهم المحور لجميع المستخدمين.
origins-trust = الوثوق بمصدر
origin-hint = المخطط والمضيف والمنفذ، بلا مسار.
figure-users = { $count ->
        [zero] مستخدم
        [one] مستخدم
        [two] مستخدمان
        [few] مستخدمين
        [many] مستخدمًا
       *[other] مستخدم
    }
figure-agents = { $count ->
        [zero] وكيل
        [one] وكيل
        [two] وكيلان
        [few] وكلاء
        [many] وكيلًا
       *[other] وكيل
    }
figure-runs = { $count ->
        [zero] تشغيل اليوم
        [one] تشغيل اليوم
        [two] تشغيلان اليوم
        [few] عمليات تشغيل اليوم
        [many] تشغيلًا اليوم
       *[other] تشغيل اليوم
    }
figure-running = قيد التشغيل الآن
figure-pending = { $count } قيد المراجعة
figure-unverified = { $count } غير موثّق
figure-failed = { $count } فاشلة
overview-registration = التسجيل
overview-database = قاعدة البيانات
overview-database-size = { $database }، { $size }
overview-backup = آخر نسخة احتياطية
overview-started = وقت البدء
overview-no-backup = لا يوجد بعد. <link>انسخ المحور احتياطيًا</link>
backup-archive = الأرشيف
backup-made = وقت الإنشاء
backups-caption = أرشيفات النسخ الاحتياطي المجدول
backups-daily = كل يوم
backups-every = { $count ->
        [one] كل ساعة
        [two] كل ساعتين
        [few] كل { $count } ساعات
        [many] كل { $count } ساعة
       *[other] كل { $count } ساعة
    }
backups-kept-of = الأحدث من { $days } و{ $weeks }
backups-days = { $count ->
        [one] يوم واحد
        [two] يومين
        [few] { $count } أيام
        [many] { $count } يومًا
       *[other] { $count } يوم
    }
backups-weeks = { $count ->
        [one] أسبوع واحد
        [two] أسبوعين
        [few] { $count } أسابيع
        [many] { $count } أسبوعًا
       *[other] { $count } أسبوع
    }
backups = النسخ الاحتياطي المجدول
backups-folder = المجلد
backups-interval = الفاصل الزمني
backups-kept = المحفوظ
backups-next = التالي
top-stored = المحادثات والملفات
top = أكبر الحسابات
top-caption = الحسابات ذات أكبر مساحة تخزين
setup-all-done = أُنجز كل شيء.
setup-progress = أُنجز { $done } من { $all }. يمكنك تنفيذها بأي ترتيب، أو لاحقًا.
setup-show = عرض في الصفحة الرئيسية
setup-dismiss = إخفاء
setup-title = الخطوات التالية لمحور { $hub }
setup-done = منجز:
admin-usage-lead = رموز وتكلفة النماذج التي يعمل بها وكلاء هذا المحور. يبدأ اليوم عند 00:00 UTC.
budget-none = بلا
budget = الميزانية
budget-cost = تكلفة هذا الشهر
budget-used = المستخدم
budget-hint = إذا تُرك فارغًا فلا ميزانية.
budget-thresholds = العتبات
budget-thresholds-hint = نسب مئوية من الميزانية، مفصولة بفواصل.
budget-exhausted = عند نفاد الميزانية
budget-title = الميزانية الشهرية
budget-lead = بعملة أسعار النماذج. يرى المسؤولون إشعارًا عندما تبلغ التكلفة إحدى العتبات.
budget-save = حفظ الميزانية
budget-continue = تواصل النماذج الإجابة
budget-stop = تتوقف النماذج المسعّرة حتى الشهر التالي
users-none = لا يوجد مستخدمون مطابقون
users-none-why = لا يحتوي أي اسم على هذه الحروف.
users-all = كل المستخدمين
user-role = الدور
users-search = جزء من اسم
users-reset = <strong>أرسل هذا الرابط إلى ⁦@{ $name }⁩.</strong> يعيّن كلمة مرور جديدة مرة واحدة خلال 24 ساعة. لا يمكن للمحور عرضه مرة أخرى.
about-reset-link = رابط إعادة التعيين
user-active = نشط
user-pending = قيد المراجعة
user-suspended = موقوف
user-leaving = الحذف مجدول
user-accept = قبول
user-restore = استعادة
user-reset = إنشاء رابط إعادة تعيين
user-suspend = إيقاف
make-user = تحويل إلى مستخدم
make-moderator = تعيين مشرفًا
make-administrator = تعيين مسؤولًا
make-administrator-title = هل تريد تعيين ⁦@{ $name }⁩ مسؤولًا؟
make-administrator-meaning = يمكن للمسؤولين تغيير أي وكيل أو مستخدم أو قاعدة في هذا المحور، ويمكنهم سحب دورك.
verdict-answers = يجيب
verdict-answers-after = يجيب بعد { $time } ms
verdict-tools = يستدعي الأدوات
verdict-no-tools = لم يستدعِ أداة
verdict-images = يقرأ الصور
verdict-no-images = لا يقرأ الصور
models-found = عُثر عليها على هذا الجهاز
models-found-at = <strong>{ $title }</strong> على <code>{ $url }</code>، { $models }
