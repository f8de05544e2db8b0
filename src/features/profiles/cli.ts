import { text } from 'node:stream/consumers'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { badRequest } from '../../base/errors.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { profileNames, readProfile, removeProfile, saveProfile } from '../../cli/service/profiles.ts'
import { checkedUrl } from '../../cli/service/remote.ts'
import type { Io } from '../../cli/terminal/io.ts'
import { type Column, listing } from '../../cli/terminal/table.ts'
import { pretty, safe } from '../../cli/terminal/text.ts'
import { HEADER, OUTPUT } from '../../cli/arguments/options.ts'
import { commands, required } from '../../cli/arguments/records.ts'

/** Most characters of a token: what a header line holds. */
const MOST_CHARS = 4096

const COLUMNS: readonly Column<Row>[] = [
  { heading: 'profile', cell: row => row.name, whole: true },
  { heading: 'url', cell: row => row.url },
  { heading: 'token', cell: row => (row.has_token ? 'yes' : 'no') },
]

/** `svc profile …` */
export const COMMANDS = commands({
  'profile set <NAME>': {
    summary: 'Save the URL and token of a service for --profile; the token is read from stdin',
    options: { '--url <URL>': required('The service') },
    example: 'svc profile set prod --url https://releases.example.com < token.txt',
    run: set,
  },
  'profile list': {
    summary: 'List profiles, without tokens',
    options: { ...HEADER, ...OUTPUT },
    example: 'svc profile list',
    run: list,
  },
  'profile remove <PROFILE>': {
    summary: 'Delete a profile and its token',
    options: OUTPUT,
    example: 'svc profile remove prod',
    run: remove,
  },
})

async function set({ args, options, io }: Invocation): Promise<number> {
  const name = args[0]!
  const url = checkedUrl(options.required('url'))
  const token = (await readToken(io)).trim()
  // Any other would be refused with each request: it can't be in a header.
  if (token.length > MOST_CHARS || !/^[\x21-\x7e]*$/.test(token)) {
    throw badRequest('A token is one line of ASCII characters without blanks; nothing was saved.')
  }
  await saveProfile(name, { url, token: token === '' ? undefined : token }, io)
  const what = token === '' ? 'without a token' : 'with its token'
  io.err(`svc: saved ${what}; use it with --profile ${name} or SERVICE_PROFILE=${name}\n`)
  return 0
}

interface Row {
  readonly name: string
  readonly url: string
  readonly has_token: boolean
}

async function list({ options, io }: Invocation): Promise<number> {
  const profiles: Row[] = []
  for (const name of await profileNames(io)) {
    const { url, token } = await readProfile(name, io)
    profiles.push({ name, url, has_token: token !== undefined })
  }
  io.out(options.json ? pretty({ profiles }) : listing(COLUMNS, profiles, io))
  if (profiles.length === 0 && !options.json) {
    io.err('svc: no profiles yet; make one with `svc profile set NAME --url URL`\n')
  }
  return 0
}

async function remove({ args, options, io }: Invocation): Promise<number> {
  const name = args[0]!
  await removeProfile(name, io)
  io.out(options.json ? pretty({ name, removed: true }) : `${safe(name)} removed\n`)
  return 0
}

/** All of stdin; at a terminal a line that is prompted for and not shown. */
async function readToken(io: Io): Promise<string> {
  // A pipe has no isTTY at all.
  if (!(io.stdin as Partial<NodeJS.ReadStream>).isTTY) return text(io.stdin)
  io.err('Token (not shown; Enter for none): ')
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input: io.stdin, output: silent, terminal: true })
  try {
    return await new Promise<string>((resolve, reject) => {
      prompt.once('line', resolve)
      // Ctrl-C, or the end of the input.
      prompt.once('close', () => reject(badRequest('Nothing was saved.')))
    })
  } finally {
    prompt.close()
    io.err('\n')
  }
}
