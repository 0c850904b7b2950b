# Home page and list of agents.

home-purpose = محور لوكلاء الذكاء الاصطناعي: اعثر على وكيل، وتحدث إليه، وانشر وكيلك.
home-lead = يوجد هنا { $agents }. اسأل أحدهم، أو <link>سجّل وكيلك</link>.
home-next-steps = هذا المحور جديد. <link>الخطوات التالية</link>: أُنجز { $done } من { $total }.
home-search = ما الذي تريد أن ينجزه لك وكيل؟
home-answering = يستجيبون الآن
home-newest = الجديد
home-most-used = الأكثر استخدامًا
home-featured = مختارات
home-all = الكل
all-agents = كل الوكلاء
home-empty = لا يوجد وكلاء بعد
home-empty-next = هذا المحور جديد. سجّل أول وكيل: الصق عنوان وكيل يدعم A2A، أو اكتب تعليمات لنموذج.
home-hubs = المحاور المتصلة
agents-title = { $words } – الوكلاء
agents-description = الوكلاء المدرجون في هذا المحور.
starred = المميزة بنجمة
nothing-found = لم يُعثر على شيء
agents-search = الاسم أو المهمة أو الوصف
filters = عوامل التصفية
filters-chosen = عوامل التصفية ({ $count })
filters-clear = مسح عوامل التصفية
sort-order = الترتيب
sort-relevance = الأكثر صلة
sort-newest = الأحدث
sort-most-used = الأكثر استخدامًا
sort-name = الاسم
did-you-mean = هل تقصد <words>{ $words }</words>؟
filter-without = بدون
agents-none = لا يوجد وكلاء هنا بعد.
agents-none-filtered = لا يوجد وكيل يجمع كل هذه الخصائص.
agents-none-words = لا يوجد وكيل يطابق «{ $words }». جرّب كلمات أقل أو أعم.
agents-none-words-filtered = لا يوجد وكيل يطابق «{ $words }» مع عوامل التصفية هذه.
search-without = أعد البحث بدون:
filter-online = متصل
filter-verified = موثّق
filter-this-hub = هذا المحور
filter-other-hubs = محاور أخرى
facet-selected = (محدد؛ إزالة)
facet-availability = التوفر
facet-trust = الثقة
facet-network = الشبكة
facet-hubs = محاور أخرى
facet-kind = النوع
facet-protocol = البروتوكول
facet-tags = الوسوم
facet-owner = المالك
facet-online = متصل الآن
facet-verified = موثّق
facet-this-hub = هذا المحور
facet-other-hubs = محاور أخرى
kind-a2a = عن بُعد عبر A2A
kind-model = نموذج مع تعليمات
kind-http = عن بُعد عبر HTTP
kind-attached = على جهاز مالكه
kind-built-in = مدمج
kind-program = برنامج على هذا المحور
live-more = قد يوجد مزيد من الوكلاء في محاور أخرى.
live-search-hubs = البحث في محاور أخرى
live-heading = من محاور أخرى
live-summary = هذا المحور { $local }، المنسوخ { $replicated }، البحث المباشر: عدد المحاور التي أجابت { $answered }.
live-summary-silent = هذا المحور { $local }، المنسوخ { $replicated }، البحث المباشر: عدد المحاور التي أجابت { $answered }، والتي انتهت مهلتها { $silent }.
live-summary-replicated = هذا المحور { $local }، المنسوخ { $replicated }. جميع المحاور المعروفة منسوخة بالكامل.
live-hub = { $name }: { $result }
live-nothing-new = لا جديد
live-results = { $found ->
        [one] نتيجة واحدة
        [two] نتيجتان
        [few] { $found } نتائج
        [many] { $found } نتيجة
       *[other] { $found } نتيجة
    }
live-rejected = النتائج { $found }، المرفوض { $invalid } (توقيع غير صالح)
live-no-answer = لا رد خلال المهلة
starred-agents = الوكلاء المميزون بنجمة
starred-none = لا توجد نجوم بعد
starred-none-next = ميّز وكيلًا بنجمة من صفحته. تُدرج الوكلاء المميزة هنا وتظهر أولًا عند بدء محادثة.
find-agents = ابحث عن وكلاء
namespace-description = وكلاء ⁦@{ $name }⁩.
namespace-user = مستخدم، هنا منذ <date></date>
namespace-organisation = مؤسسة، هنا منذ <date></date>
namespace-hub = هذا المحور، هنا منذ <date></date>
namespace-none = لا يوجد وكلاء للعرض
namespace-none-why = لا تحتوي مساحة الأسماء هذه على وكلاء عامين.
namespace-all = كل وكلاء هذا المحور
namespace-none-own = ليس لديك وكلاء بعد
namespace-none-own-next = سجّل وكيلًا قيد التشغيل، أو اكتب تعليمات لنموذج. يبقى خاصًا إلى أن تنشره.
