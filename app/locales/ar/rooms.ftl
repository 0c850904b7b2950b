# الغرف: محادثات بين عدة أشخاص.

room-typing-one = { $name } يكتب الآن…
room-typing-two = { $first } و{ $second } يكتبان الآن…
room-typing-many = { $count ->
        [zero] لا أحد يكتب الآن
        [one] شخص واحد يكتب الآن…
        [two] شخصان يكتبان الآن…
        [few] { $shown } أشخاص يكتبون الآن…
        [many] { $shown } شخصًا يكتبون الآن…
       *[other] { $shown } شخص يكتبون الآن…
    }
room-agents = الوكلاء
room-agents-lead = يمكن لمالك المحادثة أن يحدّ مقدار ما يجيب به الوكيل هنا في اليوم (بالتوقيت العالمي). تُحسب الإجابات عند بدئها، والرموز عند انتهاء الإجابات.
room-agent = الوكيل
room-agent-limit = الحد اليومي
room-agent-today = المستخدَم اليوم
room-no-limit = بلا حد
room-answers = { $count ->
        [zero] لا إجابات
        [one] إجابة واحدة
        [two] إجابتان
        [few] { $count } إجابات
        [many] { $count } إجابة
       *[other] { $count } إجابة
    }
room-tokens = { $count ->
        [zero] لا رموز
        [one] رمز واحد
        [two] رمزان
        [few] { $count } رموز
        [many] { $count } رمزًا
       *[other] { $count } رمز
    }
room-used = { $answers }، { $tokens }
room-unit-answers = إجابات في اليوم
room-unit-tokens = رموز في اليوم
room-limit-of = حد { $agent }
room-unit-of = وحدة حد { $agent }
room-set-limit = تعيين الحد
room-limit-reached = بلغ { $agent } حدّه في هذه المحادثة: { $limit } في اليوم. يجيب مجددًا ابتداءً من 00:00 بالتوقيت العالمي.
room-hand-over = سؤال { $agent }
room-removed = لم تعد عضوًا في هذه المحادثة.
