// Clocks of the benchmark and of a page, as milliseconds since 1970.

const ROUNDS = 20;

export const now = () => performance.timeOrigin + performance.now();

/** Returns what has to be added to a page's clock to get this process's. The fastest of several readings counts. */
export async function clockOffset(page) {
  let best = { took: Infinity };
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = now();
    const there = await page.evaluate(() => performance.timeOrigin + performance.now());
    const took = now() - before;
    if (took < best.took) best = { took, offset: before + took / 2 - there };
  }
  return best.offset;
}
