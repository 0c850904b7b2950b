// Audits a page with Lighthouse, in the default context of a browser with a debugging port.

import lighthouse from "lighthouse";
import desktop from "lighthouse/core/config/desktop-config.js";

const METRICS = ["first-contentful-paint", "largest-contentful-paint", "speed-index", "total-blocking-time", "cumulative-layout-shift"];

/** Returns the performance score, 0 to 100, the numbers of which it is made, and what Lighthouse suggests to improve. */
export async function audit(url, port, device) {
  const options = { port, logLevel: "error", onlyCategories: ["performance"], disableStorageReset: true };
  const { lhr } = await lighthouse(url, options, device === "desktop" ? desktop : undefined);
  if (lhr.runtimeError) throw new Error(lhr.runtimeError.message);
  const weak = Object.values(lhr.audits).filter(({ score, scoreDisplayMode }) => score !== null && score < 0.9 && /metricSavings|numeric/.test(scoreDisplayMode));
  return {
    score: lhr.categories.performance.score * 100,
    path: new URL(lhr.finalDisplayedUrl).pathname,
    metrics: METRICS.map((name) => lhr.audits[name].numericValue),
    weak: weak.map(({ id, displayValue }) => `${id} ${displayValue ?? ""}`.trim()),
  };
}
