# Network of hubs.

network-description = المحاور المعروفة لهذا المحور وحالتها.
count-other-hubs = { $count ->
        [zero] لا محاور أخرى
        [one] محور آخر
        [two] محوران آخران
        [few] { $count } محاور أخرى
        [many] { $count } محورًا آخر
       *[other] { $count } محور آخر
    }
network-known = المحاور المعروفة
network-hub = المحور
network-agents-here = الوكلاء هنا
network-last-seen = آخر ظهور
network-none = لا توجد محاور أخرى بعد
network-none-why = الاتحاد مفعّل، لكن لم يُعثر على محور آخر بعد. تجد المحاور بعضها عبر عناوين التمهيد.
network-disabled = الاتحاد معطّل
network-disabled-next = عيّن PLEXUS_P2P_LISTEN لتفعيله. <link>كيفية الانضمام إلى شبكة</link>.
network-lead = تشكّل المحاور شبكة نظير إلى نظير بلا خادم مركزي. يُدرج وكلاء المحور البعيد ما دام جرده الموقّع حديثًا.
network-connected = متصل
network-catching-up = { $total ->
        [one] تجري المواكبة: { $fetched } من { $total } إدراج
        [two] تجري المواكبة: { $fetched } من { $total } إدراج
        [few] تجري المواكبة: { $fetched } من { $total } إدراجات
        [many] تجري المواكبة: { $fetched } من { $total } إدراجًا
       *[other] تجري المواكبة: { $fetched } من { $total } إدراج
    }
hub-alive = نشط
hub-quiet = هادئ
hub-silent = صامت
hub-blocked = محظور
hub-alive-meaning = وقّع جرده خلال آخر 30 دقيقة.
hub-quiet-meaning = صامت منذ 30 دقيقة؛ لا يزال وكلاؤه مدرجين.
hub-silent-meaning = صامت منذ يومين؛ وكلاؤه مخفيون.
hub-blocked-meaning = تحظره قاعدة؛ وكلاؤه مخفيون.
latency-gossip = زمن انتشار الأخبار
latency-gossip-meaning = الزمن من توقيع إدراج أو جرد في المصدر إلى تخزينه هنا. يتأثر بانحراف الساعات، وتُحسب القيم السالبة 0 ms.
latency-dht = استعلام DHT
latency-dht-meaning = الزمن حتى انتهاء الاستعلام، بنتيجة أو بدونها.
latency-round = جولة مطابقة
latency-round-meaning = الزمن اللازم لمقارنة الجرد مع نظير واحد وجلب الإدراجات الناقصة.
latency = زمن الاستجابة
latency-lead = يقيسها هذا المحور منذ بدء تشغيله، على آخر 1,024 عينة من كل نوع.
latency-caption = أزمنة استجابة الاتحاد
latency-measurement = القياس
latency-samples = العينات
latency-since = منذ
latency-none = لا عينات بعد
new-hubs-open = تُنسخ المحاور الجديدة كاملةً.
new-hubs-probation = تكون المحاور الجديدة تحت الاختبار (حصة مخفّضة) إلى أن تتحقق من نطاق.
new-hubs-allowlist = لا تُنسخ إلا المحاور التي لها قاعدة سماح.
network-this-hub = هذا المحور
network-federated = الوكلاء المتحدون
network-new-hubs = المحاور الجديدة
network-reachability = إمكانية الوصول
network-hub-id = معرّف المحور (المفتاح العام):
about-hub-id = معرّف المحور
network-addresses = عناوين للمحاور الأخرى:
hub-description = { $name }: محور بعيد ووكلاؤه هنا.
hub-lead = محور في <link>الشبكة</link>
count-agents-here = { $count ->
        [zero] لا وكلاء هنا
        [one] وكيل واحد هنا
        [two] وكيلان هنا
        [few] { $count } وكلاء هنا
        [many] { $count } وكيلًا هنا
       *[other] { $count } وكيل هنا
    }
hub-domain = النطاق
hub-own-name = الاسم المُعلن ذاتيًا
hub-replication = النسخ
hub-rule = القاعدة
hub-listings = الإدراجات هنا
hub-progress = التقدّم
hub-inventory = آخر جرد موقّع
hub-by-its-clock = <time></time> (بحسب ساعته)
hub-first-seen = أول ظهور
hub-software = البرنامج
hub-api = واجهة HTTP
hub-domain-verified = { $domain } (موثّق)
hub-domain-claimed = { $domain } (مُدّعى، غير موثّق)
hub-tier-full = كل الإدراجات
hub-tier-probation = تحت الاختبار (حصة مخفّضة) إلى أن يتحقق من نطاق، حتى <date></date> على الأكثر
hub-tier-refused = مرفوض
hub-rule-allowed = مسموح به بالقاعدة <code>{ $subject }</code>
hub-rule-allowed-until = مسموح به بالقاعدة <code>{ $subject }</code> حتى <date></date>
hub-rule-blocked = محظور بالقاعدة <code>{ $subject }</code>
hub-rule-blocked-until = محظور بالقاعدة <code>{ $subject }</code> حتى <date></date>
hub-listings-of = { $replicated } من { $announced } موقّعة
hub-listings-partial = { $listings }؛ أُهمل بعضها (الحصة)
hub-none-blocked = تحظر قاعدة وكلاءه.
hub-none-silent = يظهرون مجددًا عندما ينشر المحور جردًا موقّعًا جديدًا.
hub-none-federated = ليس لديه وكلاء متحدون، أو لم يُنسخ أي منهم بعد.
hub-none = لا وكلاء هنا
violations = انتهاكات البروتوكول
violations-lead = انتهاكات رصدها هذا المحور. لا يُدرج بطء النسخ.
violations-caption = انتهاكات هذا المحور للبروتوكول
violation = الانتهاك
violation-count = العدد
violation-first = الأول
violation-last = الأخير
violation-about = يخص إدراجات <link>{ $hub }</link>
hub-undo = تراجع
hub-undo-about = القاعدة { $subject }
hub-block = حظر المحور
hub-allow = السماح بالمحور
hub-administrators = للمسؤولين
hub-administrators-lead = تسري القواعد فورًا. إزالة القاعدة تعيد ما أخفته.
hub-reason = السبب
hub-rule-by-user = أضاف القاعدة ⁦@{ $name }⁩، <time></time>: «{ $reason }»
hub-rule-by-list = أُضيفت القاعدة من القائمة الموجودة على <code>{ $url }</code>، <time></time>: «{ $reason }»
graph-title = هذا المحور والمحاور التي يعرفها
graph-omitted = { $count ->
        [one] محور آخر غير مرسوم؛ يسرد الجدول كل المحاور.
        [two] محوران آخران غير مرسومين؛ يسرد الجدول كل المحاور.
        [few] { $count } محاور أخرى غير مرسومة؛ يسرد الجدول كل المحاور.
        [many] { $count } محورًا آخر غير مرسوم؛ يسرد الجدول كل المحاور.
       *[other] { $count } محور آخر غير مرسوم؛ يسرد الجدول كل المحاور.
    }
graph-hub = { $name }: { $state }
graph-hub-connected = { $name }: { $state }، متصل
graph-text = { $name } في الوسط. { $hubs }.
graph-connected = متصل الآن
network-relaying = { $how }؛ مرحِّل (المحاور: { $hubs }، الدارات: { $circuits })
