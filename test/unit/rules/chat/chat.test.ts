import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FORMATS } from '../../../../src/features/chat/rules_body.ts'
import { shownUrl, withoutSecretUrl } from '../../../../src/rules/secret_url.ts'

const DATA = {
  action_id: 'act_0123456789ab',
  agent_id: 'support-bot',
  environment: 'prod',
  release_id: 'rel_b',
  baseline_release_id: 'rel_a',
  actor: 'ann',
  reason: 'looks fine',
  policy: {
    passed: false,
    result: 'blocked',
    reasons: ['candidate cost_per_run_usd 0.012 exceeds max 0.010'],
  },
}

function payload(data: unknown = DATA, event = 'promote.blocked'): string {
  return JSON.stringify({ event, delivery_id: 'd-1', created_at: '2026-01-31T12:00:00.000Z', data })
}

const PUBLIC = 'https://releases.example.com/gate/'

describe('a message', () => {
  test('for Slack has what it says in notifications, and in blocks', () => {
    expect(JSON.parse(FORMATS.slack(payload(), PUBLIC))).toEqual({
      text: '⛔ Promotion blocked: support-bot in prod\nThe policy blocks.\ncandidate cost_per_run_usd 0.012 exceeds max 0.010',
      mrkdwn: false,
      blocks: [
        { type: 'header', text: plain('⛔ Promotion blocked: support-bot in prod') },
        {
          type: 'section',
          fields: [
            plain('Release\nrel_b'),
            plain('Replaces\nrel_a'),
            plain('By\nann'),
            plain('Reason\nlooks fine'),
            plain('At\n2026-01-31T12:00:00.000Z'),
          ],
        },
        { type: 'section', text: plain('The policy blocks.') },
        { type: 'section', text: plain('candidate cost_per_run_usd 0.012 exceeds max 0.010') },
        {
          type: 'actions',
          elements: [
            {
              type: 'button',
              text: plain('Open'),
              action_id: 'open',
              url: 'https://releases.example.com/gate/?view=log&action=act_0123456789ab',
            },
          ],
        },
      ],
    })
  })

  test('for Teams is an adaptive card without Markdown', () => {
    const { type, attachments } = JSON.parse(FORMATS.teams(payload(), PUBLIC))
    expect(type).toBe('message')
    const [{ contentType, content }] = attachments
    expect(contentType).toBe('application/vnd.microsoft.card.adaptive')
    expect(content).toMatchObject({
      type: 'AdaptiveCard',
      actions: [{ type: 'Action.OpenUrl', url: expect.stringContaining('action=act_0123456789ab') }],
    })
    expect(new Set(content.body.map((block: { type: string }) => block.type))).toEqual(
      new Set(['RichTextBlock']),
    )
  })

  test.each([
    ['promote.succeeded', DATA, '✅ Promoted: support-bot in prod', 'view=log'],
    ['rollback.succeeded', DATA, '↩️ Rolled back: support-bot in prod', 'view=log'],
    [
      'promotion.requested',
      { ...DATA, action_id: undefined, request_id: 'prq_1' },
      '⏳ Approval wanted: support-bot in prod',
      'view=place&request=prq_1',
    ],
    [
      'promote.blocked',
      { ...DATA, policy: { passed: false, result: 'not_yet', reasons: [] } },
      '⏳ Not promoted yet: support-bot in prod',
      'No limit is violated, but there is too little data to decide.',
    ],
    [
      'rollback.forced',
      { ...DATA, version: '1.0.0', policy: { passed: false, result: 'forced', reasons: [] } },
      '⚠️ Forced rollback: support-bot in prod',
      'No policy was evaluated.',
    ],
    [
      'promote.succeeded',
      { ...DATA, policy: { passed: true, result: 'first', reasons: [] } },
      '✅ Promoted: support-bot in prod',
      'First promotion: nothing was compared, and no policy was evaluated.',
    ],
    [
      'promote.succeeded',
      { ...DATA, version: '1.1.0', baseline_version: '1.0.0' },
      '1.1.0 (rel_b)',
      '1.0.0 (rel_a)',
    ],
    ['test.ping', { environment: 'prod', actor: 'ann' }, '🔔 Test of this webhook: prod', 'view=webhooks'],
  ])('of %s has a title and a link of its own', (event, data, title, link) => {
    for (const format of ['slack', 'teams'] as const) {
      const body = FORMATS[format](payload(data, event), PUBLIC)
      expect(body).toContain(title)
      expect(body).toContain(link)
    }
  })

  test('has no link where the service does not know its address', () => {
    for (const format of ['slack', 'teams'] as const) {
      expect(FORMATS[format](payload(), undefined)).not.toContain('view=')
      expect(FORMATS[format](payload(), null)).not.toContain('view=')
    }
  })

  test('mentions nobody and links nowhere, whatever a name or a reason holds', () => {
    const hostile = '<!channel> <@U1> [x](https://evil.example) <https://evil.example|x> *b* &lt;'
    const body = payload({
      ...DATA,
      agent_id: hostile,
      reason: hostile,
      policy: { passed: false, reasons: [hostile] },
    })
    const slack = JSON.parse(FORMATS.slack(body, undefined))
    expect(slack.text).not.toMatch(/[<>]/)
    expect(slack.text).toContain('&lt;!channel&gt;')
    expect(slack.text).toContain('&amp;lt;')
    const kinds = [...JSON.stringify(slack.blocks).matchAll(/"type":"(\w+)","text":"/g)].map(
      ([, kind]) => kind,
    )
    expect(new Set(kinds)).toEqual(new Set(['plain_text']))
    expect(FORMATS.teams(body, undefined)).not.toMatch(/"TextBlock"|"<at>|msteams":\{"entities/)
  })

  test('shows in one line, in the order that it has', () => {
    const body = payload({ ...DATA, actor: 'a\nb\u202Ec\u200Bd' })
    expect(FORMATS.slack(body, undefined)).toContain('By\\na b c d')
  })

  test('is bounded for whatever a payload holds, and keeps within what the chats take', () => {
    const text = fc.string({ unit: 'binary', maxLength: 5000 })
    const value = fc.oneof(text, fc.constant(null), fc.integer(), fc.object({ maxDepth: 1 }))
    const policy = fc.record({ passed: fc.boolean(), reasons: fc.array(value, { maxLength: 40 }) })
    const data = fc.record({
      agent_id: value,
      environment: value,
      release_id: value,
      actor: value,
      reason: value,
      action_id: value,
      policy: fc.oneof(policy, value),
    })
    fc.assert(
      fc.property(data, text, (fields, event) => {
        const slack = JSON.parse(FORMATS.slack(payload(fields, event), PUBLIC))
        expect(Array.from(slack.blocks[0].text.text as string).length).toBeLessThanOrEqual(150)
        for (const block of slack.blocks) {
          const texts = [block.text, ...(block.fields ?? [])].filter(Boolean) as { text: string }[]
          expect(texts.length).toBeLessThanOrEqual(10)
          for (const each of texts) expect(each.text.length).toBeLessThanOrEqual(2000)
        }
        expect(FORMATS.teams(payload(fields, event), PUBLIC).length).toBeLessThan(28_000)
      }),
    )
  })

  test('falls back to the payload where there is nothing to say', () => {
    expect(FORMATS.slack(payload(null), PUBLIC)).toBe(payload(null))
  })
})

describe('the URL of a chat', () => {
  const url = 'https://hooks.example.com/services/T01/B0234567/abcdefghijkl?sig=x%2Fyz12345'

  test('is shown by its host alone, and others as they are', () => {
    expect(shownUrl('slack', url)).toBe('https://hooks.example.com/…')
    expect(shownUrl('json', url)).toBe(url)
  })

  test.each([
    [`POST ${url} failed`, 'POST … failed'],
    ['Cannot POST /services/T01/B0234567/abcdefghijkl', 'Cannot POST …'],
    ['no such hook: abcdefghijkl', 'no such hook: …'],
    ['bad signature x/yz12345', 'bad signature …'],
    ['bad signature x%2Fyz12345', 'bad signature …'],
    ['no_service', 'no_service'],
  ])('is taken out of %j', (said, left) => {
    expect(withoutSecretUrl('teams', url, said)).toBe(left)
    expect(withoutSecretUrl('json', url, said)).toBe(said)
  })
})

function plain(text: string): object {
  return { type: 'plain_text', text, emoji: false }
}
