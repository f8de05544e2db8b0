import { describe, expect, test } from 'vitest'
import type { RunEvent } from '../../../src/models/documents/run_event.ts'
import { normaliseEvent } from '../../../src/models/documents/normalise.ts'
import { eventNumbers } from '../../../src/rules/rollup.ts'

const MINIMAL: RunEvent = {
  timestamp: '2026-01-31T12:00:00Z',
  agent_id: 'bot',
  release_id: 'rel_1',
  run_id: 'run-1',
  tenant_id: '',
  task_id: 'triage',
  environment: 'prod',
  usage: { model: { provider: 'acme', model: 'm1', input_tokens: 1000, output_tokens: 500 } },
}

const NORMAL = {
  ...MINIMAL,
  api_version: 'v1',
  type: 'run_end',
  timestamp: '2026-01-31T12:00:00.000Z',
  workspace_id: 'ws_local',
  metrics: { success: true, latency_ms: null, error_type: null },
  usage: {
    model: { ...MINIMAL.usage.model, cached_input_tokens: 0 },
    tools: [],
  },
  labels: {},
  request: null,
}

describe('normaliseEvent', () => {
  test('applies every default of the specification', () => {
    expect(normaliseEvent(MINIMAL)).toEqual(NORMAL)
  })

  test('keeps what is given', () => {
    const given: RunEvent = {
      ...MINIMAL,
      api_version: 'v1',
      type: 'run_start',
      timestamp: '2026-01-31T12:00:00.123456Z',
      workspace_id: '',
      metrics: { success: false, latency_ms: 0, error_type: '' },
      usage: {
        model: { ...MINIMAL.usage.model, cached_input_tokens: 7 },
        tools: [{ tool_name: 'search', invocations: 3, cost_units: 0.25 }],
      },
      labels: { team: 'a' },
      request: { session_id: 's', trace_id: '', span_id: 'p' },
    }
    expect(normaliseEvent(given)).toEqual(given)
  })

  test('fills in what is missing of metrics, tools and request', () => {
    const given: RunEvent = {
      ...MINIMAL,
      metrics: { latency_ms: 5 },
      usage: { ...MINIMAL.usage, tools: [{ tool_name: 'search' }] },
      request: { trace_id: 't' },
    }
    expect(normaliseEvent(given)).toMatchObject({
      metrics: { success: true, latency_ms: 5, error_type: null },
      usage: { tools: [{ tool_name: 'search', invocations: 0, cost_units: 0 }] },
      request: { session_id: null, trace_id: 't', span_id: null },
    })
  })

  test('takes null where the specification has null as default', () => {
    const given: RunEvent = { ...MINIMAL, metrics: { latency_ms: null, error_type: null }, request: null }
    expect(normaliseEvent(given)).toEqual(NORMAL)
  })

  test('drops unknown fields wherever they are', () => {
    const given = {
      ...MINIMAL,
      extra: 1,
      metrics: { success: true, extra: 1 },
      usage: { extra: 1, model: { ...MINIMAL.usage.model, extra: 1 }, tools: [{ tool_name: 'a', extra: 1 }] },
      request: { trace_id: 't', extra: 1 },
    }
    expect(JSON.stringify(normaliseEvent(given))).not.toContain('extra')
  })

  test('writes the timestamp in UTC and keeps digits finer than a millisecond', () => {
    const timestamp = '2026-01-31T13:30:00.1234567+01:30'
    expect(normaliseEvent({ ...MINIMAL, timestamp }).timestamp).toBe('2026-01-31T12:00:00.1234567Z')
  })

  test('normalising twice changes nothing', () => {
    const once = normaliseEvent(MINIMAL)
    expect(normaliseEvent(once as RunEvent)).toEqual(once)
  })
})

describe('eventNumbers', () => {
  const measured: RunEvent = {
    ...MINIMAL,
    metrics: { success: false, latency_ms: 80 },
    usage: { model: { ...MINIMAL.usage.model, cached_input_tokens: 20 } },
  }

  test('a run_end carries its tokens and latency', () => {
    expect(eventNumbers(normaliseEvent(measured))).toEqual({
      ts: Date.UTC(2026, 0, 31, 12),
      success: 0,
      latency_ms: 80,
      input_tokens: 1000,
      output_tokens: 500,
      cached_input_tokens: 20,
    })
  })

  test('a run_start counts its success, but no tokens and no latency', () => {
    expect(eventNumbers(normaliseEvent({ ...measured, type: 'run_start' }))).toEqual({
      ts: Date.UTC(2026, 0, 31, 12),
      success: 0,
      latency_ms: null,
      input_tokens: 0,
      output_tokens: 0,
      cached_input_tokens: 0,
    })
  })

  test('a latency of 0 is a latency, and one that is missing is none', () => {
    expect(eventNumbers(normaliseEvent({ ...MINIMAL, metrics: { latency_ms: 0 } })).latency_ms).toBe(0)
    expect(eventNumbers(normaliseEvent(MINIMAL))).toMatchObject({ latency_ms: null, success: 1 })
  })

  test('the time is in whole milliseconds, rounded down', () => {
    const timestamp = '2026-01-31T12:00:00.999999999Z'
    expect(eventNumbers(normaliseEvent({ ...MINIMAL, timestamp })).ts).toBe(Date.UTC(2026, 0, 31, 12) + 999)
  })
})
