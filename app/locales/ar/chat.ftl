# A chat: its messages and the composer.

deleted-account = حساب محذوف
answer-ended = انتهت الإجابة على نحو غير متوقع.
answer-stopped = أُوقفت. يُحتفظ بالنص المكتوب حتى الآن.
message-deleted = حُذفت هذه الرسالة.
waiting-for-reply = في انتظار ردّك.
answer-of = إجابة { $name }
message-of = رسالة { $name }
more-for-message = المزيد لرسالة { $name }
answer-stop = إيقاف
answer-retry = إعادة المحاولة
message-edit = تعديل
message-edit-about = الرسالة
rate-good = إجابة جيدة: إجابة { $name }
rate-bad = إجابة سيئة: إجابة { $name }
add-reason = إضافة سبب
add-reason-for = لإجابة { $name }
ask-another-agent = سؤال وكيل آخر
fork-chat = تفريع المحادثة
fork-from-here = من هنا
picker-answers = إجابات بديلة
picker-answer-previous = الإجابة السابقة
picker-answer-next = الإجابة التالية
picker-answer = الإجابة { $number } من { $count }
picker-branches = فروع المحادثة
picker-branch-previous = الفرع السابق
picker-branch-next = الفرع التالي
picker-branch = الفرع { $number } من { $count }
message-imported = مستورد
message-imported-meaning = كتبها مساعد من خدمة أخرى، ثم استُوردت.
answer-was-stopped = أُوقفت هذه الإجابة.
answer-has-failed = فشلت هذه الإجابة.
answer-open = لا تزال هذه الإجابة قيد الكتابة.
part-data = بيانات
part-reasoning = التفكير
part-arguments = المعاملات
part-result = النتيجة
ask-agent-named = سؤال { $name }
tool-running = قيد التشغيل
tool-unfinished = لم يكتمل
tool-failed-after = فشل بعد { $time }
tool-failed = فشل
tool-done = اكتمل
approval-request = يطلب الموافقة على استدعاء <tool></tool> بهذه المعاملات:
approval-allowed = سُمح به.
approval-refused = رُفض.
approval-allow = السماح مرة واحدة
approval-refuse = رفض
approval-unanswered = لم يُجَب في الوقت المناسب، ولم يُنفَّذ الاستدعاء.
approval-of-another = بانتظار قرار الشخص الذي سأل.
tool-details-hidden = لا يرى ما تلقّته الأداة وما أعادته إلا الشخص الذي سأل ومالك المحادثة.
message-file = ملف
message-file-kind = { $media_type }، { $size }
message-file-preview = معاينة
message-file-open = فتح
message-file-open-about = { $name } في علامة تبويب جديدة
size-kb = { $value } كيلوبايت
size-mb = { $value } ميغابايت
size-gb = { $value } غيغابايت
size-tb = { $value } تيرابايت
count-bytes = { $count ->
        [zero] { $count } بايت
        [one] بايت واحد
        [two] بايتان
        [few] { $count } بايتات
        [many] { $count } بايت
       *[other] { $count } بايت
    }
count-tokens = { $count ->
        [zero] لا وحدات (token)
        [one] وحدة واحدة (token)
        [two] وحدتان (token)
        [few] { $count } وحدات (token)
        [many] { $count } وحدة (token)
       *[other] { $count } وحدة (token)
    }
duration-ms = { $count } ملّي ثانية
duration-seconds = { $value } ثانية
duration-minutes = { $count ->
        [zero] { $count } دقيقة
        [one] دقيقة واحدة
        [two] دقيقتان
        [few] { $count } دقائق
        [many] { $count } دقيقة
       *[other] { $count } دقيقة
    }
answer-cost = التكلفة { $amount }
answers-total = كل الإجابات: { $values }
attach-limits = { $files } ملفات كحد أقصى، بحجم إجمالي { $size }.
attach-limits-none = { $files } ملفات كحد أقصى، بحجم إجمالي { $size }. لا يقرأ { $agent } الملفات، ويتلقى أسماءها فقط.
attach-limits-types = { $files } ملفات كحد أقصى، بحجم إجمالي { $size }. يقرأ { $agent } الأنواع { $types }.
attach-list = الملفات المراد إرسالها
attach-remove = إزالة الملف
attach-remove-named = إزالة { $name }
attach-add = إضافة ملفات
attach-photo = التقاط صورة
message-to = رسالة إلى { $name }
message-to-agent = رسالة إلى وكيل
message-send = إرسال
composer-hint = يرسل مفتاح Enter الرسالة، ويبدأ Shift مع Enter سطرًا جديدًا.
composer-hint-mention = يرسل مفتاح Enter الرسالة، ويبدأ Shift مع Enter سطرًا جديدًا. ابدأ بـ ⁦@owner/name⁩ لسؤال وكيل آخر.
queued-messages = الرسائل المنتظرة
composer-editing = أنت تعدّل رسالتك. يُحتفظ بالنسخة السابقة وبالملفات.
composer-choose-agent = ابدأ بالرمز @ لاختيار وكيل.
messages-older = الرسائل الأقدم
messages-newer = الرسائل الأحدث
messages-newest = أحدث الرسائل
messages-newer-below = توجد رسائل أحدث من هذه.
chat-people-more = و{ $count } غيرهم
chat-people-label = المشاركون:
chat-people = المشاركون
chat-menu = المزيد عن هذه المحادثة
chat-rename = إعادة تسمية
chat-pin = تثبيت
chat-unpin = إلغاء التثبيت
chat-archive = أرشفة
chat-restore = استعادة
chat-to-folder = نقل إلى مجلد
chat-share = مشاركة
chat-print = عرض الطباعة
chat-export-markdown = تصدير بصيغة Markdown
chat-export-json = تصدير بصيغة JSON
