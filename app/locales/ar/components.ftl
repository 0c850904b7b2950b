# Components that several pages share.

close = إغلاق
cancel = إلغاء
copy = نسخ
save = حفظ
delete = حذف
actions = إجراءات
list-separator = ،{" "}
page-previous = السابق
page-next = التالي
pages = الصفحات
page = صفحة
correct-errors = { $count ->
        [one] يُرجى تصحيح الخطأ التالي
        [two] يُرجى تصحيح الخطأين التاليين
       *[other] يُرجى تصحيح الأخطاء التالية
    }
field-optional = (اختياري)
show-password = إظهار
index-incomplete = يجري بناء فهرس البحث، لذا النتائج غير مكتملة. أعد تحميل الصفحة بعد لحظات.
example-messages = أمثلة على رسائل إلى { $address }
count-agents = { $count ->
        [zero] لا وكلاء
        [one] وكيل واحد
        [two] وكيلان
        [few] { $count } وكلاء
        [many] { $count } وكيلًا
       *[other] { $count } وكيل
    }
count-seconds = { $count ->
        [one] ثانية واحدة
        [two] ثانيتين
        [few] { $count } ثوانٍ
        [many] { $count } ثانية
       *[other] { $count } ثانية
    }
count-minutes = { $count ->
        [one] دقيقة واحدة
        [two] دقيقتين
        [few] { $count } دقائق
        [many] { $count } دقيقة
       *[other] { $count } دقيقة
    }
count-hours = { $count ->
        [one] ساعة واحدة
        [two] ساعتين
        [few] { $count } ساعات
        [many] { $count } ساعة
       *[other] { $count } ساعة
    }
time-just-now = الآن
time-in-a-moment = بعد لحظات
time-minutes-ago = { $count ->
        [one] قبل دقيقة واحدة
        [two] قبل دقيقتين
        [few] قبل { $count } دقائق
        [many] قبل { $count } دقيقة
       *[other] قبل { $count } دقيقة
    }
time-hours-ago = { $count ->
        [one] قبل ساعة واحدة
        [two] قبل ساعتين
        [few] قبل { $count } ساعات
        [many] قبل { $count } ساعة
       *[other] قبل { $count } ساعة
    }
time-days-ago = { $count ->
        [one] قبل يوم واحد
        [two] قبل يومين
        [few] قبل { $count } أيام
        [many] قبل { $count } يومًا
       *[other] قبل { $count } يوم
    }
time-in-minutes = { $count ->
        [one] خلال دقيقة واحدة
        [two] خلال دقيقتين
        [few] خلال { $count } دقائق
        [many] خلال { $count } دقيقة
       *[other] خلال { $count } دقيقة
    }
time-in-hours = { $count ->
        [one] خلال ساعة واحدة
        [two] خلال ساعتين
        [few] خلال { $count } ساعات
        [many] خلال { $count } ساعة
       *[other] خلال { $count } ساعة
    }
time-in-days = { $count ->
        [one] خلال يوم واحد
        [two] خلال يومين
        [few] خلال { $count } أيام
        [many] خلال { $count } يومًا
       *[other] خلال { $count } يوم
    }
time-minutes = { $count ->
        [one] دقيقة واحدة
        [two] دقيقتين
        [few] { $count } دقائق
        [many] { $count } دقيقة
       *[other] { $count } دقيقة
    }
time-hours = { $count ->
        [one] ساعة واحدة
        [two] ساعتين
        [few] { $count } ساعات
        [many] { $count } ساعة
       *[other] { $count } ساعة
    }
time-days = { $count ->
        [one] يوم واحد
        [two] يومين
        [few] { $count } أيام
        [many] { $count } يومًا
       *[other] { $count } يوم
    }
date = { $day } { $month ->
        [1] يناير
        [2] فبراير
        [3] مارس
        [4] أبريل
        [5] مايو
        [6] يونيو
        [7] يوليو
        [8] أغسطس
        [9] سبتمبر
        [10] أكتوبر
        [11] نوفمبر
       *[12] ديسمبر
    } { $year }
date-and-clock = { $date }، { $clock } (UTC)
protocol-model = نموذج
protocol-built-in = مدمج
protocol-attached = برنامج متصل
protocol-program = برنامج
row-online-seen = متصل، شوهد <time></time>
row-seen = شوهد <time></time>
visibility-private = خاص
visibility-unlisted = غير مدرج
visibility-public = عام في هذا المحور
visibility-federated = عام في كل مكان
visibility-private-meaning = لا يراه أحد سواك.
visibility-unlisted-meaning = يراه كل من لديه الرابط، ولا يظهر في القوائم أو البحث.
visibility-public-meaning = مدرج في هذا المحور.
visibility-federated-meaning = مدرج هنا ومنسوخ إلى محاور أخرى. لا يمكنك حذف النسخ الموجودة هناك.
badge-online = متصل
badge-offline = لا يستجيب
badge-offline-since = لا يستجيب منذ { $time }
badge-detached = غير متصل
badge-domain = موثّق: { $domain }
badge-trusted = موثوق: { $origin }
badge-signed-card = بطاقة موقّعة
badge-unverified = غير موثّق
badge-elsewhere = من { $hub }
badge-not-replicated = غير منسوخ
badge-built-in = مدمج
badge-private = خاص
badge-unlisted = غير مدرج
badge-paused = متوقف مؤقتًا
badge-online-meaning = هو جزء من هذا المحور، أو متصل به، أو استجاب خلال آخر 15 دقيقة.
badge-offline-meaning = لم يستجب لآخر فحص للحالة.
badge-detached-meaning = يعمل على جهاز مالكه، وهذا الجهاز غير متصل.
badge-domain-meaning = أثبت المالك سيطرته على هذا النطاق.
badge-trusted-meaning = يثق أحد مسؤولي هذا المحور بمصدره.
badge-signed-card-meaning = بطاقة الوكيل تحمل توقيعًا صالحًا.
badge-unverified-meaning = مصدر غير موثّق: لا يمكن إلا للمالك استخدام هذا الوكيل.
badge-elsewhere-meaning = مستضاف في محور آخر، وتم التحقق من التوقيع.
badge-not-replicated-meaning = غير منسوخ: تجاوز محوره حصته هنا، لذا لا يمكن استخدام هذا الوكيل من هنا.
badge-built-in-meaning = هو جزء من هذا المحور.
badge-private-meaning = لا يراه إلا مالكه.
badge-unlisted-meaning = لا يظهر في القوائم أو البحث.
badge-paused-meaning = أوقفه مالكه أو أحد المسؤولين مؤقتًا.
reason-correct = صحيحة
reason-clear = واضحة ومفيدة
reason-incorrect = غير صحيحة
reason-incomplete = غير مكتملة
reason-off-topic = لم تنفّذ ما طلبته
reason-harmful = ضارة أو مسيئة
reason-slow = بطيئة جدًا
scheme-bearer = رمز Bearer
scheme-api-key = مفتاح API في الترويسة { $header }
scheme-basic = اسم مستخدم وكلمة مرور
scheme-client = رمز من { $server } يصدر للمحور بصفته عميلًا (OAuth)
scheme-connect = رمز من { $server } يمنحه كل مستخدم هناك (OAuth)
