import { appendFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { type RunnerTestCase, TestRunner, type TestRunnerConfig, type RunnerTestFile } from 'vitest'
import { type Note, readPlan } from './plan.ts'
import { Endless, installSwitch } from './switch.ts'

/** A test that takes more of a processor, ms, is not run once for each mutant: by the clock it depends on who else works. */
const SLOW_CPU_MS = 400

const plan = readPlan()
const mutants = installSwitch(plan.size)
if (plan.always !== null) mutants.turnOn(plan.always)

/** Runs each test once as it is, and then once with each living mutant whose place it had reached. */
export default class MutationRunner extends TestRunner {
  readonly #dead = new Set<number>()
  readonly #passed = new Set<number>()
  readonly #whole = new Set<number>()
  readonly #watchdog: Worker
  #tookMs = 0

  constructor(config: TestRunnerConfig) {
    super(config)
    this.#watchdog = new Worker(new URL('watchdog.ts', import.meta.url), { workerData: plan })
    this.#watchdog.unref()
  }

  onCollected(): void {
    for (const id of mutants.reached().keys()) this.#whole.add(id)
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    mutants.reached()
    const [startedAt, cpu] = [performance.now(), process.cpuUsage()]
    await this.#once(test)
    const tookMs = performance.now() - startedAt
    const { user, system } = process.cpuUsage(cpu)
    this.#tookMs += tookMs
    if (plan.always !== null || (user + system) / 1000 > SLOW_CPU_MS) return
    for (const [id, times] of mutants.reached()) {
      if (this.#dead.has(id)) continue
      const isKilled = await this.#isKilled(test, id, times, tookMs)
      if (isKilled === undefined) this.#whole.add(id)
      else (isKilled ? this.#dead : this.#passed).add(id)
    }
  }

  override onAfterRunFiles(files: RunnerTestFile[]): void {
    const [{ tests }, alive] = [plan, (id: number): boolean => !this.#dead.has(id)]
    for (const id of [...this.#passed].filter(alive)) note({ kind: 'tried', id })
    for (const id of [...this.#whole].filter(alive)) note({ kind: 'whole', id, tests })
    for (const { message } of files.flatMap(failuresOf)) note({ kind: 'failed', message })
    note({ kind: 'done', tests, tookMs: Math.round(this.#tookMs) })
    super.onAfterRunFiles(files)
  }

  /**
   * Whether a test fails with a mutant; undefined where it can't be said, because it then fails without one too, or does
   * not come by again: what it imports while it runs is there by then.
   */
  async #isKilled(
    test: RunnerTestCase,
    id: number,
    times: number,
    tookMs: number,
  ): Promise<boolean | undefined> {
    const by = test.fullTestName
    this.#watchdog.postMessage({ id, by, mostMs: 5000 + 20 * tookMs })
    mutants.turnOn(id, 1000 + 100 * times)
    const error = await this.#failureOf(test)
    const isTried = mutants.isTried()
    mutants.turnOn(-1)
    this.#watchdog.postMessage(null)
    if (error === undefined) return isTried ? false : undefined
    if ((await this.#failureOf(test)) !== undefined) return undefined
    note({ kind: error instanceof Endless ? 'timeout' : 'killed', id, by })
    return true
  }

  async #failureOf(test: RunnerTestCase): Promise<unknown> {
    this.onBeforeTryTask(test, { retry: 0, repeats: 0 })
    try {
      await this.#once(test)
      this.onAfterTryTask(test)
      return undefined
    } catch (error) {
      return error ?? new Error('it failed')
    }
  }

  /** A test with what it left to be done at its end. */
  async #once(test: RunnerTestCase): Promise<void> {
    try {
      await TestRunner.getTestFn(test)()
    } finally {
      const ended = test as { onFinished?: ((context: unknown) => unknown)[] | undefined }
      const left = ended.onFinished ?? []
      ended.onFinished = undefined
      for (const finish of left.toReversed()) await finish(test.context)
    }
  }
}

function note(found: Note): void {
  appendFileSync(plan.notes, `${JSON.stringify(found)}\n`)
}

function failuresOf(file: RunnerTestFile): { message: string }[] {
  const below = (task: RunnerTestFile | RunnerTestCase): { message: string }[] => [
    ...(task.result?.errors ?? []),
    ...('tasks' in task ? task.tasks.flatMap(each => below(each as RunnerTestCase)) : []),
  ]
  return below(file)
}
