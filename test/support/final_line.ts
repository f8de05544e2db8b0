import type { Reporter, TestModule } from 'vitest/node'

/** Ends the output with `N passed, N failed`, which is what the gate and people look for. */
export class FinalLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 }
    for (const module of modules) {
      const tests = [...module.children.allTests()]
      for (const test of tests) counts[test.result().state] += 1
      if (module.state() === 'failed' && !tests.some(test => test.result().state === 'failed'))
        counts.failed += 1
    }
    // A test that never came to an end has not passed.
    const failed = counts.failed + counts.pending
    const skipped = counts.skipped === 0 ? '' : `${counts.skipped} skipped\n`
    process.on('exit', () => {
      process.stdout.write(`${skipped}${counts.passed} passed, ${failed} failed\n`)
      // Of vitest's own code nothing is left by then: a hook of the embedded PostgreSQL ends the process with 0.
      if (failed > 0) process.exitCode = 1
    })
  }
}
