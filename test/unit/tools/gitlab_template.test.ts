import { expect, test } from 'vitest'
import { ROOT_PATH } from '../../../src/runtime/root.ts'
import { gitlabTemplate } from '../../../tools/gitlab_template.ts'

test('the component of GitLab holds the script of the examples; `npm run generate` writes it anew', async () => {
  await expect(gitlabTemplate(ROOT_PATH)).toMatchFileSnapshot('../../../templates/gate/template.yml')
})
