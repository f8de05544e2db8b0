import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { Release } from '../../../src/models/documents/release.ts'
import { eventOf, releaseOf } from '../../support/services/builders.ts'
import { copyOf, makeWorkspace, runSvc } from '../../support/processes/cli.ts'
import { scaled } from '../../support/scale.ts'
import { SLIPS, type Slip } from './rows.ts'

const MODEL = 'claude-haiku-4-5'
const TABLE = { provider: 'acme-llm', pricing_version: 'contract-2026q4' }

function bundle(version: string, edit: (release: Release) => unknown = release => release): unknown {
  const release = releaseOf({ agent: 'invoice-agent', version })
  const spec = {
    ...release.spec,
    runtime: { provider: TABLE.provider, model: MODEL },
    pricing_reference: TABLE,
  }
  return edit({ ...release, spec })
}

/** Releases of which a detail is wrong, by what it is. */
const WRONG: Readonly<Record<string, unknown>> = {
  'version: 1.10': bundle('1.10', ({ metadata, ...rest }) => ({
    ...rest,
    metadata: { ...metadata, version: 1.1 },
  })),
  file: bundle('1', ({ spec, ...rest }) => ({
    ...rest,
    spec: { ...spec, prompts: { system_ref: 'prompts/sytem.md' } },
  })),
  agnet: bundle('1', ({ spec: { agent, ...spec }, ...rest }) => ({
    ...rest,
    spec: { ...spec, agnet: agent },
  })),
  table: bundle('1', ({ spec, ...rest }) => ({
    ...rest,
    spec: { ...spec, pricing_reference: { ...TABLE, pricing_version: 'nope' } },
  })),
  model: bundle('1', ({ spec, ...rest }) => ({
    ...rest,
    spec: { ...spec, runtime: { provider: TABLE.provider, model: 'claude-haiku-9' } },
  })),
}

const workspace = makeWorkspace()
const { ok, write } = workspace
await ok('init')
write('prices.yaml', {
  ...TABLE,
  entries: [{ model: MODEL, input_usd_per_1k_tokens: 0.001, output_usd_per_1k_tokens: 0.005 }],
})
await ok('pricing', 'import', 'prices.yaml')
const ids: Record<string, string> = {}
for (const version of ['1', '2', '3']) {
  write(`v${version}/release.yaml`, bundle(version))
  ids[`$V${version}`] = await ok('release', 'register', `v${version}`, '--env', 'prod')
}
const NOW = Date.now()
for (const version of ['1', '3']) {
  const lines = Array.from({ length: 60 }, (_, index) =>
    JSON.stringify(
      eventOf({
        run_id: `v${version}-${index}`,
        release_id: ids[`$V${version}`]!,
        agent_id: 'invoice-agent',
        environment: 'prod',
        model: MODEL,
        at: NOW - (index + 2) * 60_000,
      }),
    ).replaceAll('"acme"', '"acme-llm"'),
  )
  write(`runs${version}.jsonl`, `${lines.join('\n')}\n`)
  await ok('runs', 'ingest', `runs${version}.jsonl`)
}
await ok('release', 'promote', ids.$V1!, '--env', 'prod', '--window', '24h', '--reason', 'first')

function filled(text: string): string {
  const wrong = /^\$RELEASE (.+)$/.exec(text)?.[1]
  if (wrong !== undefined) return JSON.stringify(WRONG[wrong])
  return text
    .replaceAll(/\$V\d/g, id => ids[id]!)
    .replaceAll('$NOW', new Date(NOW - 60_000).toISOString())
    .replaceAll('$LOCAL', new Date(NOW - 60_000).toISOString().slice(0, -1))
}

/** As a shell splits it. */
function words(typed: string): string[] {
  return Array.from(typed.matchAll(/"([^"]*)"|(\S+)/g), ([, quoted, word]) => quoted ?? filled(word!))
}

async function said({ typed, files = {}, stdin = '' }: Slip): Promise<{ text: string; code: number | null }> {
  const { folder, write: put } = copyOf(workspace)
  for (const [name, text] of Object.entries(files)) put(name, filled(text))
  const { stdout, stderr, code } = await runSvc(words(typed), folder, {
    stdin: Readable.from([stdin]) as never,
  })
  return { text: `${stderr}${stdout}`, code }
}

/** Half of them, or all, which are printed. */
const TYPED = scaled(
  SLIPS.filter((_, index) => index % 2 === 0),
  SLIPS,
)

test('what is typed wrong is answered with what mends it', async () => {
  const failing: string[] = []
  for (const slip of TYPED) {
    const { text, code } = await said(slip)
    const isRight = slip.says.test(text) && code === slip.exit
    if (!isRight) failing.push(`$ svc ${slip.typed}   (${code})\n${text.slice(0, 600)}`)
    if (process.env.PROVE === '1') {
      process.stdout.write(
        `${isRight ? 'ok  ' : 'LACKS'} $ svc ${slip.typed}   (${code})\n${text.replaceAll(/^/gm, '      ').slice(0, 400)}\n`,
      )
    }
    expect(text.trim(), `svc ${slip.typed} says something`).not.toBe('')
  }
  const share = 1 - failing.length / TYPED.length
  if (process.env.PROVE === '1')
    process.stdout.write(`${TYPED.length - failing.length} of ${TYPED.length} say the mend\n`)
  expect(share, failing.join('\n\n')).toBeGreaterThanOrEqual(0.95)
}, 120_000)
