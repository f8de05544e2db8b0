import { spawnSync } from 'node:child_process'
import { inVenv, pythonPackages, run } from './packages.ts'
import { withService } from './service.ts'

/** The specification fixes both the names and that they are gauges. */
const FIXED = ['actions', 'pricing_tables', 'promoted_pointers', 'releases', 'run_events']

const PARSERS: Readonly<Record<string, string>> = {
  'text/plain': 'prometheus_client.parser',
  'application/openmetrics-text': 'prometheus_client.openmetrics.parser',
}

process.exitCode = await withService({}, async url => {
  const venv = pythonPackages('prometheus-client', ['prometheus-client==0.26.0'])
  let failed = 0
  for (const [accept, parser] of Object.entries(PARSERS)) {
    const text = await (await fetch(`${url}/metrics`, { headers: { accept } })).text()
    const program = `import sys, ${parser} as p; print(len(list(p.text_string_to_metric_families(sys.argv[1]))))`
    const families = Number(run(inVenv(venv, 'python'), ['-c', program, text], { cwd: '.' }))
    const declared = text.match(/^# TYPE /gm)?.length
    if (families !== declared) failed += 1
    process.stdout.write(`${parser}: ${families} of ${declared} metrics\n`)
  }
  const input = await (await fetch(`${url}/metrics`)).text()
  const { stderr, error } = spawnSync('promtool', ['check', 'metrics'], { input, encoding: 'utf8' })
  if (error !== undefined) {
    process.stdout.write('promtool: could not be run\n')
    return failed
  }
  const complaints = stderr.split('\n').filter(line => line !== '')
  const known = FIXED.map(name => `service_${name}_total non-counter metrics should not have "_total" suffix`)
  const odd = complaints.filter(line => !known.includes(line))
  process.stdout.write(
    `promtool: ${complaints.length} names that the specification fixes${odd.map(line => `\n${line}`).join('')}\n`,
  )
  return failed + odd.length
})
