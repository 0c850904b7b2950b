// Durations of interactions (Event Timing): from the input until the next frame, by which INP is defined.

/** Shortest duration in milliseconds that browsers report. Shorter interactions count as this long. */
const SHORTEST = 16;

/** Runs in the page before its scripts. */
export function watchInteractions() {
  window.interactions = new Map();
  new PerformanceObserver((list) => {
    for (const { interactionId, duration, name, processingStart, processingEnd, startTime } of list.getEntries()) {
      const known = window.interactions.get(interactionId);
      if (!interactionId || known?.duration >= duration) continue;
      window.interactions.set(interactionId, { duration, name, waited: processingStart - startTime, handled: processingEnd - processingStart });
    }
  }).observe({ type: "event", durationThreshold: 16, buffered: true });
}

/**
 * Returns the durations of the interactions during `act`: the longest, which is the INP of fewer than fifty
 * interactions, and the one that INP takes of more, which leaves out one in fifty.
 */
export async function measureInteractions(page, act) {
  const before = await page.evaluate(() => {
    window.interactions.clear();
    return performance.interactionCount;
  });
  await act();
  // Entries arrive with the frame after the interaction.
  const [entries, count] = await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve, 100))));
    return [[...window.interactions.values()], performance.interactionCount];
  });
  const durations = entries.map(({ duration }) => duration).sort((a, b) => b - a);
  const total = count - before;
  const worst = entries.find(({ duration }) => duration === durations[0]);
  return { count: total, longest: durations[0] ?? SHORTEST, inp: durations[Math.floor(total / 50)] ?? SHORTEST, worst };
}
