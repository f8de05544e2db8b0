import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { MINUTE_MS } from '../../../src/base/time.ts'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { CLIENTS, type Client, MODELS, type Truths } from '../../../tools/captures/clients.ts'

import { outcomeOf, releaseOf } from '../../support/otlp/receive.ts'
import { VECTOR } from '../../support/providers/vector.ts'
import { RUNS, UPSTREAM } from './clients_known.ts'

const FOLDER = join(ROOT_PATH, 'test/fixtures/clients')
const TRUTHS = JSON.parse(readFileSync(join(FOLDER, 'truth.json'), 'utf8')) as Truths

/** USD per 1,000 tokens. Only Anthropic and Bedrock charge for what is written to a cache. */
const PRICES = { input: 0.01, read: 0.001, output: 0.03 }
const writtenPrice = ({ provider }: Client): number =>
  provider === 'anthropic' || provider === 'bedrock' ? 0.0125 : PRICES.input

interface Tokens {
  readonly plain: number
  readonly read: number
  readonly written: number
  readonly output: number
}

function costOf({ plain, read, written, output }: Tokens, client: Client): string {
  const cost =
    plain * PRICES.input + read * PRICES.read + written * writtenPrice(client) + output * PRICES.output
  return (cost / 1000).toFixed(6)
}

interface Result {
  readonly verdict: 'exact' | 'refused' | 'upstream' | 'not run' | 'wrong'
  readonly why: string
}

async function resultOf(client: Client): Promise<Result> {
  const truth = TRUTHS.clients[client.name]
  if (truth === undefined || 'notRun' in truth)
    return { verdict: 'not run', why: truth?.notRun ?? 'never run' }
  const bytes = Uint8Array.from(gunzipSync(readFileSync(join(FOLDER, `${client.name}.bin.gz`))))
  // OpenLLMetry names the models of Bedrock without their maker.
  const models = new Set([MODELS[client.provider], MODELS[client.provider].replace('anthropic.', '')])
  const pricing = { provider: client.provider, pricing_version: 'v1' }
  const release = releaseOf({ agent_id: 'support-bot', model: MODELS[client.provider], pricing, models })
  const { events, answer } = await outcomeOf(
    { bytes, format: 'protobuf', encoding: null },
    [release],
    Date.now() + MINUTE_MS,
  )
  const message = new TextDecoder().decode(answer.body).replace(/^.*?(?=Spans|Warning)/s, '')
  const used = events.flatMap(({ usage: { model, models: more = [] } }) => [model, ...more])
  const sum = used.reduce<Tokens>(
    (all, one) => ({
      plain: all.plain + one.input_tokens - (one.cache_write_input_tokens ?? 0),
      read: all.read + one.cached_input_tokens,
      written: all.written + (one.cache_write_input_tokens ?? 0),
      output: all.output + one.output_tokens,
    }),
    { plain: 0, read: 0, written: 0, output: 0 },
  )
  const { calls } = truth
  const wanted = { plain: VECTOR.uncached, read: VECTOR.read, written: VECTOR.written, output: VECTOR.output }
  const all = Object.fromEntries(Object.entries(wanted).map(([kind, count]) => [kind, count * calls]))
  const [expected, came] = [costOf(all as unknown as Tokens, client), costOf(sum, client)]
  const runs = RUNS[client.name] ?? 1
  const figures = `$${came} in ${events.length} runs for $${expected} in ${runs}`
  const isAsItEnded = events.every(({ metrics }) => metrics.success !== client.name.endsWith('_fails'))
  if (came === expected && events.length === runs && isAsItEnded) return { verdict: 'exact', why: '' }
  if (events.length === 0 && message !== '') return { verdict: 'refused', why: message }
  const reason = UPSTREAM[client.name]
  return reason === undefined
    ? { verdict: 'wrong', why: `${figures} ${JSON.stringify(sum)} ${message}` }
    : { verdict: 'upstream', why: `${reason} (${figures})` }
}

const results = new Map<Client, Result>()
for (const client of CLIENTS) results.set(client, await resultOf(client))

test.each(Array.from(results, ([{ name }, result]) => [name, result] as const))(
  '%s is exact, refused, or said to be wrong',
  (_name, { verdict, why }) => {
    expect(verdict, why).not.toBe('wrong')
  },
)

test('what is said to be wrong is', () => {
  const names = Array.from(results, ([{ name }, { verdict }]) => (verdict === 'upstream' ? name : ''))
  expect(Object.keys(UPSTREAM).filter(name => !names.includes(name))).toEqual([])
})

test('the page of the matrix says what came', async () => {
  await expect(matrixText()).toMatchFileSnapshot(join(ROOT_PATH, 'docs/project/clients.md'))
})

function matrixText(): string {
  const count = (wanted: Result['verdict']) =>
    [...results.values()].filter(({ verdict }) => verdict === wanted).length
  const rows = Array.from(results, ([{ title, packages }, { verdict, why }]) => {
    const reason = why.replaceAll('|', '/').replaceAll('\n', ' ').slice(0, MOST_WHY)
    return `| ${title} | ${packages} | ${verdict} | ${reason} |`
  })
  const versions = Object.entries(TRUTHS.versions).map(
    ([name, all]) =>
      `${name}: ${all
        .filter(each => !each.includes('exporter'))
        .map(each => each.replace('==', ' '))
        .join(', ')}`,
  )
  return `# Clients that were run

Each client ran against a model server that knows what it used, and exported spans by its own exporter (\`npm run captures\`).
${CLIENTS.length} set-ups:

- ${count('exact')} exact, to the cent;
- ${count('refused')} refused, with the reason;
- ${count('upstream')} upstream: the export lacks what was used;
- ${count('not run')} not run here, with the error.

The bytes that were sent are in test/fixtures/clients. \`npm test\` counts them, and 16 older ones in test/fixtures/otlp. This page
is generated.

| client | packages | result | why |
| --- | --- | --- | --- |
${rows.join('\n')}

Reports of promptfoo, Inspect, DeepEval, pytest, Braintrust, LangSmith, GoogleTest, Playwright, ragas and Azure AI Foundry are among
the tests as the tools wrote them. OpenAI's Evals API needs an account: its items are those that the SDK of OpenAI writes of a
server that answers as the types of the SDK say.

## Prices

\`svc pricing import --from litellm\` makes a table for 103 of the 156 providers in the list of LiteLLM 1.110.2, with embeddings, such
as Voyage's. The others are refused with the field that prices them: Deepgram has \`input_cost_per_second\` and
\`input_cost_per_character\`, Stability has \`output_cost_per_image\`. Ollama costs 0, so it needs \`--allow-free\`.

\`prove -- python\` compares with genai-prices 0.2.3:

- 529 names of usage mean the same, and one is explained;
- 8,176 costs of its models are equal, or dearer where its price depends on the hour;
- 16 responses count the same. Of 9 it reads less than they say, or takes what contradicts itself;
  tools/proofs/python_prices.py has the reason for each.

## Packages

Their exporters are in truth.json:

\`\`\`text
${versions.join('\n')}
\`\`\`
`
}

/** Longest reason in the page, characters. */
const MOST_WHY = 240
