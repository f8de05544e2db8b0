import { describe, expect, test } from 'vitest'
import { register } from '../../../support/services/builders.ts'
import { ok, promote, promotedBaseline, refusal } from '../../../support/services/requests.ts'
import type { MakeService, TestService } from '../../../support/services/service.ts'

/** GET /v1/pointers/{agent_id}/{environment}, POST /ofrep/v1/evaluate/flags and POST /ofrep/v1/evaluate/flags/{key} */
export function pointersContract(makeService: MakeService): void {
  describe('a pointer', () => {
    const pointer = (service: TestService, headers: Record<string, string> = {}, place = 'bot/local') =>
      service.call(`GET /v1/pointers/${place}` as never, { headers })

    test('names what is promoted, and may be kept for some seconds', async () => {
      const { service, baseline } = await promotedBaseline(makeService)
      const { status, body, headers } = await pointer(service)
      expect(status).toBe(200)
      expect(body).toEqual({
        agent_id: 'bot',
        environment: 'local',
        release_id: baseline,
        version: '1',
        checksum: 'a'.repeat(64),
      })
      expect(headers.get('etag')).toBe(`"${baseline}"`)
      expect(headers.get('cache-control')).toBe(
        'private, max-age=5, stale-while-revalidate=60, stale-if-error=86400',
      )
    })

    test('that the caller knows is 304, until another release is promoted', async () => {
      const { service, baseline, candidate } = await promotedBaseline(makeService)
      for (const known of [`"${baseline}"`, `W/"${baseline}"`, `"x", "${baseline}"`, '*']) {
        const { status, text, headers } = await pointer(service, { 'if-none-match': known })
        expect([known, status, text]).toEqual([known, 304, ''])
        expect(headers.get('etag')).toBe(`"${baseline}"`)
      }
      for (const other of ['', '"x"', baseline, `"${candidate}"`]) {
        expect((await pointer(service, { 'if-none-match': other })).status).toBe(200)
      }
      await ok(promote(service, candidate))
      const { status, body } = await pointer(service, { 'if-none-match': `"${baseline}"` })
      expect([status, body.release_id]).toEqual([200, candidate])
    })

    test('that there is none of is 404', async () => {
      const { service } = await promotedBaseline(makeService)
      expect(await refusal(pointer(service, {}, 'bot/prod'), 404)).toBe(
        'Nothing is promoted for bot in prod.',
      )
      expect(await refusal(pointer(service, { 'if-none-match': '*' }, 'nobody/local'), 404)).toBe(
        'Nothing is promoted for nobody in local.',
      )
    })
  })

  describe('a flag', () => {
    const flag = (service: TestService, key: string, body: unknown, headers: Record<string, string> = {}) =>
      service.call(`POST /ofrep/v1/evaluate/flags/${key}` as never, { body, headers })

    test('has the promoted release as its value', async () => {
      const { service, baseline } = await promotedBaseline(makeService)
      for (const body of [{ context: { environment: 'local', targetingKey: 'u1' } }, { context: {} }, {}]) {
        const { status, body: answer } = await flag(service, 'bot', body)
        expect(status).toBe(200)
        expect(answer).toEqual({ key: 'bot', value: baseline, reason: 'STATIC', variant: '1' })
      }
    })

    test('that the caller knows is 304, until another release is promoted', async () => {
      const { service, candidate } = await promotedBaseline(makeService)
      const etag = (await flag(service, 'bot', {})).headers.get('etag')!
      const known = await flag(service, 'bot', {}, { 'if-none-match': etag })
      expect([known.status, known.text, known.headers.get('etag')]).toEqual([304, '', etag])
      await ok(promote(service, candidate))
      const { status, body } = await flag(service, 'bot', {}, { 'if-none-match': etag })
      expect([status, body.value]).toEqual([200, candidate])
    })

    test.each([
      [404, 'FLAG_NOT_FOUND', 'nobody', {}],
      [404, 'FLAG_NOT_FOUND', 'bot', { context: { environment: 'prod' } }],
      [400, 'INVALID_CONTEXT', 'bot', { context: { environment: 7 } }],
      [400, 'INVALID_CONTEXT', 'bot', { context: 'local' }],
      [400, 'INVALID_CONTEXT', 'bot', { context: [] }],
      [400, 'INVALID_CONTEXT', 'bot', '7'],
      [400, 'INVALID_CONTEXT', 'bot', 'null'],
      [400, 'PARSE_ERROR', 'bot', '{'],
    ])('answers %d %s for %s and %j', async (status, errorCode, key, body) => {
      const { service } = await promotedBaseline(makeService)
      const answer = await flag(service, key, body)
      expect(answer.status).toBe(status)
      expect(answer.body).toEqual({ key, errorCode, errorDetails: expect.stringMatching(/./) })
    })
  })
  describe('all flags', () => {
    const flags = (service: TestService, body: unknown, headers: Record<string, string> = {}) =>
      service.call('POST /ofrep/v1/evaluate/flags', { body, headers })

    test('are what is promoted in the environment, by agent', async () => {
      const { service, baseline } = await promotedBaseline(makeService)
      const other = await register(service, { agent: 'another', version: '7' })
      await ok(promote(service, other))
      const elsewhere = await register(service, { agent: 'third' })
      await ok(promote(service, elsewhere, { environment: 'prod' }))
      const { status, body } = await flags(service, { context: { environment: 'local' } })
      expect([status, body]).toEqual([
        200,
        {
          flags: [
            { key: 'another', value: other, reason: 'STATIC', variant: '7' },
            { key: 'bot', value: baseline, reason: 'STATIC', variant: '1' },
          ],
        },
      ])
      expect((await flags(service, { context: { environment: 'nowhere' } })).body).toEqual({ flags: [] })
      expect((await flags(service, {})).body.flags).toHaveLength(2)
    })

    test('that the caller knows are 304, until something else is promoted', async () => {
      const { service, candidate } = await promotedBaseline(makeService)
      const etag = (await flags(service, {})).headers.get('etag')!
      const known = await flags(service, {}, { 'if-none-match': etag })
      expect([known.status, known.text, known.headers.get('etag')]).toEqual([304, '', etag])
      await ok(promote(service, candidate))
      expect((await flags(service, {}, { 'if-none-match': etag })).body.flags).toMatchObject([
        { value: candidate },
      ])
    })

    test.each([
      ['INVALID_CONTEXT', { context: { environment: 7 } }],
      ['INVALID_CONTEXT', '[]'],
      ['PARSE_ERROR', '{'],
    ])('are 400 %s for %j', async (errorCode, body) => {
      const answer = await flags((await promotedBaseline(makeService)).service, body)
      expect([answer.status, answer.body]).toEqual([
        400,
        { errorCode, errorDetails: expect.stringMatching(/./) },
      ])
    })
  })
}
