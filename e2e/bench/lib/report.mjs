// Output of the benchmarks: tables in Markdown, percentiles, and the load of the machine.

import { loadavg } from "node:os";

/** Prints the title with the load average of the last minute, and the head of a table. */
export function heading(title, columns) {
  console.log(`\n${title}. Load average ${loadavg()[0].toFixed(1)}`);
  row(columns);
  row(columns.map(() => "---"));
}

export function row(cells) {
  console.log(`| ${cells.join(" | ")} |`);
}

/** Returns the value below which `share` (0 to 1) of the values are; the nearest one that was measured. */
export function percentile(values, share) {
  if (values.length === 0) return NaN;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}

export const whole = (value) => (Number.isFinite(value) ? value.toFixed(0) : "–");
export const mebibytes = (bytes) => (bytes / 2 ** 20).toFixed(1);

/** Returns a number that a variable sets. */
export function numberOf(variable, usual) {
  const value = Number(process.env[variable] ?? usual);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${variable} must be a whole number above 0`);
  return value;
}
