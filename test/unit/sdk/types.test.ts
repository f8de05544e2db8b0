import { expect, test } from 'vitest'
import { sdkTypes } from '../../../scripts/sdk_types.ts'

test('the types of the SDK are those of the API; `npm run sdk` writes them anew', async () => {
  await expect(await sdkTypes()).toMatchFileSnapshot('../../../src/sdk/types.ts')
})
