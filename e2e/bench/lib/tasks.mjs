// Tasks of a page's main thread, from a trace of the browser.

const CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"];
/** Parts of a task that are shorter than this share of it are not named. */
const SHARE = 0.15;

/** Records a trace during `act`. Returns the longest tasks first, each with its milliseconds and its largest parts. */
export async function measureTasks(browser, page, act) {
  await browser.startTracing(page, { categories: CATEGORIES });
  await act();
  const { traceEvents } = JSON.parse(await browser.stopTracing());
  const thread = busiest(traceEvents);
  const own = traceEvents.filter((event) => event.ph === "X" && `${event.pid}:${event.tid}` === thread);
  const tasks = own.filter(isTask).sort((a, b) => b.dur - a.dur);
  return tasks.slice(0, 5).map((task) => ({ ms: task.dur / 1000, parts: parts(task, own) }));
}

const isTask = ({ name }) => name === "RunTask" || name === "ThreadControllerImpl::RunTask";

/** Returns the main thread of the page, which is the one with most time in tasks: there is one page. */
function busiest(events) {
  const mains = events.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const spent = new Map(mains.map(({ pid, tid }) => [`${pid}:${tid}`, 0]));
  for (const event of events) {
    const key = `${event.pid}:${event.tid}`;
    if (event.ph === "X" && isTask(event) && spent.has(key)) spent.set(key, spent.get(key) + event.dur);
  }
  return [...spent].sort((a, b) => b[1] - a[1])[0]?.[0];
}

function parts(task, events) {
  const sums = new Map();
  for (const { name, ts, dur } of events) {
    if (ts < task.ts || ts + dur > task.ts + task.dur || isTask({ name })) continue;
    sums.set(name, (sums.get(name) ?? 0) + dur);
  }
  const large = [...sums].filter(([, dur]) => dur > task.dur * SHARE).sort((a, b) => b[1] - a[1]);
  return large.map(([name, dur]) => `${name} ${(dur / 1000).toFixed(0)}`).join(", ");
}
