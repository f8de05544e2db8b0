import { expect, test } from 'vitest'
import { cliReference, httpReference } from '../../../tools/reference.ts'

test('the references are what the code says; `npm run generate` writes them anew', async () => {
  await expect(cliReference()).toMatchFileSnapshot('../../../docs/reference/cli.md')
  await expect(await httpReference()).toMatchFileSnapshot('../../../docs/reference/http.md')
})
