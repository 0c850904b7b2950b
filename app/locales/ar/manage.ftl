# Manage tab of an agent, and origins.

manage-edit = تعديل
manage-refresh = تحديث بطاقة الوكيل
manage-resume = استئناف
manage-pause = إيقاف مؤقت
manage-access-title = الظهور والوصول
manage-delete-lead = يحذف الوكيل وإصداراته ومفتاحه. تحتفظ المحادثات برسائله.
manage-delete = حذف الوكيل
manage-delete-title = هل تريد حذف { $name }؟
manage-delete-meaning = لا يمكن استخدام عنوانه مرة أخرى. لا يمكن التراجع عن ذلك.
manage-delete-permanently = حذف نهائي
copies-yes-meaning = يمكن لمن يستطيع استخدام الوكيل أن ينسخه، وأن يقرأ تعليماته وإعداداته وكل ملفاته المعرفية.
copies-no = لا
copies-no-meaning = لا ينسخه إلا من يديره.
copies-yes = نعم
copies-allow = السماح بالنسخ
copies = النسخ
copies-lead = النسخة وكيل مستقل. لا تُنسخ بيانات الاعتماد أبدًا، وتبقى النسخ الموجودة.
copies-save = حفظ الإعداد
manage-export = التصدير
manage-export-lead = ملف واحد يضم التعليمات والإعدادات والملفات المعرفية، للاحتفاظ به أو لاستيراده في محور آخر. لا يحتوي على بيانات اعتماد.
manage-export-agent = تصدير الوكيل
manage-unpublished = لا تعرض المحاور الأخرى هذا الوكيل. <problem></problem>
named-users-none = لا يوجد مستخدمون
named-users-none-next = لا يمكن لأحد سواك استخدام هذا الوكيل حتى تضيف مستخدمًا.
named-users-caption = المستخدمون الذين يمكنهم استخدام هذا الوكيل
named-users-hint = مستخدم في هذا المحور.
named-users = المستخدمون
named-users-lead = لا يعثر على الوكيل ولا يراه ولا يستخدمه سواك وهؤلاء المستخدمين.
named-users-add = إضافة مستخدم
knowledge-file = الملف
knowledge-size = الحجم
knowledge-added = تاريخ الإضافة
knowledge-caption = الملفات التي يجيب الوكيل منها
knowledge-field = ملفات نصية وملفات PDF
knowledge-hint = ملفات PDF حتى 16 MiB بلا كلمة مرور، ويحتفظ المحور بنصها. نص بترميز UTF-8: ‎.md أو ‎.txt أو ‎.csv أو ‎.tsv أو ‎.json أو ‎.log. حتى 2 MiB من النص لكل ملف، و50 ملفًا و8 MiB من النص إجمالًا. يحل الملف محل الملف الذي يحمل الاسم نفسه.
knowledge = المعرفة
knowledge-lead = يتلقى الوكيل المقاطع التي تناسب الرسالة من هذه الملفات، ويسرد ما يستشهد به منها.
knowledge-add = إضافة ملفات
knowledge-covered = لكل المقاطع ({ $all }) متجهات، ويُعثر عليها بالكلمات وبالمعنى.
knowledge-partly-covered = { $some } من { $all } مقاطع لها متجهات ويُعثر عليها بالكلمات وبالمعنى، والبقية بالكلمات. يحسب المحور المتجهات الناقصة في الخلفية.
access-listed-meaning = لا يعثر على الوكيل ولا يراه سواك وهؤلاء المستخدمين، مهما كان ظهوره. أضفهم من علامة التبويب «الإدارة».
access = الوصول
access-owner = أنت فقط
access-listed = مستخدمون تحددهم
access-accounts = المستخدمون المسجّلون
access-open = عام (بلا تسجيل دخول)
origin-unchecked = لم يُتحقق منه بعد.
origin-failed = <message></message> آخر تحقق <time></time>.
origin-by-file = جرى التحقق بملف، <time></time>.
origin-by-dns = جرى التحقق بسجل DNS، <time></time>.
origin-by-trust = وثق به أحد المسؤولين، <time></time>.
origin-file = بملف
origin-file-how = قدّم هذا النص على هذا العنوان:
about-text = النص
origin-dns = أو بسجل DNS
origin-dns-how = انشر سجل TXT هذا:
about-record-name = اسم السجل
about-record-value = قيمة السجل
diff-omitted = { $count ->
        [one] سطر آخر لا يُعرض.
        [two] سطران آخران لا يُعرضان.
        [few] { $count } أسطر أخرى لا تُعرض.
        [many] { $count } سطرًا آخر لا يُعرض.
       *[other] { $count } سطر آخر لا يُعرض.
    }
diff-added = أُضيف:
diff-removed = أُزيل:
diff-unchanged = أسطر لم تتغير
