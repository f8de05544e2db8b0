import type { Page } from 'playwright-core'

/** Steps of the wheel, and how far each goes, px: through a board of 300 agents in one go. */
const [STEPS, STEP_PX] = [60, 220] as const

/** Times of the tasks above 50 ms while a board is scrolled from its top to its end, ms. */
export async function longTasks(page: Page): Promise<number[]> {
  await page.mouse.move(800, 500)
  const tasks = await watchTasks(page)
  for (let step = 0; step < STEPS; step++) {
    await page.mouse.wheel(0, STEP_PX)
    await page.evaluate(() => new Promise(resolve => requestAnimationFrame(resolve)))
  }
  await page.getByRole('rowheader', { name: 'agent-299' }).waitFor()
  return tasks()
}

/** From now on, times of the tasks above 50 ms, ms. */
export async function watchTasks(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const tasks: number[] = []
    Object.assign(globalThis, { tasks })
    new PerformanceObserver(list => {
      for (const { duration } of list.getEntries()) tasks.push(duration)
    }).observe({ type: 'longtask' })
  })
  return () => page.evaluate(() => (globalThis as unknown as { tasks: number[] }).tasks)
}
