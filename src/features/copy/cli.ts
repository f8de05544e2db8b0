import { copyBetween } from './jobs.ts'
import { readEnvironment } from '../../runtime/environment.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { painter, stderrLog } from '../../cli/terminal/io.ts'
import { clearProgress, progress } from '../../cli/terminal/io.ts'
import { pretty, safe } from '../../cli/terminal/text.ts'
import { OUTPUT } from '../../cli/arguments/options.ts'
import { commands, required } from '../../cli/arguments/records.ts'

/** `svc ledger copy` */
export const COMMANDS = commands({
  'ledger copy': {
    summary: 'Copy a ledger to another database and verify it; stop its writers first',
    options: {
      '--from <DB>': required('The ledger: a SQLite file or database URL'),
      '--to <DB>': required('An empty database'),
      ...OUTPUT,
    },
    example: 'svc ledger copy --from .service/service.db --to postgres://svc@db.example.com/ledger',
    run: copy,
  },
})

async function copy({ options, io }: Invocation): Promise<number> {
  try {
    const { from, to, checks } = await copyBetween({
      from: options.text('from')!,
      to: options.text('to')!,
      folder: io.cwd,
      environment: readEnvironment(io.env),
      log: stderrLog(io),
      onProgress: (step, done, total) => progress(io, step, done, total),
    })
    clearProgress(io)
    const paint = painter(io)
    const lines = checks.map(
      ({ name, detail }) => `${paint('green', 'ok')}    ${safe(`${name}: ${detail}`)}\n`,
    )
    io.out(options.json ? pretty({ from, to, checks }) : lines.join(''))
    io.err(`svc: copied ${safe(from)} in ${safe(to)}\n`)
    return 0
  } finally {
    clearProgress(io)
  }
}
