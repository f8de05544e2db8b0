import { expect, test } from 'vitest'
import { RunEvent as shape } from '../../../src/models/shapes/run_event.ts'
import { acceptorSource } from '../../../tools/acceptors.ts'
import { apiSchemasSource } from '../../../tools/api_schemas.ts'

test('the acceptor of run events is what their shape says; `npm run generate` writes it', async () => {
  await expect(acceptorSource(shape)).toMatchFileSnapshot('../../../src/models/shapes/is_event.ts')
})

test('the JSON Schemas that the API describes are what the models say; `npm run generate` writes them', async () => {
  await expect(await apiSchemasSource()).toMatchFileSnapshot('../../../src/models/api_schemas.ts')
})
