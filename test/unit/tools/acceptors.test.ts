import { expect, test } from 'vitest'
import { ACCEPTED, acceptorSource } from '../../../tools/acceptors.ts'

const NAMES = Object.keys(ACCEPTED) as (keyof typeof ACCEPTED)[]

test.for(NAMES)(
  'the acceptor of %s is what its model says; `npm run generate` writes it anew',
  async name => {
    const { file } = ACCEPTED[name]
    await expect(await acceptorSource(name)).toMatchFileSnapshot(`../../../src/models/accept/${file}.ts`)
  },
)
