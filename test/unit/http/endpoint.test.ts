import { expect, test } from 'vitest'
import { endpoint } from '../../../src/http/endpoint/endpoint.ts'
import { json } from '../../../src/http/wire/message.ts'
import { testBase } from '../../support/services/service.ts'

const answers = { 200: 'Ready' } as const

/** The names of what the handler of an endpoint gets. */
async function inputNames(facts: { recordsActor?: true; idempotent?: true }): Promise<string[]> {
  let names: string[] = []
  const probed = endpoint(
    'DELETE /v1/tokens/{name}',
    { access: 'write', scope: 'shared', summary: '', takes: 'TokensRevoke', ...facts, answers },
    async function probe(input) {
      names = Object.keys(input)
      return json({ status: 'ready' })
    },
  )
  const headers = new Headers({ 'x-service-actor': 'ann', 'idempotency-key': 'k' })
  const request = { method: 'DELETE', url: 'http://localhost/v1/tokens/a', headers, body: null }
  expect(await probed.reply(request, (await testBase()).context)).toMatchObject({ status: 200 })
  return names
}

test('a handler gets the actor and the key only where its endpoint declares them', async () => {
  const [none, actor, both] = [
    await inputNames({}),
    await inputNames({ recordsActor: true }),
    await inputNames({ recordsActor: true, idempotent: true }),
  ]
  expect(actor.filter(name => !none.includes(name))).toEqual(['actor'])
  expect(both.filter(name => !actor.includes(name))).toEqual(['idempotencyKey'])
})

test('the compiler refuses a specification that its route or its handler contradicts', () => {
  const spec = { access: 'write', summary: '', answers } as const
  const handle = async () => json({ status: 'ready' as const })
  // @ts-expect-error -- it takes an actor that it does not record
  endpoint('POST /v1/a', spec, async function a({ actor }) {
    return json({ status: actor as 'ready' })
  })
  // @ts-expect-error -- it takes a key that it does not honour
  endpoint('POST /v1/a', { ...spec, recordsActor: true }, async function b({ idempotencyKey }) {
    return json({ status: idempotencyKey as 'ready' })
  })
  // @ts-expect-error -- the route has a name that its input lacks
  endpoint('GET /v1/a/{name}', spec, handle)
  // @ts-expect-error -- the path of the input has a name that the route lacks
  endpoint('GET /v1/a/{provider}', { ...spec, takes: 'PricingShow' }, handle)
  // @ts-expect-error -- the route has no name at all
  endpoint('GET /v1/a', { ...spec, takes: 'TokensRevoke' }, handle)
  const named = endpoint('GET /v1/a/{name}', { ...spec, takes: 'TokensRevoke' }, handle)
  expect(named.route).toBe('GET /v1/a/{name}')
})
