import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  UsageError,
  anthropicMessage,
  bedrockConverse,
  geminiContent,
  langchainMessage,
  openaiChat,
  openaiResponse,
} from '../../../src/features/recorders/usage.ts'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { numbersIn } from '../../../src/usage/names.ts'
import { readUsage } from '../../../src/usage/read.ts'
import { pythonRules } from '../../../tools/python_package.ts'
import { REFUSALS, SHAPES } from '../features/recorders/usage/cases.ts'
import { anthropicMessages } from '../../support/providers/anthropic.ts'
import * as clouds from '../../support/providers/clouds.ts'
import { chatCompletions, responses } from '../../support/providers/openai.ts'
import type { Said } from '../../support/providers/protocol.ts'
import { COUNTS } from '../../support/providers/vector.ts'

const PYTHON = join(ROOT_PATH, 'python')
const hasPython = spawnSync('python3', ['--version']).status === 0
const env = { ...process.env, PYTHONPATH: join(PYTHON, 'src'), PYTHONDONTWRITEBYTECODE: '1' }

/** Helpers of the SDK that `count` of Python has as well. */
const SOURCES = new Map<unknown, string>([
  [openaiChat, 'openai'],
  [openaiResponse, 'openai'],
  [anthropicMessage, 'anthropic'],
  [geminiContent, 'gemini'],
  [bedrockConverse, 'bedrock'],
  [langchainMessage, 'langchain'],
])

/** Whole answers, whose source shows. */
const ANSWERS: readonly (readonly [name: string, said: Said, counts: object])[] = [
  ['OpenAI chat, whole', chatCompletions({ model: 'gpt-5.6' }, 1), COUNTS],
  ['OpenAI response, whole', responses({ model: 'gpt-5.6' }, 1), COUNTS],
  ['Anthropic, whole', anthropicMessages({ model: 'claude-opus-5' }, 1), COUNTS],
  ['Gemini, whole', clouds.geminiContent({}), { ...COUNTS, cache_write_input_tokens: 0 }],
  ['Bedrock, whole', clouds.bedrockConverse(), COUNTS],
]

test('Python counts by the tables of the service; `npm run generate` writes them anew', async () => {
  await expect(pythonRules()).toMatchFileSnapshot('../../../python/src/release_governance/usage_rules.json')
})

test('Python is tested on the cases of the SDK; `npm run generate` writes them anew', async () => {
  const cases = [
    ...SHAPES.map(([name, map, response, counts]) => ({ name, source: SOURCES.get(map), response, counts })),
    ...ANSWERS.map(([name, said, counts]) => ({
      name,
      source: null,
      response: 'json' in said ? said.json : 0,
      counts,
    })),
    ...REFUSALS.map(([name, map, response, message]) => {
      const hasUsage = Object.values(response as object).some(usage => usage !== null)
      return {
        name,
        source: SOURCES.get(map),
        response,
        refusal: hasUsage ? message : 'the response has no usage',
      }
    }),
  ].filter(({ source }) => source !== undefined)
  expect(cases.length).toBeGreaterThan(30)
  const text = `${JSON.stringify(cases, null, 2)}\n`
  await expect(text).toMatchFileSnapshot('../../../python/tests/usage_cases.json')
})

test('the Python package has the version of this one', () => {
  const [ours, theirs] = [join(ROOT_PATH, 'package.json'), join(PYTHON, 'pyproject.toml')]
  const { version } = JSON.parse(readFileSync(ours, 'utf8')) as { version: string }
  expect(/^version = "(.*)"$/m.exec(readFileSync(theirs, 'utf8'))![1]).toBe(version)
})

/** Skipped without python3; `npm run prove -- python` runs more. */
describe.skipIf(!hasPython)('with python3', () => {
  test('its own tests pass', () => {
    const args = ['-W', 'error', '-m', 'unittest', 'discover', '-s', join(PYTHON, 'tests')]
    const { status, stderr } = spawnSync('python3', args, { env, encoding: 'utf8' })
    expect(stderr).toMatch(/Ran \d{2,} tests/)
    expect([status, stderr]).toEqual([0, stderr])
  })

  test('it counts any numbers as the SDK does', () => {
    const names = [
      'prompt_tokens',
      'inputTokens',
      'completion_tokens',
      'output_tokens',
      'totalTokens',
      'cached_tokens',
      'cacheWriteInputTokens',
      'cache_creation.ephemeral_5m_input_tokens',
      'reasoning_tokens',
      'thoughtsTokenCount',
      'toolUsePromptTokenCount',
      'details.cached_tokens',
      'uncached_input_tokens',
      'prompt_cache_miss_tokens',
      'text_tokens',
      'audioTokens',
    ]
    const odd = fc.constantFrom(-1, 1.5, 2 ** 53, '7', 'x', true, null, '٧', '12345678901234567')
    const number = fc.oneof({ weight: 30, arbitrary: fc.nat(8) }, { weight: 1, arbitrary: odd })
    const others = fc.dictionary(fc.constantFrom(...names), number, { maxKeys: 3 })
    const usage = fc.tuple(others, number, number).map(([more, input_tokens, output_tokens]) => ({
      input_tokens,
      output_tokens,
      ...more,
    }))
    const source = fc.constantFrom(...new Set(SOURCES.values()))
    const cases = fc.sample(fc.tuple(source, usage), { numRuns: 4000, seed: 20_261_128 })
    const program = `
import json, sys
from release_governance._usage import UsageError, _numbers_in, _read
def counted(source, usage):
    try:
        return vars(_read("sdk:" + source, _numbers_in(usage).items()))
    except UsageError as error:
        return str(error)
json.dump([counted(*case) for case in json.load(sys.stdin)], sys.stdout)`
    const { stdout, stderr } = spawnSync('python3', ['-c', program], {
      env,
      encoding: 'utf8',
      input: JSON.stringify(cases),
      maxBuffer: 2 ** 26,
    })
    expect(stderr).toBe('')
    const ours = cases.map(([name, numbers]) => counted(`sdk:${name}`, numbers))
    expect(ours.filter(counts => typeof counts === 'object').length).toBeGreaterThan(300)
    expect(JSON.parse(stdout)).toEqual(ours)
  })
})

function counted(scope: string, numbers: object): unknown {
  try {
    return readUsage({ scope }, Object.entries(numbersIn(numbers)))
  } catch (error) {
    if (error instanceof UsageError) return error.message
    throw error
  }
}
