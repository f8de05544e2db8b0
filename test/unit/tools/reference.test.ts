import { expect, test } from 'vitest'
import { check } from '../support/check.ts'
import type { Said } from '../../../src/models/model.ts'
import { loadModel } from '../../../tools/models.ts'
import { USER_FILES, fileReference } from '../../../tools/file_reference.ts'
import { commandsSchema } from '../../../tools/references/json.ts'
import { cliReference, httpReference } from '../../../tools/reference.ts'
import { commandNames } from '../../../tools/commands.ts'

test('the references are what the code says; `npm run generate` writes them anew', async () => {
  await expect(cliReference()).toMatchFileSnapshot('../../../docs/reference/cli.md')
  await expect(await httpReference()).toMatchFileSnapshot('../../../docs/reference/http.md')
})

test('so are the names by which a command is found', async () => {
  await expect(commandNames()).toMatchFileSnapshot('../../../src/entry/commands/names.ts')
})

test('so is the schema of what commands print as JSON', async () => {
  await expect(await commandsSchema()).toMatchFileSnapshot('../../../schemas/cli/v1/commands.schema.json')
})

test.each(USER_FILES)('the page $page of $title is too, and its examples are valid', async file => {
  await expect(await fileReference(file)).toMatchFileSnapshot(`../../../docs/reference/files/${file.page}`)
  const model = await loadModel(file.model)
  const { examples = [] } = model.meta as Said
  expect(examples).not.toHaveLength(0)
  for (const example of examples) expect(check(model, example)).toMatchObject({ ok: true })
})
