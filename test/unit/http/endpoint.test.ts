import { expect, test } from 'vitest'
import { endpoint } from '../../../src/http/endpoint/endpoint.ts'
import { json } from '../../../src/http/wire/message.ts'
import { testBase } from '../../support/services/service.ts'

const answers = { 200: 'Ready' } as const

/** The names of what the handler of an endpoint gets. */
async function inputNames(facts: { recordsActor?: true; idempotent?: true }): Promise<string[]> {
  let names: string[] = []
  const probed = endpoint({
    route: 'DELETE /v1/tokens/{name}',
    access: 'write',
    scope: 'shared',
    summary: '',
    takes: 'TokensRevoke',
    ...facts,
    answers,
    answer: function probe(input) {
      names = Object.keys(input)
      return { status: 'ready' }
    },
  })
  expect(probed.operationId).toBe('probe')
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
  const route = 'POST /v1/a'
  // @ts-expect-error -- it takes an actor that it does not record
  endpoint({ ...spec, route, answer: ({ actor }) => ({ status: actor as 'ready' }) })
  const recording = { ...spec, recordsActor: true, route } as const
  // @ts-expect-error -- it takes a key that it does not honour
  endpoint({ ...recording, answer: ({ idempotencyKey }) => ({ status: idempotencyKey as 'ready' }) })
  // @ts-expect-error -- it answers something else
  endpoint({ ...spec, route, answer: () => ({ status: 'late' }) })
  // @ts-expect-error -- it answers nothing
  expect(() => endpoint({ ...spec, route })).toThrow(TypeError)
  // @ts-expect-error -- the route has a name that its input lacks
  endpoint({ ...spec, route: 'GET /v1/a/{name}', handle })
  // @ts-expect-error -- the path of the input has a name that the route lacks
  endpoint({ ...spec, route: 'GET /v1/a/{provider}', takes: 'PricingShow', handle })
  // @ts-expect-error -- the route has no name at all
  endpoint({ ...spec, route: 'GET /v1/a', takes: 'TokensRevoke', handle })
  const named = endpoint({ ...spec, route: 'GET /v1/a/{name}', takes: 'TokensRevoke', handle })
  expect(named.route).toBe('GET /v1/a/{name}')
})
