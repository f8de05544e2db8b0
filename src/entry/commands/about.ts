import type { Invocation } from '../../cli/arguments/command.ts'
import { pretty } from '../../cli/terminal/text.ts'
import { OUTPUT } from '../../cli/arguments/options.ts'
import { commands } from '../../cli/arguments/records.ts'
export const COMMANDS = commands({
  version: {
    summary: 'Print the version, as svc --version does',
    options: OUTPUT,
    example: 'svc version',
    run: version,
  },
  'docs [PAGE]': {
    summary: 'Print a page of the documentation, or list the pages',
    example: 'svc docs policy',
    load: async () => (await import('../../cli/docs.ts')).docs,
  },
})

async function version({ options, io, version: text }: Invocation): Promise<number> {
  io.out(options.json ? pretty({ version: text }) : `${text}\n`)
  return 0
}
