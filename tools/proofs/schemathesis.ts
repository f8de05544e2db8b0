import { randomInt } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inVenv, pythonPackages } from './packages.ts'
import { withService } from './service.ts'

/** What is found and stays, with the reason. */
const EXPECTED: readonly { readonly found: RegExp; readonly because: string }[] = [
  {
    found: /ST201[^]*object with unexpected properties[^]*\[200\]/,
    because:
      'an unknown query parameter is named in a header, and refused only where the workspace is strict',
  },
  {
    found: /ST201[^]*parameter `([^`]+)` in query[^]*[?&]\1=(?:[&'\s]|$)/,
    because:
      'a query parameter without a value counts as left out, of which the schema of its value says nothing',
  },
  {
    found: /ST202[^]*must be listed once/,
    because: 'JSON Schema can not say that a field is unique among items',
  },
  {
    found: /ST202[^]*"url\\?"\],\\?"msg/,
    because: 'JSON Schema has no words for the hosts that a URL may name',
  },
  {
    found: /ST202[^]*"loc":\["body","(?:artifact|table)",[^]*must not contain a NUL/,
    because:
      'what stands under keys that a document does not have, no schema describes; NUL is refused there too',
  },
  {
    found: /ST202[^]*must be (?:an ISO-8601 date|at most \d+ bytes)/,
    because: 'JSON Schema knows no calendar, and counts characters where we count bytes',
  },
  {
    found: /ST202[^]*"loc":\["body",(?:"policy",)?"overrides",\d+/,
    because: 'which overrides of a policy may stand beside each other no schema can say',
  },
  {
    found: /ST202[^]*idempotency_mismatch/,
    because: 'whether a key was used for another request no schema can say',
  },
]

const SECONDS = process.env.PROVE_SECONDS ?? '300'
const SEED = process.env.SEED ?? String(randomInt(2 ** 31))
const TOKEN = 'of-the-proof'

process.stdout.write(`schemathesis, ${SECONDS} s, SEED=${SEED}\n`)
const program = inVenv(pythonPackages('schemathesis', ['schemathesis==4.32.5']), 'schemathesis')
const reports = mkdtempSync(join(tmpdir(), 'svc-schemathesis-'))
try {
  await withService({ SERVICE_LOCAL_API_TOKEN: TOKEN }, attack)
  const found = failuresOf(readFileSync(join(reports, 'report.xml'), 'utf8'))
  const kept = found.map(text => ({ text, reason: EXPECTED.find(expected => expected.found.test(text)) }))
  for (const { because } of new Set(kept.flatMap(({ reason }) => reason ?? []))) {
    process.stdout.write(`left as it is: ${because}\n`)
  }
  const failed = kept.filter(({ reason }) => reason === undefined)
  for (const { text } of failed) process.stdout.write(`\n${text.slice(0, 2000)}\n`)
  process.stdout.write(`${found.length - failed.length} left as they are, ${failed.length} failed\n`)
  process.exitCode = failed.length === 0 ? 0 : 1
} finally {
  rmSync(reports, { recursive: true, force: true })
}

/** All checks in all phases, whatever they find. Throws where it could not run at all. */
async function attack(url: string): Promise<void> {
  const config = fileURLToPath(new URL('schemathesis.toml', import.meta.url))
  const report = ['--report', 'junit', '--report-junit-path', join(reports, 'report.xml')]
  const args = [
    '--config-file',
    config,
    'run',
    `${url}/openapi.json`,
    '--checks',
    'all',
    '--continue-on-failure',
  ]
  const settings = [
    '--header',
    `Authorization: Bearer ${TOKEN}`,
    '--seed',
    SEED,
    '--max-time',
    SECONDS,
    '--no-color',
  ]
  const { status, stdout, stderr } = spawnSync(program, [...args, ...settings, ...report], {
    cwd: reports,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  if (status !== 0 && status !== 1) throw new Error(`schemathesis: ${`${stdout}${stderr}`.slice(-4000)}`)
  process.stdout.write(`${/^ *\d+ generated.*$/m.exec(stdout)?.[0].trim() ?? stdout.slice(-2000)}\n`)
}

/** Each failure and error of a JUnit report, with the operation. */
function failuresOf(xml: string): string[] {
  return [...xml.matchAll(/<testcase name="([^"]*)"[^>]*(?<!\/)>([^]*?)<\/testcase>/g)].flatMap(
    ([, name, inner]) =>
      [...inner!.matchAll(/<(failure|error)\b[^>]*?(?:\/>|>([^]*?)<\/\1>)/g)].flatMap(([, , text = '']) =>
        unescaped(text)
          .split(/^(?=- \S)/m)
          .filter(part => part.startsWith('- ') || !/Test Case ID/.test(part))
          .map(part => `${unescaped(name!)}\n${part.trim()}`),
      ),
  )
}

function unescaped(text: string): string {
  const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
  return text.replaceAll(/&(?:#(\d+)|(lt|gt|quot|apos|amp));/g, (_, code: string | undefined, name: string) =>
    code === undefined ? named[name]! : String.fromCodePoint(Number(code)),
  )
}
