import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changesOf } from '../../../../src/rules/changes.ts'
import { parseDecimals, shifted } from '../../../../src/base/numbers.ts'
import { PRICE_LISTS } from '../../../../src/features/price_lists/rules_lists.ts'
import { entriesOf } from '../../../../src/features/price_lists/rules_source.ts'

describe('a decimal whose point is moved', () => {
  test.for([
    ['0.15', -3, 0.00015],
    ['1.5e-07', 3, 0.00015],
    ['2.5E-6', 3, 0.0025],
    ['1e-06', 3, 0.001],
    ['3', -3, 0.003],
    ['0', 3, 0],
    ['0.000000055', 3, 0.000055],
  ] as const)('%s by %d places is %d', ([text, places, number]) => {
    expect(shifted(text, places)).toBe(number)
  })

  test('is the double nearest to what the text says, where a product often is not', () => {
    let products = 0
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99_999 }), fc.integer({ min: 3, max: 12 }), (digits, scale) => {
        const text = `${digits}e-${scale}`
        expect(shifted(text, 3)).toBe(Number(`${digits}e-${scale - 3}`))
        if (Number(text) * 1000 !== shifted(text, 3)) products += 1
      }),
      { numRuns: 1000, seed: 1 },
    )
    expect(products).toBeGreaterThan(100)
  })

  test.for(['', '-1', 'free', '1,5', '0x1', 'Infinity', '1e'])('%j is no price', text => {
    expect(() => shifted(text, 3)).toThrow(RangeError)
  })
})

const LITELLM = `{
  "sample_spec": {"litellm_provider": "one of", "mode": "chat"},
  "m1": {"litellm_provider": "acme", "mode": "chat", "input_cost_per_token": 1.5e-07, "output_cost_per_token": 6e-07,
    "cache_read_input_token_cost": 7.5e-08, "cache_creation_input_token_cost": 1.875e-07,
    "input_cost_per_token_batches": 7.5e-08, "input_cost_per_token_priority": 3e-07},
  "m2": {"litellm_provider": "acme", "mode": "chat", "input_cost_per_token": 2e-06, "output_cost_per_token": 1e-05,
    "input_cost_per_token_above_200k_tokens": 4e-06},
  "half": {"litellm_provider": "acme", "mode": "chat", "input_cost_per_token": 2e-06},
  "free": {"litellm_provider": "acme", "mode": "chat", "input_cost_per_token": 0, "output_cost_per_token": 0},
  "image": {"litellm_provider": "acme", "mode": "image_generation", "output_cost_per_image": 1},
  "acme/container": {"litellm_provider": "acme", "mode": "chat", "code_interpreter_cost_per_session": 0.03},
  "acme/m1": {"litellm_provider": "other", "mode": "chat", "input_cost_per_token": 1, "output_cost_per_token": 1}
}`

const GENAI = `[{"id": "acme", "models": [
  {"id": "m1", "prices": {"input_mtok": 0.15, "output_mtok": 0.6, "cache_read_mtok": 0.075, "cache_write_mtok": 0.1875}},
  {"id": "m2", "prices": {"input_mtok": {"base": 2, "tiers": [{"start": 200000, "price": 4}]}, "output_mtok": 10}},
  {"id": "dated", "prices": [
    {"prices": {"input_mtok": 9, "output_mtok": 9}},
    {"constraint": {"type": "start_date", "start_date": "2026-10-01"}, "prices": {"input_mtok": 3, "output_mtok": 4}},
    {"constraint": {"type": "start_date", "start_date": "2027-01-01"}, "prices": {"input_mtok": 1, "output_mtok": 1}},
    {"constraint": {"start_time": "16:30", "end_time": "00:30"}, "prices": {"input_mtok": 0.1, "output_mtok": 0.1}}]},
  {"id": "half", "prices": {"output_mtok": 1}},
  {"id": "free", "prices": {"input_mtok": 0, "output_mtok": 0}}
]}, {"id": "other", "models": []}]`

const M1 = {
  model: 'm1',
  input_usd_per_1k_tokens: 0.00015,
  output_usd_per_1k_tokens: 0.0006,
  cached_input_usd_per_1k_tokens: 0.000075,
  cache_write_input_usd_per_1k_tokens: 0.0001875,
}
const M2 = {
  model: 'm2',
  input_usd_per_1k_tokens: 0.002,
  output_usd_per_1k_tokens: 0.01,
  cached_input_usd_per_1k_tokens: 0.002,
}
const AS_INPUT = 'whose cached input costs what other input costs, for lack of a price of its own'
const HALF = {
  litellm: '1 model without a price per token for input or output: half (priced by input_cost_per_token)',
  'genai-prices': '1 model without a price per token for input or output: half (priced by output_mtok)',
}
const LEFT_OUT = "the table can't hold these prices, so the price without them counts:"

describe.for([
  ['litellm', LITELLM],
  ['genai-prices', GENAI],
] as const)('%s', ([format, text]) => {
  const read = (models: readonly string[], allowFree = false, provider = 'acme') =>
    entriesOf(PRICE_LISTS[format](parseDecimals(text), provider, '2026-11-21'), { models, allowFree })

  test('gives the rates per 1,000 tokens, and names what a table can not hold', () => {
    expect(read(['m2', 'm1'])).toEqual({
      entries: [M1, M2],
      warnings: [
        `1 model ${AS_INPUT}: m2`,
        `${LEFT_OUT} long context (m2)${format === 'litellm' ? ', batches and service tiers (m1)' : ''}`,
      ],
    })
    expect(read(['m1']).warnings).toEqual(
      format === 'litellm' ? [`${LEFT_OUT} batches and service tiers (m1)`] : [],
    )
  })

  test('without names leaves out what has no price or is free, and counts it', () => {
    const { entries, warnings } = read([])
    expect(entries.filter(({ model }) => model !== 'dated')).toEqual([M1, M2])
    const lacks = 'without a price per token for input or output:'
    expect(warnings.filter(warning => warning.startsWith('left out'))).toEqual([
      ...(format === 'litellm'
        ? [
            `left out 2 models ${lacks} half, container (priced by input_cost_per_token, code_interpreter_cost_per_session)`,
            'left out 1 model for image_generation: image (priced by output_cost_per_image)',
          ]
        : [`left out 1 model ${lacks} half (priced by output_mtok)`]),
      'left out 1 model at a price of 0 (--allow-free takes them): free',
    ])
  })

  test.for([
    [['m1', 'm3'], 'the list has no m3 of this provider (did you mean m1?)'],
    [['M1'], 'the list has no M1 of this provider (did you mean m1?)'],
    [['m1', 'half'], `the list has ${HALF[format]}`],
    [['m1', 'free'], 'the list has 1 model at a price of 0 (--allow-free takes them): free'],
    [
      ['free', 'half'],
      `the list has ${HALF[format]}, and 1 model at a price of 0 (--allow-free takes them): free`,
    ],
  ] as const)('refuses %j', ([models, problem]) => {
    expect(() => read(models)).toThrow(new RangeError(problem))
  })

  test('takes what is free where that is allowed, and refuses a provider that it does not have', () => {
    expect(read(['free'], true).entries).toMatchObject([{ model: 'free', input_usd_per_1k_tokens: 0 }])
    expect(() => read([], false, 'nobody')).toThrow('the list has no models of this provider')
  })

  test.for(['null', '[]', '{}', '7', '[null]', '{"acme":null}', '[{"id":"acme","models":[null]}]'])(
    'of %s gives no models',
    other => {
      const list = PRICE_LISTS[format](parseDecimals(other), 'acme', '2026-11-21')
      expect(() => entriesOf(list, { models: ['m1'], allowFree: false })).toThrow(RangeError)
    },
  )
})

describe('a LiteLLM list', () => {
  const price = { input_cost_per_token: 1e-6, output_cost_per_token: 2e-6, cache_read_input_token_cost: 1e-7 }
  const read = (list: object, provider: string, models: readonly string[] = [], allowFree = false) => {
    const document = Object.fromEntries(
      Object.entries(list).map(([name, entry]) => [
        name,
        { litellm_provider: provider, mode: 'chat', ...price, ...entry },
      ]),
    )
    return entriesOf(PRICE_LISTS.litellm(parseDecimals(JSON.stringify(document)), provider), {
      models,
      allowFree,
    })
  }

  test.for([
    ['gemini/m1', 'gemini', 'm1'],
    ['vertex_ai/m1', 'vertex_ai-language-models', 'm1'],
    ['azure/eu/m1', 'azure', 'eu/m1'],
    ['fireworks_ai/accounts/fireworks/models/m1', 'fireworks_ai', 'accounts/fireworks/models/m1'],
    ['meta-llama/m1', 'together_ai', 'meta-llama/m1'],
    ['azure/m1', 'azure_ai', 'azure/m1'],
    ['m1', 'gemini', 'm1'],
  ] as const)('names %s of %s %s', ([listed, provider, model]) => {
    for (const models of [[], [listed], [model]]) {
      expect(read({ [listed]: {} }, provider, models).entries).toMatchObject([{ model }])
    }
  })

  test('prices embeddings, which have no output', () => {
    const voyage = { mode: 'embedding', input_cost_per_token: 1e-7, output_cost_per_token: 0 }
    for (const embedding of [voyage, { ...voyage, output_cost_per_token: undefined }]) {
      const prices = { cache_read_input_token_cost: undefined, ...embedding }
      expect(read({ 'voyage/m1': prices }, 'voyage')).toEqual({
        entries: [
          {
            model: 'm1',
            input_usd_per_1k_tokens: 0.0001,
            output_usd_per_1k_tokens: 0,
            cached_input_usd_per_1k_tokens: 0.0001,
          },
        ],
        warnings: [],
      })
    }
    const free = { ...voyage, input_cost_per_token: 0 }
    expect(() => read({ m1: free }, 'acme')).toThrow('1 model at a price of 0')
  })

  test.for([
    [{ mode: 'audio_transcription', input_cost_per_second: 1e-4 }, 'for audio_transcription: m1'],
    [{ mode: 'image_generation', output_cost_per_image: 0.1 }, 'for image_generation: m1'],
    [{ mode: 'rerank', input_cost_per_query: 0.01 }, 'for rerank: m1'],
    [
      { mode: undefined, input_cost_per_character: 1e-5 },
      'without a price per token for input or output: m1',
    ],
  ] as const)('of nothing but %j is refused, with the field', ([entry, reason]) => {
    const list = parseDecimals(JSON.stringify({ m1: { litellm_provider: 'acme', ...entry } }))
    const field = Object.keys(entry)[1]!
    expect(() => entriesOf(PRICE_LISTS.litellm(list, 'acme'), { models: [], allowFree: false })).toThrow(
      new RangeError(`the list has 1 model ${reason} (priced by ${field})`),
    )
  })

  test('that has a model with and without the prefix gives it once, with a price', () => {
    const free = { input_cost_per_token: 0, output_cost_per_token: 0 }
    for (const list of [
      { m1: free, 'acme/m1': {} },
      { 'acme/m1': {}, m1: free },
    ]) {
      expect(read(list, 'acme')).toMatchObject({
        entries: [{ model: 'm1', input_usd_per_1k_tokens: 0.001 }],
        warnings: [],
      })
    }
  })

  test('that has a model with the prefix twice keeps it apart', () => {
    for (const names of [
      ['acme/m1', 'acme/acme/m1'],
      ['acme/acme/m1', 'acme/m1'],
    ]) {
      const list = Object.fromEntries(names.map(name => [name, {}]))
      expect(read(list, 'acme').entries).toMatchObject([{ model: 'acme/m1' }, { model: 'm1' }])
    }
  })

  test('prices a cache without a price, or one of 0, as input', () => {
    const zero = { cache_read_input_token_cost: 0, cache_creation_input_token_cost: 0.0 }
    expect(read({ m1: zero }, 'acme')).toEqual({
      entries: [
        {
          model: 'm1',
          input_usd_per_1k_tokens: 0.001,
          output_usd_per_1k_tokens: 0.002,
          cached_input_usd_per_1k_tokens: 0.001,
        },
      ],
      warnings: [`1 model ${AS_INPUT}: m1`],
    })
    expect(read({ m1: zero }, 'acme', [], true).entries).toMatchObject([
      { cached_input_usd_per_1k_tokens: 0, cache_write_input_usd_per_1k_tokens: 0 },
    ])
  })

  test.for([
    [{ input_cost_per_audio_token: 1e-5 }, 'audio'],
    [{ output_cost_per_reasoning_token: 4e-6 }, 'reasoning'],
    [
      { off_peak_pricing: { input_cost_per_token: 1e-7, windows: [{ hours_utc: [16, 24] }] } },
      'off-peak hours',
    ],
    [{ cache_creation_input_token_cost_above_1hr: 3e-6 }, 'cache of an hour or more'],
    [{ search_context_cost_per_query: { search_context_size_low: 0.01 } }, 'requests, searches and time'],
    [{ input_cost_per_request: 0.005 }, 'requests, searches and time'],
    [{ output_cost_per_image: 0.1 }, 'images and video'],
    [{ input_cost_per_token_flex: 5e-7 }, 'batches and service tiers'],
    [{ input_cost_per_token_above_200k_tokens: 2e-6 }, 'long context'],
    [{ telepathy_cost: 1 }, 'telepathy_cost'],
    [{ output_cost_per_reasoning_token: 2e-6 }, undefined],
    [{ input_cost_per_audio_token: 0, input_dbu_cost_per_token: 0.1, max_tokens: 7 }, undefined],
  ] as const)('with %j has the part %s', ([more, part]) => {
    expect(read({ m1: more, m2: {} }, 'acme').warnings).toEqual(
      part === undefined ? [] : [`${LEFT_OUT} ${part} (m1)`],
    )
  })

  test('with tiers alone is priced by the lowest', () => {
    const tiers = [
      { input_cost_per_token: 1e-6, output_cost_per_token: 4e-6, range: [0, 32_000] },
      { input_cost_per_token: 2e-6, output_cost_per_token: 8e-6, range: [32_000, 256_000] },
    ]
    const list = { m1: { litellm_provider: 'acme', mode: 'chat', tiered_pricing: tiers } }
    const document = parseDecimals(JSON.stringify(list))
    const lowest = entriesOf(PRICE_LISTS.litellm(document, 'acme'), { models: ['m1'], allowFree: false })
    expect(lowest).toMatchObject({
      entries: [{ input_usd_per_1k_tokens: 0.001, output_usd_per_1k_tokens: 0.004 }],
      warnings: [`1 model ${AS_INPUT}: m1`, `${LEFT_OUT} long context (m1)`],
    })
  })
})

test('of a dated list the last price counts that is in force by then', () => {
  const on = (today: string) =>
    entriesOf(PRICE_LISTS['genai-prices'](parseDecimals(GENAI), 'acme', today), {
      models: ['dated'],
      allowFree: false,
    })
  expect(on('2026-09-30').entries[0]!.input_usd_per_1k_tokens).toBe(0.009)
  expect(on('2026-10-01').entries[0]!.input_usd_per_1k_tokens).toBe(0.003)
  expect(on('2027-01-01')).toMatchObject({
    entries: [{ input_usd_per_1k_tokens: 0.001 }],
    warnings: [`1 model ${AS_INPUT}: dated`, `${LEFT_OUT} off-peak hours (dated)`],
  })
})

test('of prices by the hour the dearest counts', () => {
  const night = { input_mtok: 0.135, output_mtok: 0.55, cache_read_mtok: 0.035 }
  const day = { input_mtok: 0.27, output_mtok: 1.1, cache_read_mtok: 0.07 }
  const hours = { start_time: '00:30:00Z', end_time: '16:30:00Z' }
  for (const [base, timed] of [
    [night, day],
    [day, night],
  ]) {
    const prices = [{ prices: base }, { constraint: hours, prices: timed }]
    const list = parseDecimals(JSON.stringify([{ id: 'deepseek', models: [{ id: 'm1', prices }] }]))
    const read = PRICE_LISTS['genai-prices'](list, 'deepseek', '2026-11-21')
    expect(entriesOf(read, { models: [], allowFree: false })).toEqual({
      entries: [
        {
          model: 'm1',
          input_usd_per_1k_tokens: 0.00027,
          output_usd_per_1k_tokens: 0.0011,
          cached_input_usd_per_1k_tokens: 0.00007,
        },
      ],
      warnings: [`${LEFT_OUT} off-peak hours (m1)`],
    })
  }
})

test('what a table changes is told by model', () => {
  const dearer = { ...M1, output_usd_per_1k_tokens: 0.0008, cached_input_usd_per_1k_tokens: null }
  expect(changesOf([M1, M2], [dearer, { ...M2, model: 'm3' }])).toEqual([
    '~ m1  output 0.0006 → 0.0008, cached 0.000075 → none',
    '- m2',
    '+ m3  input 0.002, output 0.01, cached 0.002',
  ])
  expect(changesOf([M1], [M1])).toEqual([])
})

describe('the deprecation date of a LiteLLM list', () => {
  const entry = (more: object) => ({
    litellm_provider: 'acme',
    mode: 'chat',
    input_cost_per_token: 1e-6,
    output_cost_per_token: 2e-6,
    ...more,
  })
  test.for([
    ['2026-10-01', '2026-10-01'],
    [undefined, undefined],
    ['date when the model becomes deprecated in the format YYYY-MM-DD', undefined],
    ['2026-02-30', undefined],
    ['2026-10', undefined],
    ['', undefined],
    [20261001, undefined],
  ] as const)('%j is the day %j: what is no day is never guessed', ([given, retires_on]) => {
    const list = parseDecimals(JSON.stringify({ m1: entry({ deprecation_date: given }) }))
    const { entries, warnings } = entriesOf(PRICE_LISTS.litellm(list, 'acme'), {
      models: [],
      allowFree: false,
    })
    expect(entries[0]!.retires_on).toBe(retires_on)
    const cache = `1 model ${AS_INPUT}: m1`
    const isOdd = given !== undefined && retires_on === undefined
    expect(warnings).toEqual(
      isOdd ? [cache, 'the list has no date such as 2026-01-31 for the end of m1'] : [cache],
    )
  })
})
